import Synchronization

/// How many advertisements were sent; any thread may ask.
final class Sent: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func countOne() { number.add(1, ordering: .relaxed) }
}
