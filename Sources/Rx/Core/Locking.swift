public import Synchronization

/// A value that a `Mutex` guards. The thread sanitizer sees the order of accesses: see `Lock`.
@usableFromInline package struct Guarded<Value>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let sanitizerOrder = Atomic<Bool>(false)

    /// Creates a lock around the value.
    @usableFromInline package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls the closure with the value while no other thread has access to the value.
    @inlinable @inline(__always)
    package borrowing func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        mutex.withLock { value in
            _ = sanitizerOrder.load(ordering: .acquiring)
            defer { sanitizerOrder.store(true, ordering: .releasing) }
            return body(&value)
        }
    }
}

/// A lock next to the fields that it guards, for generic classes with fields of their element type.
///
/// If a `Mutex` contained such fields, the layout of the whole class would depend on run-time metadata.
@usableFromInline package struct Lock: ~Copyable {
    @usableFromInline let mutex = Mutex<Void>(())
    // The thread sanitizer does not recognize `Mutex`. Each call reads this flag first and sets it last, which shows it
    // the order of calls.
    @usableFromInline let sanitizerOrder = Atomic<Bool>(false)

    /// Creates a lock that no thread holds.
    @usableFromInline package init() {}

    /// Calls the closure while no other thread holds the lock.
    @inlinable @inline(__always)
    package borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        mutex.withLock { _ in
            _ = sanitizerOrder.load(ordering: .acquiring)
            defer { sanitizerOrder.store(true, ordering: .releasing) }
            return UncheckedTransfer(body())
        }.value
    }

    /// Calls the closure with the value while no other thread holds the lock.
    ///
    /// An element that a closure captures or returns would cost checks for exclusive access or a metadata lookup.
    @inlinable @inline(__always)
    package borrowing func withLock<Value>(_ value: inout Value, _ body: (inout Value) -> Void) {
        mutex.withLock { _ in
            _ = sanitizerOrder.load(ordering: .acquiring)
            defer { sanitizerOrder.store(true, ordering: .releasing) }
            body(&value)
        }
    }
}

/// Carries a value into a closure that may run on another thread, or out of a lock.
///
/// Guard for `@unchecked`: the sender does not use the value again. Sinks are used through their `SerialDrain` or their
/// atomic flags only.
@usableFromInline package struct UncheckedTransfer<Value>: @unchecked Sendable {
    @usableFromInline package let value: Value
    @inlinable @inline(__always)
    package init(_ value: Value) { self.value = value }
}
