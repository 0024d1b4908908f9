/// Streams flowing together, at most `limit` of them at a time; those that come later wait their turn.
class MergeHub<Element>: Hub<Element> {
    private let limit: Int
    // What follows is touched inside the gate only.
    private final var active = 0
    private final var outerEnded = false
    private final var pumping = false
    // Made when the first stream has to wait, so that the usual way does not pay for looking at an array.
    private final var waiting: WaitingStreams<Element>?

    init(limit: Int, into downstream: Sink<Element>) {
        self.limit = limit
        super.init(into: downstream)
    }

    /// Whether an inner stream flows.
    final var isFlowing: Bool { active > 0 }

    /// Lets one more stream in, or lets it wait.
    final func admit(_ source: Source<Element>) {
        if active < limit, waiting == nil { return open(source) }
        let waiting = waiting ?? WaitingStreams()
        self.waiting = waiting
        waiting.line.append(source)
        pump()
    }

    /// There will be no more streams.
    final func outerCompleted() {
        outerEnded = true
        endIfDone()
    }

    fileprivate final func innerCompleted(_ inner: Stage) {
        drop(inner)
        active -= 1
        pump()
        endIfDone()
    }

    private func open(_ source: Source<Element>) {
        active += 1
        guard isLive, source.giveOnly(to: downstream) else { return listen(to: source, with: InnerSink(of: self)) }
        active -= 1
        pump()
        endIfDone()
    }

    // A loop and not a recursion: a thousand waiting streams may each complete at subscription.
    private func pump() {
        guard !pumping, let waiting else { return }
        pumping = true
        while active < limit, isLive, let source = waiting.line.popFirst() { open(source) }
        pumping = false
        guard waiting.line.isEmpty else { return }
        self.waiting = nil
        endIfDone()
    }

    private func endIfDone() {
        if outerEnded, active == 0, waiting == nil { finish() }
    }
}

/// The streams that wait for their turn.
private final class WaitingStreams<Element> {
    var line = Line<Source<Element>>()
}

/// The subscriber of one inner stream.
private final class InnerSink<Element>: SerialSink<Element> {
    private let hub: MergeHub<Element>

    init(of hub: MergeHub<Element>) {
        self.hub = hub
        super.init(hub.gate)
    }

    override func receive(_ value: Element) { if isLive { hub.forward(value) } }
    override func receiveError(_ error: any Error) { if isLive { hub.fail(error) } }
    override func receiveCompleted() { if markStopped() { hub.innerCompleted(self) } }
}

/// What becomes of an element of the outer stream while inner ones flow.
enum Admission { case always, whenIdle }

/// The subscriber of the outer stream: makes an inner stream of each element.
final class OuterSink<Input, Element>: SerialSink<Input> {
    private let hub: MergeHub<Element>
    private let admission: Admission
    private let transform: (Input) throws -> Source<Element>

    init(
        of hub: MergeHub<Element>, _ admission: Admission,
        _ transform: @escaping (Input) throws -> Source<Element>
    ) {
        self.hub = hub
        self.admission = admission
        self.transform = transform
        super.init(hub.gate)
    }

    override func receive(_ value: Input) {
        guard isLive, admission == .always || !hub.isFlowing else { return }
        do {
            hub.admit(try transform(value))
        } catch {
            hub.fail(error)
        }
    }

    override func receiveError(_ error: any Error) { if isLive { hub.fail(error) } }
    override func receiveCompleted() { if markStopped() { hub.outerCompleted() } }
}

/// An outer stream, what makes inner ones of its elements, and how many may flow.
final class Merge<Input, Element>: Source<Element> {
    private let upstream: Source<Input>
    private let limit: Int
    private let admission: Admission
    private let transform: (Input) throws -> Source<Element>

    init(
        _ upstream: Source<Input>, limit: Int = .max, admission: Admission = .always,
        _ transform: @escaping (Input) throws -> Source<Element>
    ) {
        precondition(limit > 0, "merge needs room for at least one stream at a time.")
        self.upstream = upstream
        self.limit = limit
        self.admission = admission
        self.transform = transform
    }

    override func run(_ sink: Sink<Element>) {
        let hub = MergeHub(limit: limit, into: sink)
        hub.listen(to: upstream, with: OuterSink(of: hub, admission, transform))
    }
}
