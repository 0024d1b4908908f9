import Synchronization

/// How a subject ended.
enum Ending {
    case completed
    case failed(any Error)
    case disposed
}

/// The core of all subjects and shared streams: the subscribers, the stored elements and the end.
///
/// When an event is sent, the stored elements and the end change under the lock. The event is delivered inside the
/// drain. Events of several threads are delivered one after another, in the order in which they changed the state. An
/// event that a subscriber sends during a delivery is delivered at once. A subscriber that is added during an event
/// does not receive that event.
class SubjectCore<Element>: Source<Element> {
    private let drain = SerialDrain()
    // Used inside `drain` only.
    private let list = SubscriberList<Element>()

    private let hasNewSubscribers = Atomic<Bool>(false)
    // `lock` guards the next five fields and all stored elements. Under it, no user code runs and no element is
    // released.
    private let lock = Lock()
    private final var firstNew: SubscriberSlot<Element>?
    private final var lastNew: SubscriberSlot<Element>?
    private final var count = 0
    private final var admitted = 0
    private final var ending: Ending?

    /// Whether a subject stores its elements, and whether it sends them at once.
    enum Retention {
        /// The subject stores no elements and sends each element at once.
        case none
        /// The subject stores elements and sends each at once. A new subscriber first gets the stored elements.
        case replayed
        /// The subject stores elements and sends none of them before the end.
        case silent
    }

    private final let kind: Retention
    /// The last element, in a core that stores only this one.
    final let latest: Box<Element>?
    // Stored, because in generic code each `SubscriberSlot(…)` would look up the type in the run-time metadata.
    private final let slotType: SubscriberSlot<Element>.Type = SubscriberSlot<Element>.self

    /// Creates a core. `latest` is the storage of the last element, in a core that stores only this one.
    init(_ kind: Retention = .none, latest: Box<Element>? = nil) {
        self.kind = kind
        self.latest = latest
    }

    /// Whether the core ends with its last subscriber and rejects subscribers after any end, as in `share`.
    var rejectsLateSubscribers: Bool { false }

    /// Stores the element in a core that stores several. Called under the lock.
    ///
    /// An element that is no longer stored is returned in `value`, so that the caller releases it outside the lock.
    func retain(_ value: inout Element) {}

    /// Returns the elements that a new subscriber receives first. Called under the lock.
    func replayedElements(afterEnd ended: Bool) -> [Element] { [] }

    /// Returns the elements that subscribers receive just before completion. Called under the lock.
    func finalElements() -> [Element] { [] }

    /// Called after the last subscriber was removed.
    func lastSubscriberLeft() {}

