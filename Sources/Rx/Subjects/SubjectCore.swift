import Synchronization

/// How a subject ended.
enum Ending {
    case completed
    case failed(any Error)
    case disposed
}

/// What all subjects, and shared streams, are made of: a list of subscribers, what they get first, and how it ended.
///
/// What a subject is told counts at once, under the lock. It is delivered inside the gate: calls from several threads
/// one at a time and in the order in which they counted, an event sent from inside an event at once. Who subscribes
/// during an event does not get that one.
class SubjectCore<Element>: Source<Element> {
    private let gate = Gate()
    // Guarded by the gate.
    private let list = SlotList<Element>()

    private let hasNew = Atomic<Bool>(false)
    // Guarded by the lock, as is what subclasses remember. Nothing is called out to, or let go of, under it.
    private let lock = Lock()
    private final var firstNew: Slot<Element>?
    private final var lastNew: Slot<Element>?
    private final var count = 0
    private final var admitted = 0
    private final var ending: Ending?

    /// What a subject does with its elements besides sending them to who is there.
    enum Memory {
        /// Nothing: subscribers get what comes.
        case none
        /// It remembers them, and brings a subscriber up to date before live events reach it.
        case replayed
        /// It only remembers them, until the end.
        case silent
    }

    private final let kind: Memory

    init(_ kind: Memory = .none) { self.kind = kind }

    /// Whether the stream takes no subscriber after its end, and ends when the last one goes: a shared stream.
    var refusesLate: Bool { false }

    /// Keeps what later subscribers need. Called under the lock, so an element that it no longer needs goes into
    /// `value`: the caller lets go of it later.
    func remember(_ value: inout Element) {}

    /// What a new subscriber gets first. Called under the lock; `ended` says whether the stream is over.
    func memory(ended: Bool) -> [Element] { [] }

    /// What subscribers get at the good end before it. Called under the lock.
    func lastWords() -> [Element] { [] }

    /// The last subscriber went.
    func emptied() {}

