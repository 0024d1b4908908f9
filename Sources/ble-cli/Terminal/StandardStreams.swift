import Dispatch
import Glibc

/// Standard input, output and error.
enum StandardStreams {
    /// Opens those that the caller has closed, on nothing. Otherwise the next file to be opened, such as the socket to the
    /// bus, would get the number of standard output, and what is printed would go there. To be called first of all.
    static func secure() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is taken, which is this one.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}

/// Where results go: standard output, or what a test keeps.
protocol Output: Sendable {
    /// The size of the terminal; nil where it is none.
    var size: TerminalSize? { get }

    /// Writes text at once. Throws ``OutputClosed`` when nobody reads it any more.
    func write(_ text: String) throws
}

extension Output {
    /// Writes one line at once.
    func line(_ text: String) throws { try write(text + "\n") }
}

/// A terminal's size in characters.
struct TerminalSize: Equatable, Sendable {
    let columns: Int
    let rows: Int
}

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

/// Notices that the reader of a pipe has gone although nothing is being written.
enum ClosedPipeMonitor {
    /// Calls `gone` when nobody can read any more what is written to the descriptor. It is waited for on a
    /// thread of its own, since libdispatch cannot wait for an error alone; the thread sleeps until then.
    static func start(_ descriptor: Int32, gone: @escaping @Sendable () -> Void) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFIFO || kind == S_IFSOCK else { return }
        DispatchQueue(label: "ble-cli.reader").async {
            // No events are asked for; the kernel reports errors and hang-ups all the same.
            var wait = pollfd(fd: descriptor, events: 0, revents: 0)
            while unsafe poll(&wait, 1, -1) < 0, errno == EINTR {}
            if wait.revents & Int16(POLLERR | POLLHUP) != 0 { gone() }
        }
    }
}
