/// The middle of an operator with several sources: its inputs share one gate, so what it keeps needs no other guard.
class Hub<Output>: Stage {
    final let downstream: Sink<Output>
    final let gate = Gate()
    final let inputs = Group()

    init(into downstream: Sink<Output>) {
        self.downstream = downstream
        super.init()
        attach(inputs)
        downstream.attach(self)
    }

    /// Sends an element on, unless the subscription was given up meanwhile.
    final func forward(_ value: Output) {
        if isLive { downstream.next(value) }
    }

    /// Sends the failure on, then ends every input.
    final func fail(_ error: any Error) {
        if isLive {
            downstream.error(error)
            dispose()
        }
    }

    /// Sends the good end on, then ends every input.
    final func finish() {
        if isLive {
            downstream.completed()
            dispose()
        }
    }

    /// Subscribes one more input for as long as the operator lives.
    final func listen<Input>(to source: Source<Input>, with input: Sink<Input>) {
        inputs.add(input)
        source.connect(input)
    }

    /// Ends every input and tells the subscriber nothing, now or later.
    ///
    /// The subscriber forgets the hub: it would otherwise keep the hub and the hub it, without an end.
    final func giveUp() {
        dispose()
        downstream.detach()
    }

    /// Ends one input before the others.
    final func drop(_ input: Stage) {
        inputs.remove(input)
        input.dispose()
    }
}

/// One input of a hub, told by closures that are made once a subscription.
///
/// When its source ends it leaves the hub, also if the hub goes on: nothing keeps the source until the end of the whole.
final class Input<Element>: SerialSink<Element> {
    private let inputs: Group
    private let failed: (any Error) -> Void
    // The closures hold the hub and the hub holds its inputs; `Group` lets go of them on dispose.
    private let onNext: (Element) -> Void
    private let onCompleted: () -> Void

    /// `group` holds the input if it is not the hub's own.
    init<Output>(
        of hub: Hub<Output>, in group: Group? = nil, onNext: @escaping (Element) -> Void,
        onCompleted: @escaping () -> Void, onError: ((any Error) -> Void)? = nil
    ) {
        self.onNext = onNext
        self.onCompleted = onCompleted
        inputs = group ?? hub.inputs
        failed = onError ?? { hub.fail($0) }
        super.init(hub.gate)
    }

    override func receive(_ value: Element) { if isLive { onNext(value) } }

    override func receiveError(_ error: any Error) {
        guard markStopped() else { return }
        failed(error)
        leave()
    }

    override func receiveCompleted() {
        guard markStopped() else { return }
        // What follows is subscribed to before this one is disposed of, as in RxSwift.
        onCompleted()
        leave()
    }

    private func leave() {
        inputs.remove(self)
        dispose()
    }
}
