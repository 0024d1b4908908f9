import Dispatch
import Gateway
import Glibc

/// Writes log lines to standard error: plain text on a terminal, otherwise with the priorities that journald reads.
///
/// Source: systemd, sd-daemon(3).
struct LogOutput: Sendable {
    /// Whether lines begin with a priority, for example `<4>`.
    let hasPriorities: Bool
    /// The least severe level that is written.
    let level: GatewayEvent.Level

    /// - Parameter hasPriorities: Whether lines begin with a priority. Default: unless standard error is a terminal.
    init(hasPriorities: Bool? = nil, isVerbose: Bool) {
        self.hasPriorities = hasPriorities ?? (isatty(STDERR_FILENO) == 0)
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
        hasPriorities ? "<\(level.priority)>\(Self.clean(text))" : "ble-gateway: \(Self.clean(text))"
    }

    /// Writes text to standard output. Ends the process if that fails: with 0 if the reader has ended, as with `head`.
    static func print(_ text: String) {
        guard !write(text, to: STDOUT_FILENO) else { return }
        let code = errno
        guard code != EPIPE else { ProgramFailure.exitProcess(0) }
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
