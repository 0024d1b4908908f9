#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The place of one subscriber in the list of a subject.
final class SubscriberSlot<Element>: SubscriptionNode {
    // The neighbours, and whether it has any; guarded as the list is.
    var following: SubscriberSlot<Element>?
    unowned var preceding: SubscriberSlot<Element>?
    var isListed = false
    /// It is the so-many-th subscriber; written before it is in the list.
    var number = 0

    private let sink: Sink<Element>
    private weak var core: SubjectCore<Element>?
    /// Guarded by the lock of the core. Only while the node is held.
    private var backlog: Backlog<Element>?

    init(of core: SubjectCore<Element>, to sink: Sink<Element>) {
        self.core = core
        self.sink = sink
    }

    /// A live element. The core sends one at a time.
    @inline(__always)
    func next(_ value: Element) {
        if deliversAtOnce { sink.next(value) } else if isLive { wait(with: value) }
    }

    /// An element of the past, sent before the slot is let go.
    func past(_ value: Element) {
        if isLive { sink.next(value) }
    }

    func error(_ error: any Error) { last { slot in if slot.markStopped() { slot.sink.error(error) } } }

    func completed() { last { slot in if slot.markStopped() { slot.sink.completed() } } }

    /// A live event that waits if the slot is held back.
    private func last(_ event: @escaping (SubscriberSlot<Element>) -> Void) {
        if deliversAtOnce || !postpone(event) { event(self) }
    }

    // Apart, so that the usual way does not pay for the metadata of the closure.
    @inline(never)
    private func wait(with value: Element) {
        if !postpone({ slot in slot.past(value) }) { past(value) }
    }

    override func dispose() {
        if markDisposed() { core?.subscriberLeft(self) }
    }

    /// Leaves the list of the core. Inside its drain.
    func removeFromList() { core?.forget(self) }

    /// The subject is gone: the sink and its place let go of each other, so that both can go too, as in RxSwift.
    func detachSink() { sink.detach() }
}

/// Live events that wait until a new subscriber has got the past.
private final class Backlog<Element> {
    let thread = pthread_self()
    var events: [(SubscriberSlot<Element>) -> Void] = []
}

extension SubscriberSlot {
    /// Makes live events of other threads wait; nobody else knows the slot yet. An event that the subscriber itself
    /// causes goes through at once, as everywhere.
    func holdLiveEvents() {
        backlog = Backlog()
        setHeld(true)
    }

    /// Sends what waited, in order, and lets later events pass.
    func deliverBacklog(_ core: SubjectCore<Element>) {
        while true {
            let events = core.locked { () -> [(SubscriberSlot<Element>) -> Void] in
                guard let waiting = backlog?.events, !waiting.isEmpty else {
                    backlog = nil
                    setHeld(false)
                    return []
                }
                backlog?.events = []
                return waiting
            }
            if events.isEmpty { return }
            for event in events { event(self) }
        }
    }

    /// Leaves the event to whoever holds the slot back; false if it may pass at once.
    private func postpone(_ event: @escaping (SubscriberSlot<Element>) -> Void) -> Bool {
        guard let core else { return false }
        return core.locked {
            guard let backlog, backlog.thread != pthread_self() else { return false }
            backlog.events.append(event)
            return true
        }
    }
}
