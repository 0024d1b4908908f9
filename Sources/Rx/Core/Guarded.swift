import Synchronization

/// A value behind a lock: `Mutex`, with the thread sanitizer told who comes after whom (see `Lock`).
package struct Guarded<Value>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let turn = Atomic<Bool>(false)

    /// Puts the value behind a lock.
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    @inline(__always)
    /// Does the work with the value while no other thread does.
    package borrowing func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        mutex.withLock { value in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(true, ordering: .releasing) }
            return body(&value)
        }
    }
}
