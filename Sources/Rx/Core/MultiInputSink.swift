/// The sink of an operator with several inputs.
///
/// They share one drain, which guards the operator's state.
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

    /// Forwards an element, unless the subscription has been disposed of.
    final func forward(_ value: Output) {
        if isLive { downstream.next(value) }
    }

    /// Forwards an error, then disposes of every input.
    final func fail(_ error: any Error) {
        if isLive {
            downstream.error(error)
            dispose()
        }
    }

    /// Forwards completion, then disposes of every input.
    final func finish() {
        if isLive {
            downstream.completed()
            dispose()
        }
    }

    /// Subscribes one more input, which is disposed of with the operator.
    final func subscribe<Input>(to source: Source<Input>, with input: Sink<Input>) {
        inputs.add(input)
        source.connect(input)
    }

    /// Disposes of every input and never sends an event to the subscriber.
    ///
    /// It also detaches from the subscriber, because the two would otherwise retain each other forever.
    final func disposeSilently() {
        dispose()
        downstream.detach()
    }

    /// Disposes of one input before the others.
    final func removeInput(_ input: SubscriptionNode) {
        inputs.remove(input)
        input.dispose()
    }
}

/// An input that forwards its events unchanged.
final class ForwardingInput<Element>: SerialSink<Element> {
    private let sink: MultiInputSink<Element>

    init(of sink: MultiInputSink<Element>) {
        self.sink = sink
        super.init(sink.drain)
    }

    override func receive(_ value: Element) { if isLive { sink.forward(value) } }
    override func receiveError(_ error: any Error) { if isLive { sink.fail(error) } }
    override func receiveCompleted() { if isLive { sink.finish() } }
}

/// An input that passes its events to closures, which are created once a subscription.
///
/// It is removed when its source ends, even if the operator continues, so that the source is released then.
final class ClosureInput<Element>: SerialSink<Element> {
    private let inputs: CompositeTeardown
    private let onError: (any Error) -> Void
    // The closures retain the sink, and the sink retains its inputs until `CompositeTeardown` is disposed of.
    private let onNext: (Element) -> Void
    private let onCompleted: () -> Void

    /// `inputs` holds the input, if it is not the sink's own collection.
    init<Output>(
        of sink: MultiInputSink<Output>, in inputs: CompositeTeardown? = nil, onNext: @escaping (Element) -> Void,
        onCompleted: @escaping () -> Void, onError: ((any Error) -> Void)? = nil
    ) {
        self.onNext = onNext
        self.onCompleted = onCompleted
        self.inputs = inputs ?? sink.inputs
        self.onError = onError ?? { sink.fail($0) }
        super.init(sink.drain)
    }

    override func receive(_ value: Element) { if isLive { onNext(value) } }

    override func receiveError(_ error: any Error) {
        guard markStopped() else { return }
        onError(error)
        leave()
    }

    override func receiveCompleted() {
        guard markStopped() else { return }
        // A subsequent source is subscribed to before this one is disposed of, as in RxSwift.
        onCompleted()
        leave()
    }

    private func leave() {
        inputs.remove(self)
        dispose()
    }
}
