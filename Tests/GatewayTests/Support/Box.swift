import Synchronization

/// A text that a broker's context writes and a test reads.
final class Box: Sendable {
    private let text = Mutex("")

    func set(_ value: String) { text.withLock { $0 = value } }
    func get() -> String { text.withLock { $0 } }
}
