import Synchronization

/// How a subject ended.
enum Ending {
    case completed
    case failed(any Error)
    case disposed
}

/// What all subjects, and shared streams, are made of: a list of subscribers, what they get first, and how it ended.
///
/// What a subject is told counts at once, under the lock. It is delivered inside the drain: calls from several threads
/// one at a time and in the order in which they counted, an event sent from inside an event at once. Who subscribes
/// during an event does not get that one.
class SubjectCore<Element>: Source<Element> {
    private let drain = SerialDrain()
    // Guarded by the drain.
    private let list = SubscriberList<Element>()

    private let hasNew = Atomic<Bool>(false)
    // Guarded by the lock, as is what subclasses remember. Nothing is called out to, or let go of, under it.
    private let lock = Lock()
    private final var firstNew: SubscriberSlot<Element>?
    private final var lastNew: SubscriberSlot<Element>?
    private final var count = 0
    private final var admitted = 0
    private final var ending: Ending?

    /// What a subject does with its elements besides sending them to who is there.
    enum Retention {
        /// Nothing: subscribers get what comes.
        case none
        /// It remembers them, and brings a subscriber up to date before live events reach it.
        case replayed
        /// It only remembers them, until the end.
        case silent
    }

    private final let kind: Retention

    init(_ kind: Retention = .none) { self.kind = kind }

    /// Whether the stream takes no subscriber after its end, and ends when the last one goes: a shared stream.
    var rejectsLateSubscribers: Bool { false }

    /// Keeps what later subscribers need. Called under the lock, so an element that it no longer needs goes into
    /// `value`: the caller lets go of it later.
    func retain(_ value: inout Element) {}

    /// What a new subscriber gets first. Called under the lock; `ended` says whether the stream is over.
    func replayedElements(afterEnd ended: Bool) -> [Element] { [] }

    /// What subscribers get at the good end before it. Called under the lock.
    func finalElements() -> [Element] { [] }

    /// The last subscriber went.
    func lastSubscriberLeft() {}

    /// Runs under the lock, for subclasses that show what they remember.
    final func locked<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }

    final var hasSubscribers: Bool { lock.withLock { count > 0 } }
    final var hasEnded: Bool { lock.withLock { ending != nil } }
    final var isDisposed: Bool { lock.withLock { if case .disposed = ending { true } else { false } } }

    /// The error that ended the stream. To be read under the lock.
    final var failure: (any Error)? {
        if case .failed(let error) = ending { error } else { nil }
    }

    // Nobody sends any more: what stands behind the places goes with them, as in RxSwift.
    deinit {
        linkNewSubscribers()
        list.empty { $0.detachSink() }
    }

    // MARK: Feeding

    final func next(_ value: Element) {
        if kind != .none { return nextRetained(value) }
        // Without memory there is nothing under the lock to look at: after the end the list is empty.
        switch drain.enter() {
        case .nested: send(value, upTo: .max)
        case .first:
            send(value, upTo: .max)
            drain.leave()
        case .busy: postpone(value)
        }
    }

    @inline(never)
    private final func postpone(_ value: Element) {
        let transfer = UncheckedTransfer((self, value))
        drain.enqueueAndRun { transfer.value.0.send(transfer.value.1, upTo: .max) }
    }

    /// The lock covers both memory and the entry into the drain: elements are remembered in the order of their delivery,
    /// and whoever subscribes gets each of them once, from memory or live.
    private final func nextRetained(_ value: Element) {
        var kept = value
        var entry = SerialDrain.Entry.busy
        var limit = 0
        let passes = lock.withLock { () -> Bool in
            guard ending == nil else { return false }
            retain(&kept)
            if kind == .silent { return false }
            limit = admitted
            entry = drain.enter()
            if entry == .busy { enqueueAtDrain(value, limit) }
            return true
        }
        guard passes else { return }
        switch entry {
        case .nested: send(value, upTo: limit)
        case .first:
            send(value, upTo: limit)
            drain.leave()
        case .busy: drain.runQueued()
        }
    }

    @inline(never)
    private final func enqueueAtDrain(_ value: Element, _ limit: Int) {
        let transfer = UncheckedTransfer((self, value))
        drain.enqueue { transfer.value.0.send(transfer.value.1, upTo: limit) }
    }

    @inline(__always)
    private final func send(_ value: Element, upTo limit: Int) {
        if hasNew.load(ordering: .acquiring) { linkNewSubscribers() }
        list.send(value, upTo: limit)
    }

    final func error(_ error: any Error) { end(.failed(error)) }

    final func completed() { end(.completed) }

    /// Lets go of all subscribers without a word; later ones get `RxError.disposed`.
    final func dispose() { end(.disposed) }

    private final func end(_ how: Ending) {
        var entry = SerialDrain.Entry.busy
        var words: [Element] = []
        // Let go of outside the lock, as an error may have a deinitializer.
        var before: Ending?
        let passes = lock.withLock { () -> Bool in
            before = ending
            if case .disposed = how {} else if ending != nil { return false }
            ending = how
            count = 0
            if case .completed = how { words = finalElements() }
            entry = drain.enter()
            if entry == .busy {
                let transfer = UncheckedTransfer((self, words))
                drain.enqueue { transfer.value.0.deliverEnd(how, after: transfer.value.1) }
            }
            return true
        }
        _ = before
        guard passes else { return }
        switch entry {
        case .nested: deliverEnd(how, after: words)
        case .first:
            deliverEnd(how, after: words)
            drain.leave()
        case .busy: drain.runQueued()
        }
    }

    private final func deliverEnd(_ how: Ending, after words: [Element]) {
        linkNewSubscribers()
        list.empty { slot in
            for word in words { slot.next(word) }
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

    /// Subscribes the sink; false when the stream is over and takes no late subscribers.
    final func admit(_ sink: Sink<Element>) -> Bool {
        let slot = SubscriberSlot(of: self, to: sink)
        if kind == .replayed { return admitWithReplay(slot, sink) }
        var late: Ending?
        var past: [Element] = []
        lock.withLock {
            late = ending
            if late == nil { addNewSubscriber(slot) } else { past = replayedElements(afterEnd: true) }
        }
        if late != nil, rejectsLateSubscribers { return false }
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
        hasNew.store(true, ordering: .releasing)
    }

    /// Takes the newcomers into the list. Inside the drain.
    @inline(never)
    private final func linkNewSubscribers() {
        lock.withLock {
            if let start = firstNew, let end = lastNew { list.append(from: start, to: end, newest: admitted) }
            firstNew = nil
            lastNew = nil
            hasNew.store(false, ordering: .releasing)
        }
    }

    // MARK: Leaving

    final func subscriberLeft(_ slot: SubscriberSlot<Element>) {
        var isLast = false
        lock.withLock {
            guard ending == nil else { return }
            count -= 1
            isLast = count == 0
            if isLast, rejectsLateSubscribers { ending = .disposed }
        }
        drain.perform(on: slot) { $0.removeFromList() }
        if isLast { lastSubscriberLeft() }
    }

    /// Forgets a subscriber who left. Inside the drain.
    final func forget(_ slot: SubscriberSlot<Element>) {
        if hasNew.load(ordering: .acquiring) { linkNewSubscribers() }
        list.remove(slot)
    }
}
