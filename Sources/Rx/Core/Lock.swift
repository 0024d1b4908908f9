import Synchronization

/// A lock beside the fields that it guards, for classes whose fields mention their element type: a `Mutex` around them
/// would make the layout of the whole class depend on run-time metadata.
package struct Lock: ~Copyable {
    private let mutex = Mutex<Void>(())
    // The thread sanitizer does not see into `Mutex`. These two plain moves tell it who comes after whom.
    private let turn = Atomic<Bool>(false)

    /// An open lock.
    package init() {}

    /// Does the work while no other thread is inside.
    @inline(__always)
    package borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        mutex.withLock { _ in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(true, ordering: .releasing) }
            return UncheckedTransfer(body())
        }.value
    }
}
