import Synchronization

/// A number that counts up in the bus's context, and that anybody may read.
final class Tally: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .relaxed) }

    func count() { number.wrappingAdd(1, ordering: .relaxed) }
}
