import Synchronization

/// A value behind a lock: a `Mutex` with an order that the thread sanitizer sees (see `Lock`).
package struct Guarded<Value>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let sanitizerOrder = Atomic<Bool>(false)

    /// Creates a lock around the value.
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls the closure with the value while no other thread has it.
    @inline(__always)
    package borrowing func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        mutex.withLock { value in
            _ = sanitizerOrder.load(ordering: .acquiring)
            defer { sanitizerOrder.store(true, ordering: .releasing) }
            return body(&value)
        }
    }
}

/// A lock beside the fields that it guards, for classes with fields that mention their element type.
///
/// A `Mutex` around such fields would make the layout of the whole class depend on run-time metadata.
package struct Lock: ~Copyable {
    private let mutex = Mutex<Void>(())
    // The thread sanitizer does not see into `Mutex`; these two atomic accesses show it the order.
    private let sanitizerOrder = Atomic<Bool>(false)

    /// Creates an open lock.
    package init() {}

    /// Calls the closure while no other thread holds the lock.
    @inline(__always)
    package borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        mutex.withLock { _ in
            _ = sanitizerOrder.load(ordering: .acquiring)
            defer { sanitizerOrder.store(true, ordering: .releasing) }
            return UncheckedTransfer(body())
        }.value
    }
}

/// Carries a value into a closure that may run on another thread, or out of a lock.
///
/// Guard: the sender does not use an element again; sinks are entered through their `SerialDrain` or atomic flags only.
package struct UncheckedTransfer<Value>: @unchecked Sendable {
    package let value: Value
    @inline(__always)
    package init(_ value: Value) { self.value = value }
}
