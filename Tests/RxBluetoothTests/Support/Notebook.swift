import Rx

/// What a test was told, from whatever thread.
final class Notebook: Sendable {
    private let words = Guarded<[String]>([])

    var lines: [String] { words.withLock { $0 } }

    func note(_ line: String) { words.withLock { $0.append(line) } }
}
