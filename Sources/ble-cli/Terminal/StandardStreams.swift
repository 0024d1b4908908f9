import Dispatch
import Glibc

/// Standard input, output and error.
enum StandardStreams {
    /// Opens /dev/null in place of streams that the caller has closed.
    ///
    /// Must be called first: the next file to be opened, such as the socket of the bus, would get the free descriptor
    /// of standard output.
    static func secure() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // open(2) returns the lowest free descriptor, which is `descriptor`.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}

/// A destination of text: standard output, or a recording in tests.
protocol Output: Sendable {
    /// The size of the terminal; nil if the output is not a terminal.
    var size: TerminalSize? { get }

    /// Whether the output is a terminal, also one without control sequences.
    var isTerminal: Bool { get }

    /// Writes text without buffering. Throws ``OutputClosed`` if the reader has closed the output.
    func write(_ text: String) throws

    /// Writes bytes without buffering. Throws ``OutputClosed`` if the reader has closed the output.
    func write(bytes: [UInt8]) throws
}

extension Output {
    var isTerminal: Bool { size != nil }

    /// Writes one line without buffering.
    func line(_ text: String) throws { try write(text + "\n") }
}

/// A terminal's size in characters.
struct TerminalSize: Equatable, Sendable {
    let columns: Int
    let rows: Int
}

/// A file descriptor as an unbuffered output.
struct FileOutput: Output {
    let descriptor: Int32

    static let standard = FileOutput(descriptor: STDOUT_FILENO)
    static let error = FileOutput(descriptor: STDERR_FILENO)

    var size: TerminalSize? {
        guard isatty(descriptor) == 1, !Self.isDumb else { return nil }
        // Declares the fields of `winsize` again, because the C module that owns the type depends on the order of
        // compilation.
        var size: (rows: UInt16, columns: UInt16, width: UInt16, height: UInt16) = (0, 0, 0, 0)
        // Uses 80 columns and 24 rows if the terminal, for example a serial line, reports no size.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.columns > 0, size.rows > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.columns), rows: Int(size.rows))
    }

    /// Whether the terminal supports no control sequences, as for example the terminal of an editor.
    private static let isDumb = unsafe getenv("TERM").map { unsafe String(cString: $0) } == "dumb"

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether a terminal gets only ASCII.
    private static let isASCII = !TerminalEnvironment.isUnicode(variable: TerminalEnvironment.variable)

    func write(_ text: String) throws {
        var text = Self.isASCII && isTerminal ? ASCIIText.of(text) : text
        try text.withUTF8 { try unsafe write($0) }
    }

    func write(bytes: [UInt8]) throws { try unsafe bytes.withUnsafeBufferPointer { try unsafe write($0) } }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
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

    private func recover(_ code: Int32) throws {
        switch code {
        case EINTR: return
        case EAGAIN:
            // Waits as a blocking write would: another process that shares the descriptor has made it non-blocking.
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = unsafe poll(&wait, 1, -1)
        case EPIPE: throw OutputClosed()
        default:
            throw CLIError(
                .failed,
                "Writing the output failed: \(unsafe String(cString: strerror(code))). Check its destination."
            )
        }
    }
}

/// Detects that the reader of a pipe has closed it, even if nothing is written.
enum ClosedPipeMonitor {
    /// Calls `onClosed` when the last reader has closed a pipe or socket; does nothing for other files.
    ///
    /// A separate thread waits for the reader to close, because libdispatch cannot wait only for errors.
    static func start(_ descriptor: Int32, onClosed: @escaping @Sendable () -> Void) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFIFO || kind == S_IFSOCK else { return }
        DispatchQueue(label: "ble-cli.reader").async {
            // The kernel reports errors and hang-ups even if no events are requested.
            var wait = pollfd(fd: descriptor, events: 0, revents: 0)
            while unsafe poll(&wait, 1, -1) < 0, errno == EINTR {}
            if wait.revents & Int16(POLLERR | POLLHUP) != 0 { onClosed() }
        }
    }
}
