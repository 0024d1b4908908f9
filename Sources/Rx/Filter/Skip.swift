public import Dispatch

extension ObservableType {
    /// Skips the first `count` elements. A count of 0 or less skips none.
    public func skip(_ count: Int) -> Observable<Element> { lift { SkipSink(count, into: $0) } }

    /// Skips elements as long as the predicate is true, then emits all further elements.
    ///
    /// If the predicate throws, the stream fails with that error.
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        lift { SkipWhileSink(predicate, into: $0) }
    }

    /// Skips elements until the other stream sends an element.
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

    /// Skips elements for the given time after subscription. The end of the stream is never skipped.
    ///
    /// With a time of zero or less, elements pass as soon as the scheduler runs the timer. With `.never`, none pass.
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

/// A sink that forwards elements after another stream or a timer has set `isOpen`.
private final class SkipSwitchSink<Element, Trigger>: MultiInputSink<Element> {
    // Used inside the drain only, or before the sink subscribes to the trigger.
    var isOpen = false
    weak var trigger: ClosureInput<Trigger>?
    func endTrigger() { if let trigger { removeInput(trigger) } }
}
