import Glibc

/// A file descriptor as an output. Each write goes out at once; nothing is kept back.
struct FileOutput: Output {
    let descriptor: Int32

    static let standard = FileOutput(descriptor: STDOUT_FILENO)
    static let error = FileOutput(descriptor: STDERR_FILENO)

    var size: TerminalSize? {
        guard isatty(descriptor) == 1, !Self.isDumb else { return nil }
        // `winsize` as plain integers: which C module owns that type depends on the order of compilation.
        var size: (rows: UInt16, columns: UInt16, width: UInt16, height: UInt16) = (0, 0, 0, 0)
        // A serial line reports no size.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.columns > 0, size.rows > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.columns), rows: Int(size.rows))
    }

    /// Whether the terminal is one that only prints, such as that of an editor. It gets plain lines.
    private static let isDumb = unsafe getenv("TERM").map { unsafe String(cString: $0) } == "dumb"

    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = unsafe Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
                if count >= 0 {
                    written += count
                } else {
                    try recover(errno)
                }
            }
        }
    }

    private func recover(_ code: Int32) throws {
        switch code {
        case EINTR: return
        case EAGAIN:
            // Whoever shares the descriptor has made it non-blocking; waiting is what a blocking one would do.
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = unsafe poll(&wait, 1, -1)
        case EPIPE: throw OutputClosed()
        default: throw CLIError(.failed, "The output could not be written: \(unsafe String(cString: strerror(code))).")
        }
    }
}
