import Synchronization

/// What all subjects, and shared streams, are made of: a list of subscribers, and how the stream ended.
///
/// Events pass a gate, so calls from several threads are delivered one at a time, and an event sent from inside an
/// event is delivered at once. Subscribers who come during an event do not get that one.
///
/// The list is linked through the slots and walked inside the gate without a lock, an array or metadata. Newcomers wait
/// in a second list under the lock until the next event; who left is unlinked when nobody walks.
class SubjectCore<Element>: Source<Element> {
    final let gate = Gate()

    // Guarded by the gate.
    private final var first: Slot<Element>?
    private final var last: Slot<Element>?
    private final var newest = 0
    private final var walks = 0
    private final var gone = 0

    private let hasNew = Atomic<Bool>(false)
    // Guarded by the lock, as is what subclasses remember. Nothing is called out to under it.
    private let lock = Lock()
    private final var firstNew: Slot<Element>?
    private final var lastNew: Slot<Element>?
    private final var count = 0
    private final var admitted = 0
    private final var ending: Ending?

    private enum Ending {
        case completed
        case failed(any Error)
        case disposed
    }

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

    /// Keeps what later subscribers need. Called under the lock.
    func remember(_ value: Element) {}

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

    deinit {
        absorb()
        unlinkAll()
    }

    // MARK: Feeding

    final func next(_ value: Element) {
        switch gate.enter() {
        case .nested: deliver(value)
        case .first:
            deliver(value)
            gate.leave()
        case .busy: postpone(value)
        }
    }

    @inline(never)
    private final func postpone(_ value: Element) {
        let parcel = Ferry((self, value))
        gate.postpone { parcel.value.0.deliver(parcel.value.1) }
    }

    private final func deliver(_ value: Element) {
        // Without newcomers and memory there is nothing under the lock to look at: after the end the list is empty.
        if kind != .none || hasNew.load(ordering: .acquiring) {
            guard prepare(value) else { return }
        }
        // Who is subscribed by the event itself comes after `newest`, and nobody is unlinked while somebody walks. Written
        // so that each slot is retained once: other forms of this loop cost up to 50 instructions a subscriber more.
        guard let start = first else { return }
        let newest = newest
        walks += 1
        start.next(value)
        var slot = start
        while let following = slot.following, following.number <= newest {
            following.next(value)
            slot = following
        }
        walks -= 1
        if gone > 0 { sweep() }
    }

    /// Takes in the newcomers and remembers the element; false when it is not to be sent.
    private final func prepare(_ value: Element) -> Bool {
        var passes = false
        lock.withLock {
            passes = ending == nil
            if passes {
                if kind != .none { remember(value) }
                if firstNew != nil {
                    absorb()
                    hasNew.store(false, ordering: .releasing)
                }
            }
        }
        return passes && kind != .silent
    }

    final func error(_ error: any Error) {
        gate.pass(self) { core in core.end(.failed(error), words: []) { $0.error(error) } }
    }

    final func completed() {
        gate.pass(self) { core in
            core.end(.completed, words: core.lock.withLock { core.lastWords() }) { $0.completed() }
        }
    }

    /// Lets go of all subscribers without a word; later ones get `RxError.disposed`.
    final func dispose() {
        gate.pass(self) { core in
            core.lock.withLock { core.ending = nil }
            core.end(.disposed, words: []) { _ = $0.markStopped() }
        }
    }

    private final func end(_ how: Ending, words: [Element], _ tell: (Slot<Element>) -> Void) {
        var passes = false
        lock.withLock {
            passes = ending == nil
            if passes {
                ending = how
                count = 0
                absorb()
            }
        }
        guard passes else { return }
        walks += 1
        var slot = first
        while let current = slot {
            for word in words { current.next(word) }
            tell(current)
            slot = current.following
        }
        walks -= 1
        gone = .max
        sweep()
    }

    // MARK: Subscribing

    override func connect(_ sink: Sink<Element>) { run(sink) }

    final override func run(_ sink: Sink<Element>) { _ = admit(sink) }

    /// Subscribes the sink; false when the stream is over and takes no late subscribers.
    final func admit(_ sink: Sink<Element>) -> Bool {
        let slot = Slot(of: self, to: sink)
        if kind == .replayed { return admitWithPast(slot, sink) }
        var late: Ending?
        lock.withLock {
            late = ending
            if late == nil { enlist(slot) }
        }
        if late != nil, refusesLate { return false }
        sink.attach(slot)
        if let late { tellLate(slot, late, past: lock.withLock { memory(ended: true) }) }
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
        let admitted = late == nil || !refusesLate
        if admitted {
            sink.attach(slot)
            tellLate(slot, late, past: past)
        }
        slot.letGo(self)
        return admitted
    }

    private final func tellLate(_ slot: Slot<Element>, _ late: Ending?, past: [Element]) {
        for value in past { slot.past(value) }
        switch late {
        case nil: break
        case .completed: slot.completed()
        case .failed(let error): slot.error(error)
        case .disposed: slot.error(RxError.disposed(object: "subject"))
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

    /// Takes the newcomers into the list; inside the gate and under the lock.
    private final func absorb() {
        guard let newcomer = firstNew else { return }
        if let last { last.following = newcomer } else { first = newcomer }
        last = lastNew
        newest = admitted
        firstNew = nil
        lastNew = nil
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
        gate.pass(self) { core in
            core.gone = core.gone == .max ? .max : core.gone + 1
            core.sweep()
        }
        if isLast { emptied() }
    }

    /// Unlinks who left, unless somebody walks. Links are cut one by one: a long chain must not be freed recursively.
    private final func sweep() {
        guard walks == 0 else { return }
        lock.withLock { absorb() }
        var before: Slot<Element>?
        var slot = first
        while gone > 0, let current = slot {
            slot = current.following
            if current.isLive {
                before = current
                continue
            }
            if gone != .max { gone -= 1 }
            current.following = nil
            if let before { before.following = slot } else { first = slot }
            if slot == nil { last = before }
        }
        gone = 0
    }

    private final func unlinkAll() {
        while let current = first {
            first = current.following
            current.following = nil
            current.abandon()
        }
        last = nil
    }
}
