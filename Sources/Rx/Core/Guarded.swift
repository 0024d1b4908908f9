import Synchronization

/// A value behind a lock: `Mutex`, with the thread sanitizer told who comes after whom (see `Lock`).
struct Guarded<Value>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let turn = Atomic<Bool>(false)

    init(_ value: consuming sending Value) { mutex = Mutex(value) }

    @inline(__always)
    borrowing func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        mutex.withLock { value in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(true, ordering: .releasing) }
            return body(&value)
        }
    }
}
