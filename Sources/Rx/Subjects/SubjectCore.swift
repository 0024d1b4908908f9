/// What all subjects, and shared streams, are made of: a list of subscribers, and how the stream ended.
///
/// Events pass a gate, so calls from several threads are delivered one at a time, and an event sent from inside an
/// event is delivered at once. Subscribers who come during an event do not get that one.
class SubjectCore<Element>: Source<Element> {
    final let gate = Gate()
    // `lock` guards the list, the end and what subclasses remember. Nothing is called out to under it.
    private let lock = Lock()
    private final var slots: [Slot<Element>] = []
    private final var ending: Ending?

    private enum Ending {
        case completed
        case failed(any Error)
        case disposed
    }

    /// Whether a subscriber is brought up to date before live events reach it.
    var replays: Bool { false }

    /// Keeps what later subscribers need. Called under the lock.
    func remember(_ value: Element) {}

    /// What a new subscriber gets first. Called under the lock; `ended` says whether the stream is over.
    func memory(ended: Bool) -> [Element] { [] }

    /// Whether live elements are only remembered.
    var isSilent: Bool { false }

    /// Whether the stream takes no subscriber after its end, and ends when the last one goes: a shared stream.
    var refusesLate: Bool { false }

    /// The last subscriber went.
    func emptied() {}

    /// Runs under the lock, for subclasses that show what they remember.
    final func locked<Result>(_ body: () -> Result) -> Result { lock.withLock { body() } }

    final var hasSlots: Bool { lock.withLock { !slots.isEmpty } }
    final var hasEnded: Bool { lock.withLock { ending != nil } }

    final var isDisposed: Bool {
        lock.withLock { if case .disposed = ending { true } else { false } }
    }

    /// The error that ended the stream. To be read under the lock.
    final var failure: (any Error)? {
        if case .failed(let error) = ending { error } else { nil }
    }

    // MARK: Feeding

    final func next(_ value: Element) {
        switch gate.enter() {
        case .nested: deliver(value)
        case .first:
            deliver(value)
            gate.leave()
        case .busy:
            let parcel = Ferry((self, value))
            gate.postpone { parcel.value.0.deliver(parcel.value.1) }
        }
    }

    final func error(_ error: any Error) {
        gate.pass(self) { core in core.end(.failed(error)).forEach { $0.error(error) } }
    }

    final func completed() {
        gate.pass(self) { core in core.finish() }
    }

    private func deliver(_ value: Element) {
        let present = lock.withLock { () -> [Slot<Element>] in
            if ending != nil { return [] }
            remember(value)
            return isSilent ? [] : slots
        }
        for slot in present { slot.next(value) }
    }

    /// What subscribers get at the end besides the end itself: `AsyncSubject` has its element here.
    func lastWords() -> [Element] { [] }

    private func finish() {
        let words = lock.withLock { ending == nil ? lastWords() : [] }
        for slot in end(.completed) {
            for word in words { slot.next(word) }
            slot.completed()
        }
    }

    private func end(_ how: Ending) -> [Slot<Element>] {
        lock.withLock {
            guard ending == nil else { return [] }
            ending = how
            defer { slots = [] }
            return slots
        }
    }

    /// Lets go of all subscribers without a word; later ones get `RxError.disposed`.
    final func dispose() {
        let gone = lock.withLock { () -> [Slot<Element>] in
            ending = .disposed
            defer { slots = [] }
            return slots
        }
        _ = gone
    }

    // MARK: Subscribing

    override func connect(_ sink: Sink<Element>) { run(sink) }

    final override func run(_ sink: Sink<Element>) { _ = admit(sink) }

    /// Subscribes the sink; false when the stream is over and takes no late subscribers.
    final func admit(_ sink: Sink<Element>) -> Bool {
        let slot = Slot(of: self, to: sink, replays: replays)
        let entered = slot.holdBack()
        var last: Ending?
        let past = lock.withLock { () -> [Element] in
            last = ending
            if ending == nil { slots.append(slot) } else if refusesLate { return [] }
            return memory(ended: ending != nil)
        }
        if last != nil, refusesLate {
            if entered { slot.letGo() }
            return false
        }
        sink.attach(slot)
        for value in past { slot.now(value) }
        switch last {
        case nil: break
        case .completed: sink.completed()
        case .failed(let error): sink.error(error)
        case .disposed: sink.error(RxError.disposed(object: "subject"))
        }
        if entered { slot.letGo() }
        return true
    }

    fileprivate func remove(_ slot: Slot<Element>) {
        let isLast = lock.withLock { () -> Bool in
            guard let index = slots.firstIndex(where: { $0 === slot }) else { return false }
            slots.remove(at: index)
            if slots.isEmpty, refusesLate { ending = .disposed }
            return slots.isEmpty
        }
        if isLast { emptied() }
    }
}

/// The place of one subscriber in the list.
final class Slot<Element>: Stage {
    private let sink: Sink<Element>
    private weak var core: SubjectCore<Element>?
    // While a new subscriber gets the past, live events of other threads wait here.
    private let gate: Gate?

    init(of core: SubjectCore<Element>, to sink: Sink<Element>, replays: Bool) {
        self.core = core
        self.sink = sink
        gate = replays ? Gate() : nil
    }

    func holdBack() -> Bool {
        guard let gate else { return false }
        return gate.enter() == .first
    }

    func letGo() { gate?.leave() }

    /// An element of the past, or a live one that may pass.
    func now(_ value: Element) {
        if isLive { sink.next(value) }
    }

    func next(_ value: Element) {
        guard let gate else { return now(value) }
        switch gate.enter() {
        case .nested: now(value)
        case .first:
            now(value)
            gate.leave()
        case .busy:
            let parcel = Ferry((self, value))
            gate.postpone { parcel.value.0.now(parcel.value.1) }
        }
    }

    func error(_ error: any Error) {
        guard let gate else { return sink.error(error) }
        gate.pass(self) { $0.sink.error(error) }
    }

    func completed() {
        guard let gate else { return sink.completed() }
        gate.pass(self) { $0.sink.completed() }
    }

    override func dispose() {
        if markDisposed() { core?.remove(self) }
    }
}
