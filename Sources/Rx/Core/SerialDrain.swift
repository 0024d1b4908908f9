import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Lets one thread at a time through, without making the others wait.
///
/// Who finds the drain free goes in. Who is inside already may go in again: a re-entrant event is delivered at once, as
/// in RxSwift. Who finds somebody else inside leaves the work at the drain, and that other thread does it in order
/// before it goes. So events of several threads become one well-formed stream, and no lock is held while calling out.
final class SerialDrain {
    enum Entry {
        /// The caller is inside now and must call `leave`.
        case first
        /// The caller was inside already.
        case nested
        /// Somebody else is inside: use `postpone`.
        case busy
    }

    private let owner = Atomic<UInt>(0)
    private let waiting = Atomic<Int>(0)
    private let queue = Guarded<[@Sendable () -> Void]>([])

    @inline(__always)
    func enter() -> Entry {
        let me = pthread_self()
        if owner.load(ordering: .relaxed) == me { return .nested }
        // What waits goes first, so that two events of one thread keep their order.
        if waiting.load(ordering: .sequentiallyConsistent) != 0 { return .busy }
        return take(me) ? .first : .busy
    }

    @inline(__always)
    func leave() {
        owner.store(0, ordering: .sequentiallyConsistent)
        if waiting.load(ordering: .sequentiallyConsistent) != 0 { runQueued() }
    }

    /// Leaves work to whoever is inside; does it here if nobody is any more.
    @inline(never)
    func enqueueAndRun(_ work: @escaping @Sendable () -> Void) {
        enqueue(work)
        runQueued()
    }

    /// Leaves work at the drain, for callers who hold a lock. They must call `serve` when they hold it no longer.
    func enqueue(_ work: @escaping @Sendable () -> Void) {
        // Counted under the lock: who takes it must find it counted. Else the count would be 0 for a moment with work
        // waiting, and a later event of the same thread would go first.
        queue.withLock { queue in
            queue.append(work)
            waiting.add(1, ordering: .sequentiallyConsistent)
        }
    }

    private func take(_ thread: UInt) -> Bool {
        owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
    }

    /// Does what waits, unless somebody else is inside: that one will.
    @inline(never)
    func runQueued() {
        let me = pthread_self()
        // The count is read again after each departure, so work left in that very moment is not forgotten.
        while waiting.load(ordering: .sequentiallyConsistent) != 0, take(me) {
            var works: [@Sendable () -> Void] = []
            queue.withLock { swap(&$0, &works) }
            for work in works { work() }
            waiting.subtract(works.count, ordering: .sequentiallyConsistent)
            owner.store(0, ordering: .sequentiallyConsistent)
        }
    }
}

/// A sink that several threads or several sources may call: its events pass a drain, one at a time.
class SerialSink<Element>: Sink<Element> {
    final let drain: SerialDrain
    init(_ drain: SerialDrain) { self.drain = drain }

    /// An element, inside the drain.
    func receive(_ value: Element) {}
    /// The failure, inside the drain.
    func receiveError(_ error: any Error) {}
    /// The good end, inside the drain.
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

    // Apart, so that the usual way does not pay for the metadata of the transfer.
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

extension SerialDrain {
    /// Does the work on the target inside the drain, now or when whoever is inside goes. For rare events: it may allocate.
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
