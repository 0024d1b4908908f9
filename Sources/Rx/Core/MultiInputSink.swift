/// The sink of an operator with several inputs.
///
/// The inputs share one serial drain, which guards the state of the operator.
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
    @inline(__always)
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

    /// Disposes of every input without an end of the stream: the subscriber receives no further event.
    ///
    /// The sink also detaches from the subscriber. Otherwise the two would retain each other forever.
    final func disposeSilently() {
        dispose()
        downstream.detach()
    }

    /// Disposes of one input. The other inputs continue.
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

/// An input that passes its events to closures. A subscription creates the closures once.
///
/// When its source ends, the input is removed, even if the operator continues. So the source is released at its end.
final class ClosureInput<Element>: SerialSink<Element> {
    private let inputs: CompositeTeardown
    private let onError: (any Error) -> Void
    // The closures retain the sink. The sink retains its inputs until the sink is disposed of, which breaks the cycle.
    private let onNext: (Element) -> Void
    private let onCompleted: () -> Void

    /// Creates an input. `inputs` is the collection that contains the input; nil means `sink.inputs`.
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
        // As in RxSwift, `onCompleted` subscribes to the next source before this input is disposed of.
        onCompleted()
        leave()
    }

    private func leave() {
        inputs.remove(self)
        dispose()
    }
}
