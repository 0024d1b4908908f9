public import Dispatch

extension ObservableType {
    /// The elements after the first `count`. A count of 0 or less skips none.
    public func skip(_ count: Int) -> Observable<Element> { lift { SkipSink(count, into: $0) } }

    /// The elements from the first one on for which the predicate is false.
    ///
    /// If the predicate throws, the stream fails with that error.
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        lift { SkipWhileSink(predicate, into: $0) }
    }

    /// The elements after the other stream has sent one.
    ///
    /// An error of either stream is forwarded at once. If this stream completes before the other one has sent an
    /// element, the result never completes, as in RxSwift.
    public func skip<Other: ObservableType>(until other: Other) -> Observable<Element> {
        let (upstream, other) = (asObservable().source, other.asObservable().source)
        return Observable(
            MultiInputSource { downstream in
                let sink = SkipSwitchSink<Element, Other.Element>(into: downstream)
                sink.subscribe(
                    to: upstream,
                    with: ClosureInput<Element>(
                        of: sink, onNext: { if sink.isOpen { sink.forward($0) } },
                        onCompleted: { if sink.isOpen { sink.finish() } else { sink.disposeSilently() } }))
                let trigger = ClosureInput<Other.Element>(
                    of: sink,
                    onNext: { _ in
                        sink.isOpen = true
                        sink.endTrigger()
                    },
                    onCompleted: {})
                sink.trigger = trigger
                sink.subscribe(to: other, with: trigger)
            })
    }

    /// The elements after that length of time from subscription on. The end of the stream is never skipped.
    ///
    /// Zero or less lets elements pass as soon as the scheduler can, `.never` skips all.
    public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = SkipSwitchSink<Element, Never>(into: downstream)
                let timer = OperatorTimer(scheduler)
                sink.inputs.add(timer)
                timer.set(after: duration, in: sink.drain) { sink.isOpen = true }
                sink.subscribe(
                    to: upstream,
                    with: ClosureInput<Element>(
                        of: sink, onNext: { if sink.isOpen { sink.forward($0) } }, onCompleted: { sink.finish() }))
            })
    }

    /// The same as `skip(_:scheduler:)`, with the label of `take(for:scheduler:)`.
    public func skip(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        skip(duration, scheduler: scheduler)
    }
}

private final class SkipSink<Element>: SingleInputSink<Element, Element> {
    private var left: Int

    init(_ count: Int, into downstream: Sink<Element>) {
        left = count
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        if left <= 0 { forward(value) } else { left -= 1 }
    }
}

private final class SkipWhileSink<Element>: SingleInputSink<Element, Element> {
    private let predicate: @Sendable (Element) throws -> Bool
    private var isSkipping = true

    init(_ predicate: @escaping @Sendable (Element) throws -> Bool, into downstream: Sink<Element>) {
        self.predicate = predicate
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        if isSkipping {
            do {
                isSkipping = try predicate(value)
            } catch {
                return fail(error)
            }
        }
        if !isSkipping { forward(value) }
    }
}

/// Forwards elements after another stream or a timer has opened it.
private final class SkipSwitchSink<Element, Trigger>: MultiInputSink<Element> {
    // Used inside the drain only, or before the trigger is subscribed to.
    var isOpen = false
    weak var trigger: ClosureInput<Trigger>?
    func endTrigger() { if let trigger { removeInput(trigger) } }
}
