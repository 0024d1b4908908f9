#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One subscriber of a subject: an entry of its `SubscriberList`.
final class SubscriberSlot<Element>: SubscriptionNode {
    // The neighbours in the list, and whether the slot is in the list. The drain of the subject guards them; until the
    // slot is in the list, the lock does.
    var following: SubscriberSlot<Element>?
    //
    // Memory safety: `preceding` is read only while both slots are in the list, so the list retains it.
    unowned(unsafe) var preceding: SubscriberSlot<Element>?
    var isListed = false
    /// The number of the subscriber, counted from 1. Written before the slot is in the list.
    var number = 0

    private let sink: Sink<Element>
    private weak var core: SubjectCore<Element>?
    /// The events that wait while the slot is held. Guarded by the lock of the core.
    private var backlog: Backlog<Element>?

    required init(of core: SubjectCore<Element>, to sink: Sink<Element>) {
        self.core = core
        self.sink = sink
    }

    /// Forwards a live element, or stores it while the slot is held.
    ///
    /// The core sends one element at a time.
    @inline(__always)
    func next(_ value: Element) {
        if deliversAtOnce { sink.next(value) } else { wait(with: value) }
    }

    /// Forwards a stored or postponed element at once, even while the slot is held.
    func past(_ value: Element) {
        if isLive { sink.next(value) }
    }

    func error(_ error: any Error) { last { slot in if slot.markStopped() { slot.sink.error(error) } } }

    func completed() { last { slot in if slot.markStopped() { slot.sink.completed() } } }

    /// Forwards the end of the stream, or postpones it while the slot is held.
    private func last(_ event: @escaping (SubscriberSlot<Element>) -> Void) {
        if deliversAtOnce || !postpone(event) { event(self) }
    }

    // A separate function, so that `next` looks up the metadata of the closure only while the slot is held.
    @inline(never)
    private func wait(with value: Element) {
        if isLive, !postpone({ slot in slot.past(value) }) { past(value) }
    }

    override func dispose() {
        if markDisposed() { core?.subscriberLeft(self) }
    }

    /// Removes the slot from the core's list. Call it inside the drain.
    func removeFromList() { core?.forget(self) }

    /// Detaches the sink from an ended subject, so that both can be released, as in RxSwift.
    func detachSink() { sink.detach() }
}

/// The live events that wait until a new subscriber has received the stored elements.
private final class Backlog<Element> {
    let thread = pthread_self()
    var events: [(SubscriberSlot<Element>) -> Void] = []
}

extension SubscriberSlot {
    /// Begins to hold back live events that other threads send.
    ///
    /// An event that the subscribing thread sends is delivered at once. Call this method before another thread can
    /// reach the slot.
    func holdLiveEvents() {
        backlog = Backlog()
        setHeld(true)
    }

    /// Delivers the postponed events in order, then stops holding back events.
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

    /// Stores the event if another thread holds the slot; returns false if the event may pass at once.
    private func postpone(_ event: @escaping (SubscriberSlot<Element>) -> Void) -> Bool {
        guard let core else { return false }
        return core.locked {
            guard let backlog, backlog.thread != pthread_self() else { return false }
            backlog.events.append(event)
            return true
        }
    }
}
