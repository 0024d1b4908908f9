import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs work of several threads one piece at a time, without blocking any of them.
///
/// A thread that finds the drain free enters it. Re-entry by the same thread is allowed: a re-entrant event is
/// delivered at once, as in RxSwift. A thread that finds the drain busy enqueues its work, and the thread inside does
/// it in order before it leaves. So events of several threads become one well-formed stream, and no lock is held
/// while user code runs.
final class SerialDrain {
    enum Entry {
        /// The caller entered and must call `leave`.
        case first
        /// The caller was inside already.
        case nested
        /// Another thread is inside: use `enqueueAndRun`.
        case busy
    }

    private let owner = Atomic<UInt>(0)
    private let waiting = Atomic<Int>(0)
    private let queue = Guarded<[@Sendable () -> Void]>([])

    @inline(__always)
    func enter() -> Entry {
        let thread = pthread_self()
        if owner.load(ordering: .relaxed) == thread { return .nested }
        // Enqueued work is first, so that two events of one thread keep their order.
        if waiting.load(ordering: .sequentiallyConsistent) != 0 { return .busy }
        return take(thread) ? .first : .busy
    }

    @inline(__always)
    func leave() {
        owner.store(0, ordering: .sequentiallyConsistent)
        if waiting.load(ordering: .sequentiallyConsistent) != 0 { runQueued() }
    }

    /// Enqueues work for the thread inside, or does it here if that has left meanwhile.
    @inline(never)
    func enqueueAndRun(_ work: @escaping @Sendable () -> Void) {
        enqueue(work)
        runQueued()
    }

    /// Enqueues work, for callers that hold a lock. They must call `runQueued` after they released it.
    func enqueue(_ work: @escaping @Sendable () -> Void) {
        // Counted under the lock: otherwise the count could be 0 while work waits, and a later event of the same
        // thread would overtake it.
        queue.withLock { queue in
            queue.append(work)
            waiting.add(1, ordering: .sequentiallyConsistent)
        }
    }

    private func take(_ thread: UInt) -> Bool {
        owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
    }

    /// Does the enqueued work, unless another thread is inside, which will do it.
    @inline(never)
    func runQueued() {
        let thread = pthread_self()
        // The count is read again after each departure, so work enqueued at that moment is not lost.
        while waiting.load(ordering: .sequentiallyConsistent) != 0, take(thread) {
            var works: [@Sendable () -> Void] = []
            queue.withLock { swap(&$0, &works) }
            for work in works { work() }
            waiting.subtract(works.count, ordering: .sequentiallyConsistent)
            owner.store(0, ordering: .sequentiallyConsistent)
        }
    }

    /// Does the work on the target inside the drain, now or when the thread inside leaves.
    ///
    /// For rare events only: it may allocate.
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

/// A sink that several threads or sources may call: a drain passes its events one at a time.
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

    // A function of its own, so that the hot path does not pay for the metadata of the transfer.
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
