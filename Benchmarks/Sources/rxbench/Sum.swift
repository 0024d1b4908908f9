import Synchronization

/// Adds the elements of every case, so that the optimizer cannot remove a stream.
final class Sum: Sendable {
    private let total = Atomic<Int>(0)

    @inline(__always)
    func add(_ element: Int) {
        total.store(total.load(ordering: .relaxed) &+ element, ordering: .relaxed)
    }

    var value: Int { total.load(ordering: .relaxed) }
}
