extension ObservableType {
    /// The elements until the other stream sends one; then it completes.
    public func take<Other: ObservableType>(until other: Other) -> Observable<Element> {
        Observable(TakeUntil(asObservable().source, other.asObservable().source))
    }

    /// The elements after the other stream sent one, and the good end after that.
    ///
    /// If the stream completes before the other one sent anything, nothing is said at all, as in RxSwift. An error of
    /// either is told at once.
    public func skip<Other: ObservableType>(until other: Other) -> Observable<Element> {
        Observable(SkipUntil(asObservable().source, other.asObservable().source))
    }
}

private final class TakeUntil<Element, Other>: Source<Element> {
    private let upstream: Source<Element>
    private let other: Source<Other>

    init(_ upstream: Source<Element>, _ other: Source<Other>) {
        self.upstream = upstream
        self.other = other
    }

    override func run(_ sink: Sink<Element>) {
        let hub = Hub(into: sink)
        hub.listen(to: other, with: Input<Other>(of: hub, onNext: { _ in hub.finish() }, onCompleted: {}))
        hub.listen(to: upstream, with: HubInput(of: hub))
    }
}

private final class SkipUntil<Element, Other>: Source<Element> {
    private let upstream: Source<Element>
    private let other: Source<Other>

    init(_ upstream: Source<Element>, _ other: Source<Other>) {
        self.upstream = upstream
        self.other = other
    }

    override func run(_ sink: Sink<Element>) {
        let hub = OpeningHub(into: sink)
        hub.listen(
            to: upstream,
            with: Input<Element>(
                of: hub, onNext: { if hub.isOpen { hub.forward($0) } },
                onCompleted: { if hub.isOpen { hub.finish() } else { hub.giveUp() } }))
        let trigger = Input<Other>(
            of: hub,
            onNext: { _ in
                hub.isOpen = true
                hub.endTrigger()
            },
            onCompleted: {})
        hub.trigger = trigger
        hub.listen(to: other, with: trigger)
    }

    private final class OpeningHub: Hub<Element> {
        // Both are touched inside the gate, or before the trigger is subscribed.
        var isOpen = false
        weak var trigger: Input<Other>?
        func endTrigger() { if let trigger { drop(trigger) } }
    }
}

/// An input whose events go straight on.
final class HubInput<Element>: SerialSink<Element> {
    private let hub: Hub<Element>

    init(of hub: Hub<Element>) {
        self.hub = hub
        super.init(hub.gate)
    }

    override func receive(_ value: Element) { if isLive { hub.forward(value) } }
    override func receiveError(_ error: any Error) { if isLive { hub.fail(error) } }
    override func receiveCompleted() { if isLive { hub.finish() } }
}
