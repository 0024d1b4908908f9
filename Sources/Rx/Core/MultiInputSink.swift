/// The middle of an operator with several sources: its inputs share one drain, so what it keeps needs no other guard.
class MultiInputSink<Output>: SubscriptionNode {
    final let downstream: Sink<Output>
    final let drain = SerialDrain()
    final let inputs = CompositeTeardown()

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
    final func subscribe<Input>(to source: Source<Input>, with input: Sink<Input>) {
        inputs.add(input)
        source.connect(input)
    }

    /// Ends every input and tells the subscriber nothing, now or later.
    ///
    /// The subscriber forgets the sink: it would otherwise keep the sink and the sink it, without an end.
    final func disposeSilently() {
        dispose()
        downstream.detach()
    }

    /// Ends one input before the others.
    final func removeInput(_ input: SubscriptionNode) {
        inputs.remove(input)
        input.dispose()
    }
}

/// One input of a sink, told by closures that are made once a subscription.
///
/// When its source ends it leaves the sink, also if the sink goes on: nothing keeps the source until the end of the whole.
final class ClosureInput<Element>: SerialSink<Element> {
    private let inputs: CompositeTeardown
    private let failed: (any Error) -> Void
    // The closures hold the sink and the sink holds its inputs; `CompositeTeardown` lets go of them on dispose.
    private let onNext: (Element) -> Void
    private let onCompleted: () -> Void

    /// `group` holds the input if it is not the sink's own.
    init<Output>(
        of sink: MultiInputSink<Output>, in group: CompositeTeardown? = nil, onNext: @escaping (Element) -> Void,
        onCompleted: @escaping () -> Void, onError: ((any Error) -> Void)? = nil
    ) {
        self.onNext = onNext
        self.onCompleted = onCompleted
        inputs = group ?? sink.inputs
        failed = onError ?? { sink.fail($0) }
        super.init(sink.drain)
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
