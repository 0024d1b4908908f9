/// The source of `flatMap`, `merge`, `concat`, `flatMapLatest` and `switchLatest`.
///
/// The source combines an outer stream, a transform to inner streams, and a sink that subscribes to the inner streams.
final class Flatten<Input, Element>: Source<Element> {
    private let upstream: Source<Input>
    private let transform: (Input) throws -> Observable<Element>
    private let makeSink: (Sink<Element>) -> FlattenSink<Element>

    init(
        _ upstream: Source<Input>, _ transform: @escaping (Input) throws -> Observable<Element>,
        into makeSink: @escaping (Sink<Element>) -> FlattenSink<Element>
    ) {
        self.upstream = upstream
        self.transform = transform
        self.makeSink = makeSink
    }

    override func run(_ downstream: Sink<Element>) {
        let sink = makeSink(downstream)
        sink.subscribe(to: upstream, with: OuterSink(of: sink, transform))
    }
}

/// The sink of an operator that subscribes to inner streams.
///
/// The sink subscribes outside the drain, because a stream that takes long at subscription must not delay the elements
/// of other streams. Therefore a lock guards the state of the subclasses.
class FlattenSink<Element>: MultiInputSink<Element> {
    /// Whether inner streams are dropped while `isFull` is true. Set before the first subscription.
    final var dropsExcess = false
    /// Whether a further inner stream has to wait or is dropped.
    var isFull: Bool { false }
    /// Receives an inner stream that the transform returned.
    func admit(_ stream: Observable<Element>) {}
    /// Called inside the drain when an inner stream has completed.
    func innerCompleted(_ inner: SubscriptionNode) {}
    /// Called inside the drain when the outer stream has completed.
    func outerCompleted() {}

    /// Forwards the element of a stream such as `just` without a subscription; returns false if it cannot.
    @inline(__always)
    final func forwardOnlyElement(of stream: Observable<Element>) -> Bool {
        switch drain.enter() {
        case .nested: return isLive && stream.emitOnlyElement(to: downstream)
        case .first:
            let isForwarded = isLive && stream.emitOnlyElement(to: downstream)
            drain.leave()
            return isForwarded
        case .busy: return false
        }
    }
}

/// The input of one inner stream.
final class InnerSink<Element>: SerialSink<Element> {
    private let sink: FlattenSink<Element>

    init(of sink: FlattenSink<Element>) {
        self.sink = sink
        super.init(sink.drain)
    }

    override func receive(_ value: Element) { if isLive { sink.forward(value) } }
    override func receiveError(_ error: any Error) { if isLive { sink.fail(error) } }
    override func receiveCompleted() { if markStopped() { sink.innerCompleted(self) } }
}

/// The input of the outer stream: transforms each element to an inner stream.
private final class OuterSink<Input, Element>: Sink<Input> {
    private let sink: FlattenSink<Element>
    private let transform: (Input) throws -> Observable<Element>

    init(of sink: FlattenSink<Element>, _ transform: @escaping (Input) throws -> Observable<Element>) {
        self.sink = sink
        self.transform = transform
    }

    override func next(_ value: Input) {
        guard isLive, !(sink.dropsExcess && sink.isFull) else { return }
        do {
            sink.admit(try transform(value))
        } catch {
            self.error(error)
        }
    }

    override func error(_ error: any Error) {
        if markStopped() { sink.drain.perform(on: sink) { $0.fail(error) } }
    }

    override func completed() {
        guard markStopped() else { return }
        sink.removeInput(self)
        sink.drain.perform(on: sink) { $0.outerCompleted() }
    }
}
