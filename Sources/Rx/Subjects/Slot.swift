/// The place of one subscriber in the list of a subject.
final class Slot<Element>: Stage {
    /// The next place; guarded as the list is.
    var following: Slot<Element>?

    private let sink: Sink<Element>
    private weak var core: SubjectCore<Element>?
    // While a new subscriber gets the past, live events of other threads wait here.
    private let gate: Gate?

    init(of core: SubjectCore<Element>, to sink: Sink<Element>, replays: Bool) {
        self.core = core
        self.sink = sink
        gate = replays ? Gate() : nil
    }

    /// Makes live events wait; nobody else knows the slot yet.
    func holdBack() { _ = gate?.enter() }

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
        case .busy: postpone(value)
        }
    }

    @inline(never)
    private func postpone(_ value: Element) {
        let parcel = Ferry((self, value))
        gate?.postpone { parcel.value.0.now(parcel.value.1) }
    }

    func error(_ error: any Error) {
        guard let gate else { return fail(error) }
        gate.pass(self) { $0.fail(error) }
    }

    func completed() {
        guard let gate else { return finish() }
        gate.pass(self) { $0.finish() }
    }

    private func fail(_ error: any Error) {
        if markStopped() { sink.error(error) }
    }

    private func finish() {
        if markStopped() { sink.completed() }
    }

    override func dispose() {
        if markDisposed() { core?.left(self) }
    }
}