    /// Runs under the lock, for subclasses that show what they remember.
    final func locked<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }

    final var hasSlots: Bool { lock.withLock { count > 0 } }
    final var hasEnded: Bool { lock.withLock { ending != nil } }
    final var isDisposed: Bool { lock.withLock { if case .disposed = ending { true } else { false } } }

    /// The error that ended the stream. To be read under the lock.
    final var failure: (any Error)? {
        if case .failed(let error) = ending { error } else { nil }
    }

    // Nobody sends any more: what stands behind the places goes with them, as in RxSwift.
    deinit {
        absorb()
        list.empty { $0.abandon() }
    }

    // MARK: Feeding

    final func next(_ value: Element) {
        if kind != .none { return nextRemembered(value) }
        // Without memory there is nothing under the lock to look at: after the end the list is empty.
        switch gate.enter() {
        case .nested: send(value, upTo: .max)
        case .first:
            send(value, upTo: .max)
            gate.leave()
        case .busy: postpone(value)
        }
    }

    @inline(never)
    private final func postpone(_ value: Element) {
        let parcel = Ferry((self, value))
        gate.postpone { parcel.value.0.send(parcel.value.1, upTo: .max) }
    }

    /// The lock covers both memory and the entry into the gate: elements are remembered in the order of their delivery,
    /// and whoever subscribes gets each of them once, from memory or live.
    private final func nextRemembered(_ value: Element) {
        var kept = value
        var entry = Gate.Entry.busy
        var limit = 0
        let passes = lock.withLock { () -> Bool in
            guard ending == nil else { return false }
            remember(&kept)
            if kind == .silent { return false }
            limit = admitted
            entry = gate.enter()
            if entry == .busy { leaveAtGate(value, limit) }
            return true
        }
        guard passes else { return }
        switch entry {
        case .nested: send(value, upTo: limit)
        case .first:
            send(value, upTo: limit)
            gate.leave()
        case .busy: gate.serve()
        }
    }

    @inline(never)
    private final func leaveAtGate(_ value: Element, _ limit: Int) {
        let parcel = Ferry((self, value))
        gate.append { parcel.value.0.send(parcel.value.1, upTo: limit) }
    }

    @inline(__always)
    private final func send(_ value: Element, upTo limit: Int) {
        if hasNew.load(ordering: .acquiring) { absorb() }
        list.send(value, upTo: limit)
    }

    final func error(_ error: any Error) { end(.failed(error)) }

    final func completed() { end(.completed) }

    /// Lets go of all subscribers without a word; later ones get `RxError.disposed`.
    final func dispose() { end(.disposed) }

    private final func end(_ how: Ending) {
        var entry = Gate.Entry.busy
        var words: [Element] = []
        // Let go of outside the lock, as an error may have a deinitializer.
        var before: Ending?
        let passes = lock.withLock { () -> Bool in
            before = ending
            if case .disposed = how {} else if ending != nil { return false }
            ending = how
            count = 0
            if case .completed = how { words = lastWords() }
            entry = gate.enter()
            if entry == .busy {
                let parcel = Ferry((self, words))
                gate.append { parcel.value.0.tellEnd(how, after: parcel.value.1) }
            }
            return true
        }
        _ = before
        guard passes else { return }
        switch entry {
        case .nested: tellEnd(how, after: words)
        case .first:
            tellEnd(how, after: words)
            gate.leave()
        case .busy: gate.serve()
        }
    }

    private final func tellEnd(_ how: Ending, after words: [Element]) {
        absorb()
        list.empty { slot in
            for word in words { slot.next(word) }
            switch how {
            case .completed: slot.completed()
            case .failed(let error): slot.error(error)
            case .disposed: if slot.markStopped() { slot.abandon() }
            }
        }
    }

    // MARK: Subscribing

    override func connect(_ sink: Sink<Element>) { run(sink) }

    final override func run(_ sink: Sink<Element>) { _ = admit(sink) }

    /// Subscribes the sink; false when the stream is over and takes no late subscribers.
    final func admit(_ sink: Sink<Element>) -> Bool {
        let slot = Slot(of: self, to: sink)
        if kind == .replayed { return admitWithPast(slot, sink) }
        var late: Ending?
        var past: [Element] = []
        lock.withLock {
            late = ending
            if late == nil { enlist(slot) } else { past = memory(ended: true) }
        }
        if late != nil, refusesLate { return false }
        sink.attach(slot)
        tellLate(slot, late, past: past)
        return true
    }

    @inline(never)
    private final func admitWithPast(_ slot: Slot<Element>, _ sink: Sink<Element>) -> Bool {
        slot.holdBack()
        var late: Ending?
        var past: [Element] = []
        lock.withLock {
            late = ending
            if late == nil { enlist(slot) }
            past = memory(ended: late != nil)
        }
        let isAdmitted = late == nil || !refusesLate
        if isAdmitted {
            sink.attach(slot)
            tellLate(slot, late, past: past)
        }
        slot.letGo(self)
        return isAdmitted
    }

    private final func tellLate(_ slot: Slot<Element>, _ late: Ending?, past: [Element]) {
        if case .disposed = late { return slot.error(RxError.disposed(object: "subject")) }
        for value in past { slot.past(value) }
        switch late {
        case .completed: slot.completed()
        case .failed(let error): slot.error(error)
        case nil, .disposed: break
        }
    }

    private final func enlist(_ slot: Slot<Element>) {
        count += 1
        admitted += 1
        slot.number = admitted
        if let lastNew { lastNew.following = slot } else { firstNew = slot }
        lastNew = slot
        hasNew.store(true, ordering: .releasing)
    }

    /// Takes the newcomers into the list. Inside the gate.
    @inline(never)
    private final func absorb() {
        lock.withLock {
            if let start = firstNew, let end = lastNew { list.append(from: start, to: end, newest: admitted) }
            firstNew = nil
            lastNew = nil
            hasNew.store(false, ordering: .releasing)
        }
    }

    // MARK: Leaving

    final func left(_ slot: Slot<Element>) {
        var isLast = false
        lock.withLock {
            guard ending == nil else { return }
            count -= 1
            isLast = count == 0
            if isLast, refusesLate { ending = .disposed }
        }
        gate.pass(slot) { $0.leaveList() }
        if isLast { emptied() }
    }

    /// Forgets a subscriber who left. Inside the gate.
    final func forget(_ slot: Slot<Element>) {
        if hasNew.load(ordering: .acquiring) { absorb() }
        list.remove(slot)
    }
}
