import Synchronization

/// A lock beside the fields that it guards, for classes whose fields mention their element type: a `Mutex` around them
/// would make the layout of the whole class depend on run-time metadata.
struct Lock: ~Copyable {
    private let mutex = Mutex<Void>(())

    @inline(__always)
    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        mutex.withLock { _ in Ferry(body()) }.value
    }
}
