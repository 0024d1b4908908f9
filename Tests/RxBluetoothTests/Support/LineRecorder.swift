import Rx

/// Lines that a test collects from any thread.
final class LineRecorder: Sendable {
    private let recorded = Guarded<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    func note(_ line: String) { recorded.withLock { $0.append(line) } }
}
