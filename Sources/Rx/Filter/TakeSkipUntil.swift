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

    override func run(_ downstream: Sink<Element>) {
        let sink = MultiInputSink(into: downstream)
        sink.subscribe(to: other, with: ClosureInput<Other>(of: sink, onNext: { _ in sink.finish() }, onCompleted: {}))
        sink.subscribe(to: upstream, with: ForwardingInput(of: sink))
    }
}

private final class SkipUntil<Element, Other>: Source<Element> {
    private let upstream: Source<Element>
    private let other: Source<Other>

    init(_ upstream: Source<Element>, _ other: Source<Other>) {
        self.upstream = upstream
        self.other = other
    }

    override func run(_ downstream: Sink<Element>) {
        let sink = SkipUntilSink(into: downstream)
        sink.subscribe(
            to: upstream,
            with: ClosureInput<Element>(
                of: sink, onNext: { if sink.isOpen { sink.forward($0) } },
                onCompleted: { if sink.isOpen { sink.finish() } else { sink.disposeSilently() } }))
        let trigger = ClosureInput<Other>(
            of: sink,
            onNext: { _ in
                sink.isOpen = true
                sink.endTrigger()
            },
            onCompleted: {})
        sink.trigger = trigger
        sink.subscribe(to: other, with: trigger)
    }

    private final class SkipUntilSink: MultiInputSink<Element> {
        // Both are touched inside the drain, or before the trigger is subscribed.
        var isOpen = false
        weak var trigger: ClosureInput<Other>?
        func endTrigger() { if let trigger { removeInput(trigger) } }
    }
}

/// An input whose events go straight on.
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
