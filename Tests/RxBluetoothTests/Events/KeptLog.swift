import Logging
import Rx

/// A log handler that stores lines with their metadata.
struct KeptLog: LogHandler {
    private let kept: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    /// The stored lines. All copies of a log handler share them.
    final class Lines: Sendable {
        private let lines = Guarded<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init(_ kept: Lines, level: Logger.Level) {
        self.kept = kept
        logLevel = level
    }

    /// Returns a logger that stores the lines of this level and above.
    static func logger(_ lines: Lines, level: Logger.Level) -> Logger {
        Logger(label: "test") { _ in KeptLog(lines, level: level) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
        kept.add(([event.level.rawValue, event.message.description] + details).joined(separator: " "))
    }
}
