/// An outer stream, what makes inner streams of its elements, and the sink where these meet: `flatMap`, `merge`, `concat`,
/// `flatMapLatest` and `switchLatest`.
final class Flatten<Input, Element>: Source<Element> {
    private let upstream: Source<Input>
    private let transform: (Input) throws -> Source<Element>
    private let makeSink: (Sink<Element>) -> FlattenSink<Element>

    init(
        _ upstream: Source<Input>, _ transform: @escaping (Input) throws -> Source<Element>,
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

/// What becomes of inner streams.
///
/// They are subscribed to outside the drain, as one that takes its time at subscription must not hold back the elements
/// of the others. So what the hubs keep is under a lock.
class FlattenSink<Element>: MultiInputSink<Element> {
    /// Whether a further stream would be dropped now.
    var isFull: Bool { false }
    /// Here is one more stream.
    func admit(_ source: Source<Element>) {}
    /// One of them completed. Inside the drain.
    func innerCompleted(_ inner: SubscriptionNode) {}
    /// There will be no more streams. Inside the drain.
    func outerCompleted() {}

    /// Passes on the one element of a stream that has it at hand; false if that cannot be done at once.
    final func forwardOnlyElement(of source: Source<Element>) -> Bool {
        switch drain.enter() {
        case .nested: return isLive && source.emitOnlyElement(to: downstream)
        case .first:
            defer { drain.leave() }
            return isLive && source.emitOnlyElement(to: downstream)
        case .busy: return false
        }
    }
}

/// The subscriber of one inner stream.
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

/// The subscriber of the outer stream: makes an inner stream of each element.
private final class OuterSink<Input, Element>: Sink<Input> {
    private let sink: FlattenSink<Element>
    private let transform: (Input) throws -> Source<Element>

    init(of sink: FlattenSink<Element>, _ transform: @escaping (Input) throws -> Source<Element>) {
        self.sink = sink
        self.transform = transform
    }

    override func next(_ value: Input) {
        guard isLive, !sink.isFull else { return }
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
