/// An outer stream, what makes inner streams of its elements, and the hub where these meet: `flatMap`, `merge`, `concat`,
/// `flatMapLatest` and `switchLatest`.
final class Flatten<Input, Element>: Source<Element> {
    private let upstream: Source<Input>
    private let transform: (Input) throws -> Source<Element>
    private let makeHub: (Sink<Element>) -> FlattenHub<Element>

    init(
        _ upstream: Source<Input>, _ transform: @escaping (Input) throws -> Source<Element>,
        into makeHub: @escaping (Sink<Element>) -> FlattenHub<Element>
    ) {
        self.upstream = upstream
        self.transform = transform
        self.makeHub = makeHub
    }

    override func run(_ sink: Sink<Element>) {
        let hub = makeHub(sink)
        hub.listen(to: upstream, with: OuterSink(of: hub, transform))
    }
}

/// What becomes of inner streams.
///
/// They are subscribed to outside the gate, as one that takes its time at subscription must not hold back the elements
/// of the others. So what the hubs keep is under a lock.
class FlattenHub<Element>: Hub<Element> {
    /// Whether a further stream would be dropped now.
    var isFull: Bool { false }
    /// Here is one more stream.
    func admit(_ source: Source<Element>) {}
    /// One of them completed. Inside the gate.
    func innerCompleted(_ inner: Stage) {}
    /// There will be no more streams. Inside the gate.
    func outerCompleted() {}

    /// Passes on the one element of a stream that has it at hand; false if that cannot be done at once.
    final func passOnly(of source: Source<Element>) -> Bool {
        switch gate.enter() {
        case .nested: return isLive && source.giveOnly(to: downstream)
        case .first:
            defer { gate.leave() }
            return isLive && source.giveOnly(to: downstream)
        case .busy: return false
        }
    }
}

/// The subscriber of one inner stream.
final class InnerSink<Element>: SerialSink<Element> {
    private let hub: FlattenHub<Element>

    init(of hub: FlattenHub<Element>) {
        self.hub = hub
        super.init(hub.gate)
    }

    override func receive(_ value: Element) { if isLive { hub.forward(value) } }
    override func receiveError(_ error: any Error) { if isLive { hub.fail(error) } }
    override func receiveCompleted() { if markStopped() { hub.innerCompleted(self) } }
}

/// The subscriber of the outer stream: makes an inner stream of each element.
private final class OuterSink<Input, Element>: Sink<Input> {
    private let hub: FlattenHub<Element>
    private let transform: (Input) throws -> Source<Element>

    init(of hub: FlattenHub<Element>, _ transform: @escaping (Input) throws -> Source<Element>) {
        self.hub = hub
        self.transform = transform
    }

    override func next(_ value: Input) {
        guard isLive, !hub.isFull else { return }
        do {
            hub.admit(try transform(value))
        } catch {
            self.error(error)
        }
    }

    override func error(_ error: any Error) {
        if markStopped() { hub.gate.pass(hub) { $0.fail(error) } }
    }

    override func completed() {
        guard markStopped() else { return }
        hub.drop(self)
        hub.gate.pass(hub) { $0.outerCompleted() }
    }
}
