import Rx

/// A list of lines to which any thread can add.
final class LineRecorder: Sendable {
    private let recorded = Guarded<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    func note(_ line: String) { recorded.withLock { $0.append(line) } }
}
