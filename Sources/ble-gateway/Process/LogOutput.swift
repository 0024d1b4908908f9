import Dispatch
import FoundationEssentials
import Gateway
import Glibc

/// Writes log lines to standard error.
struct LogOutput: Sendable {
    /// What each line begins with.
    enum Style: Sendable {
        /// The name of the program, for a person.
        case terminal
        /// A priority, for example `<4>`, for journald. Source: systemd, sd-daemon(3).
        case journal
        /// The time and the severity, for files and containers.
        case file
    }

    let style: Style
    /// The least severe level that is written.
    let level: GatewayEvent.Level

    /// - Parameter style: Default: the one that fits the standard error.
    init(_ style: Style? = nil, isVerbose: Bool) {
        self.style = style ?? (isatty(STDERR_FILENO) != 0 ? .terminal : Self.isJournal ? .journal : .file)
        level = isVerbose ? .debug : .info
    }

    /// Writes an event if its level is severe enough.
    func write(_ event: GatewayEvent) { write(event.description, event.level) }

    /// Writes a message of one line.
    func write(_ text: String, _ level: GatewayEvent.Level) {
        guard level >= self.level else { return }
        // Each of several mistakes of a file has its own line.
        let lines = text.split(separator: "\n").map { line(String($0), level) + "\n" }
        Self.write(lines.joined(), to: STDERR_FILENO)
    }

    /// Returns a message as one line.
    func line(_ text: String, _ level: GatewayEvent.Level) -> String {
        let prefix =
            switch style {
            case .terminal: "ble-gateway: "
            case .journal: "<\(level.priority)>"
            case .file: "\(Date().formatted(.iso8601)) \(level.word) "
            }
        return prefix + Self.clean(text)
    }

    /// Whether journald reads the standard error. Source: systemd.exec(5), JOURNAL_STREAM.
    private static var isJournal: Bool {
        guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] else { return false }
        var information = stat()
        return unsafe fstat(STDERR_FILENO, &information) == 0
            && stream == "\(information.st_dev):\(information.st_ino)"
    }

    /// Whether standard output was a terminal before anything was written.
    private static let printsToTerminal = isatty(STDOUT_FILENO) != 0

    /// Writes text to standard output. Ends the process if that fails: with 0 if the reader has ended, as with
    /// `head`, or the terminal is closed.
    static func print(_ text: String) {
        let isTerminal = printsToTerminal
        guard !write(text, to: STDOUT_FILENO) else { return }
        let code = errno
        guard code != EPIPE, code != EIO || !isTerminal else { ProgramFailure.exitProcess(0) }
        let cause = unsafe String(cString: strerror(code))
        let advice = code == ENOSPC ? "make room on the disk" : "check where it is redirected"
        LogOutput(isVerbose: false).write("writing to standard output failed: \(cause); \(advice)", .error)
        ProgramFailure.exitProcess(ProgramFailure.failed)
    }

    /// Writes text to a file descriptor. Returns false if that failed; `errno` has the cause.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBufferPointer {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process that shares the descriptor has made it non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wait, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Writes the last line before the process ends. Returns after the limit at the latest.
    ///
    /// A write to a full pipe waits without end if its reader does not read, also on the queue of the gateway.
    static func writeLast(within limit: Duration, _ write: @escaping @Sendable () -> Void) {
        let end = DispatchSemaphore(value: 0)
        DispatchQueue(label: "ble-gateway.last-line").async {
            write()
            end.signal()
        }
        _ = end.wait(timeout: .now() + limit / .seconds(1))
    }

    /// Returns text without characters that control a terminal or are invisible, because devices choose their names.
    static func clean(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension GatewayEvent.Level {
    /// The word in files.
    var word: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// The priority of syslog.
    var priority: Int {
        switch self {
        case .error: 3
        case .warning: 4
        case .info: 6
        case .debug: 7
        }
    }
}
