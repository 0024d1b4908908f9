import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs the work of several threads one piece at a time, without blocking a thread.
///
/// A thread that finds the drain free enters it. If another thread is inside, the new thread enqueues its work, and the
/// thread inside runs that work in order before it leaves. Work that a thread adds while it is inside runs at once: a
/// re-entrant event is delivered immediately, as in RxSwift. So events of several threads become one well-formed
/// stream, and no lock is held while user code runs.
final class SerialDrain {
    enum Admission {
        /// The caller entered and must call `leave`.
        case first
        /// The caller was inside already.
        case nested
        /// Another thread is inside, or work is queued. The caller must enqueue its work.
        case busy
    }

    private let owner = Atomic<UInt>(0)
    private let waiting = Atomic<Int>(0)
    private let queue = Guarded<[@Sendable () -> Void]>([])

    @inline(__always)
    func enter() -> Admission {
        let thread = pthread_self()
        if owner.load(ordering: .relaxed) == thread { return .nested }
        // Queued work runs before new work, so that two events of one thread keep their order.
        if waiting.load(ordering: .sequentiallyConsistent) != 0 { return .busy }
        return take(thread) ? .first : .busy
    }

    @inline(__always)
    func leave() {
        owner.store(0, ordering: .sequentiallyConsistent)
        if waiting.load(ordering: .sequentiallyConsistent) != 0 { runQueued() }
    }

    /// Enqueues work, and runs it on this thread if no other thread is inside the drain.
    @inline(never)
    func enqueueAndRun(_ work: @escaping @Sendable () -> Void) {
        enqueue(work)
        runQueued()
    }

    /// Enqueues work without running it, for a caller that holds a lock.
    ///
    /// The caller must call `runQueued` after it has released its lock.
    func enqueue(_ work: @escaping @Sendable () -> Void) {
        // The count changes under the lock. Otherwise it could be 0 while work is queued, and a later event of this
        // thread would overtake that work.
        queue.withLock { queue in
            queue.append(work)
            waiting.add(1, ordering: .sequentiallyConsistent)
        }
    }

    private func take(_ thread: UInt) -> Bool {
        owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
    }

    /// Runs the queued work. If another thread is inside, that thread runs the work.
    @inline(never)
    func runQueued() {
        let thread = pthread_self()
        // Reads the count again after the drain is free, so that work enqueued at that moment also runs.
        while waiting.load(ordering: .sequentiallyConsistent) != 0, take(thread) {
            var works: [@Sendable () -> Void] = []
            queue.withLock { swap(&$0, &works) }
            for work in works { work() }
            waiting.subtract(works.count, ordering: .sequentiallyConsistent)
            owner.store(0, ordering: .sequentiallyConsistent)
        }
    }

    /// Runs the work with the target inside the drain: now, or on the thread that is inside.
    ///
    /// For rare events only, because the call may allocate memory.
    func perform<Target: AnyObject>(on target: Target, _ work: @escaping @Sendable (Target) -> Void) {
        switch enter() {
        case .nested: work(target)
        case .first:
            work(target)
            leave()
        case .busy:
            let transfer = UncheckedTransfer(target)
            enqueueAndRun { work(transfer.value) }
        }
    }
}

/// A sink that several threads or sources may call. A drain delivers the events one after another.
class SerialSink<Element>: Sink<Element> {
    final let drain: SerialDrain
    init(_ drain: SerialDrain) { self.drain = drain }

    /// Receives an element, inside the drain.
    func receive(_ value: Element) {}
    /// Receives an error, inside the drain.
    func receiveError(_ error: any Error) {}
    /// Receives completion, inside the drain.
    func receiveCompleted() {}

    final override func next(_ value: Element) {
        switch drain.enter() {
        case .nested: receive(value)
        case .first:
            receive(value)
            drain.leave()
        case .busy: postpone(value)
        }
    }

    // A separate function, so that `next` looks up the metadata of `UncheckedTransfer` only if the drain is busy.
    @inline(never)
    private final func postpone(_ value: Element) {
        let transfer = UncheckedTransfer((self, value))
        drain.enqueueAndRun { transfer.value.0.receive(transfer.value.1) }
    }

    final override func error(_ error: any Error) {
        drain.perform(on: self) { $0.receiveError(error) }
    }

    final override func completed() {
        drain.perform(on: self) { $0.receiveCompleted() }
    }
}