    /// Calls the closure under the lock.
    final func locked<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }

    final var hasSubscribers: Bool { lock.withLock { count > 0 } }
    final var hasEnded: Bool { lock.withLock { ending != nil } }
    final var isDisposed: Bool { lock.withLock { if case .disposed = ending { true } else { false } } }

    /// The error that ended the stream. Read it under the lock.
    final var failure: (any Error)? {
        if case .failed(let error) = ending { error } else { nil }
    }

    // A released subject can send no event, so its sinks are detached and released, as in RxSwift.
    deinit {
        linkNewSubscribers()
        list.removeAll { $0.detachSink() }
    }

    // MARK: Sending

    final func next(_ value: Element) {
        // Both calls are the last instruction and are not inlined, so that the choice costs few instructions.
        if kind == .none { nextUnretained(value) } else { nextRetained(value) }
    }

    /// Sends an element without storing it. Only for a core that stores no elements.
    @inline(never)
    final func nextUnretained(_ value: Element) {
        // No lock is needed here: after the end the list is empty, so nothing is sent.
        let entry = drain.enter()
        if entry == .busy { return postpone(value) }
        send(value, upTo: .max)
        if entry == .first { drain.leave() }
    }

    @inline(never)
    private final func postpone(_ value: Element) {
        let transfer = UncheckedTransfer((self, value))
        drain.enqueueAndRun { transfer.value.0.send(transfer.value.1, upTo: .max) }
    }

    /// Stores an element and enters the drain while it holds the lock.
    ///
    /// Therefore elements are stored in the order of delivery, and a subscriber receives each element once, either
    /// stored or live.
    @inline(never)
    private final func nextRetained(_ value: Element) {
        // After the exchange, an element that is no longer stored, which is released outside the lock.
        var kept = value
        var limit = 0
        // Nil if the element is not sent.
        var entry: SerialDrain.Admission?
        // A function instead of a closure, because a closure of this size would not be inlined.
        @inline(__always)
        func storeAndEnter(_ kept: inout Element) {
            guard ending == nil else { return }
            if !Box.exchange(&kept, in: latest) { retain(&kept) }
            if kind == .silent { return }
            limit = admitted
            let admission = drain.enter()
            if admission == .busy { enqueueAtDrain(value, limit) }
            entry = admission
        }
        lock.withLock(&kept, storeAndEnter)
        guard let entry else { return }
        if entry == .busy { return drain.runQueued() }
        send(value, upTo: limit)
        if entry == .first { drain.leave() }
    }

    @inline(never)
    private final func enqueueAtDrain(_ value: Element, _ limit: Int) {
        let transfer = UncheckedTransfer((self, value))
        drain.enqueue { transfer.value.0.send(transfer.value.1, upTo: limit) }
    }

    @inline(__always)
    private final func send(_ value: Element, upTo limit: Int) {
        if hasNewSubscribers.load(ordering: .acquiring) { linkNewSubscribers() }
        list.send(value, upTo: limit)
    }

    final func error(_ error: any Error) { end(.failed(error)) }

    final func completed() { end(.completed) }

    /// Removes all subscribers without sending an event. Later subscribers receive `RxError.disposed`.
    final func dispose() { end(.disposed) }

    private final func end(_ how: Ending) {
        var entry = SerialDrain.Admission.busy
        var lastElements: [Element] = []
        // Keeps the previous ending until the lock is released, because the deinitializer of its error may run user
        // code.
        var before: Ending?
        let passes = lock.withLock { () -> Bool in
            before = ending
            if case .disposed = how {} else if ending != nil { return false }
            ending = how
            count = 0
            if case .completed = how { lastElements = finalElements() }
            entry = drain.enter()
            if entry == .busy {
                let transfer = UncheckedTransfer((self, lastElements))
                drain.enqueue { transfer.value.0.deliverEnd(how, after: transfer.value.1) }
            }
            return true
        }
        _ = before
        guard passes else { return }
        switch entry {
        case .nested: deliverEnd(how, after: lastElements)
        case .first:
            deliverEnd(how, after: lastElements)
            drain.leave()
        case .busy: drain.runQueued()
        }
    }

    private final func deliverEnd(_ how: Ending, after lastElements: [Element]) {
        linkNewSubscribers()
        list.removeAll { slot in
            for element in lastElements { slot.next(element) }
            switch how {
            case .completed: slot.completed()
            case .failed(let error): slot.error(error)
            case .disposed: if slot.markStopped() { slot.detachSink() }
            }
        }
    }

    // MARK: Subscribing

    override func connect(_ sink: Sink<Element>) { run(sink) }

    final override func run(_ sink: Sink<Element>) { _ = admit(sink) }

    /// Subscribes the sink; returns false if the stream has ended and rejects late subscribers.
    final func admit(_ sink: Sink<Element>) -> Bool {
        let slot = slotType.init(of: self, to: sink)
        if kind == .replayed { return admitWithReplay(slot, sink) }
        let isLate = lock.withLock { () -> Bool in
            if ending != nil { return true }
            addNewSubscriber(slot)
            return false
        }
        if isLate { return admitLate(slot, sink) }
        sink.attach(slot)
        return true
    }

    /// Sends the end, and what precedes it, to a subscriber that came after the end.
    @inline(never)
    private final func admitLate(_ slot: SubscriberSlot<Element>, _ sink: Sink<Element>) -> Bool {
        if rejectsLateSubscribers { return false }
        var late: Ending?
        var past: [Element] = []
        lock.withLock {
            late = ending
            past = replayedElements(afterEnd: true)
        }
        sink.attach(slot)
        deliverPast(slot, late, past: past)
        return true
    }

    @inline(never)
    private final func admitWithReplay(_ slot: SubscriberSlot<Element>, _ sink: Sink<Element>) -> Bool {
        slot.holdLiveEvents()
        var late: Ending?
        var past: [Element] = []
        lock.withLock {
            late = ending
            if late == nil { addNewSubscriber(slot) }
            past = replayedElements(afterEnd: late != nil)
        }
        let isAdmitted = late == nil || !rejectsLateSubscribers
        if isAdmitted {
            sink.attach(slot)
            deliverPast(slot, late, past: past)
        }
        slot.deliverBacklog(self)
        return isAdmitted
    }

    private final func deliverPast(_ slot: SubscriberSlot<Element>, _ late: Ending?, past: [Element]) {
        if case .disposed = late { return slot.error(RxError.disposed(object: "subject")) }
        for value in past { slot.past(value) }
        switch late {
        case .completed: slot.completed()
        case .failed(let error): slot.error(error)
        case nil, .disposed: break
        }
    }

    private final func addNewSubscriber(_ slot: SubscriberSlot<Element>) {
        count += 1
        admitted += 1
        slot.number = admitted
        if let lastNew { lastNew.following = slot } else { firstNew = slot }
        lastNew = slot
        hasNewSubscribers.store(true, ordering: .releasing)
    }

    /// Appends new subscribers to the list. Call it inside the drain.
    @inline(never)
    private final func linkNewSubscribers() {
        lock.withLock {
            if let start = firstNew, let end = lastNew { list.append(from: start, to: end, newest: admitted) }
            firstNew = nil
            lastNew = nil
            hasNewSubscribers.store(false, ordering: .releasing)
        }
    }

    // MARK: Unsubscribing

    final func subscriberLeft(_ slot: SubscriberSlot<Element>) {
        var isLast = false
        lock.withLock {
            guard ending == nil else { return }
            count -= 1
            isLast = count == 0
            if isLast, rejectsLateSubscribers { ending = .disposed }
        }
        switch drain.enter() {
        case .nested: forget(slot)
        case .first:
            forget(slot)
            drain.leave()
        case .busy: forgetLater(slot)
        }
        if isLast { lastSubscriberLeft() }
    }

    // A separate function, because `perform` looks up the metadata of the slot.
    @inline(never)
    private final func forgetLater(_ slot: SubscriberSlot<Element>) {
        drain.perform(on: slot) { $0.removeFromList() }
    }

    /// Removes a disposed subscriber from the list. Call it inside the drain.
    final func forget(_ slot: SubscriberSlot<Element>) {
        if hasNewSubscribers.load(ordering: .acquiring) { linkNewSubscribers() }
        list.remove(slot)
    }
}
