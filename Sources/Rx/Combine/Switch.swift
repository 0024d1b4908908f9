extension ObservableType where Element: ObservableConvertibleType {
    /// The latest of the streams that come; each new one ends the one before.
    public func switchLatest() -> Observable<Element.Element> {
        Observable(Switch(asObservable().source, streams { $0 }))
    }
}

/// Only the latest inner stream flows.
final class Switch<Outer, Element>: Source<Element> {
    private let upstream: Source<Outer>
    private let transform: (Outer) throws -> Source<Element>

    init(_ upstream: Source<Outer>, _ transform: @escaping (Outer) throws -> Source<Element>) {
        self.upstream = upstream
        self.transform = transform
    }

    override func run(_ sink: Sink<Element>) {
        let hub = SwitchHub(into: sink)
        let transform = transform
        hub.listen(
            to: upstream,
            with: Input<Outer>(
                of: hub,
                onNext: { value in
                    do {
                        hub.turn(to: try transform(value))
                    } catch {
                        hub.fail(error)
                    }
                },
                onCompleted: { hub.outerCompleted() }))
    }
}

private final class SwitchHub<Element>: Hub<Element> {
    // Both are touched inside the gate only.
    private weak var latest: Stage?
    private var outerEnded = false

    func turn(to source: Source<Element>) {
        if let latest { drop(latest) }
        latest = nil
        if isLive, source.giveOnly(to: downstream) { return }
        let inner = SwitchedSink(of: self)
        latest = inner
        listen(to: source, with: inner)
    }

    func outerCompleted() {
        outerEnded = true
        if latest == nil { finish() }
    }

    func innerCompleted(_ inner: Stage) {
        drop(inner)
        if latest === inner { latest = nil }
        if latest == nil, outerEnded { finish() }
    }
}

private final class SwitchedSink<Element>: SerialSink<Element> {
    private let hub: SwitchHub<Element>

    init(of hub: SwitchHub<Element>) {
        self.hub = hub
        super.init(hub.gate)
    }

    override func receive(_ value: Element) { if isLive { hub.forward(value) } }
    override func receiveError(_ error: any Error) { if isLive { hub.fail(error) } }
    override func receiveCompleted() { if markStopped() { hub.innerCompleted(self) } }
}
