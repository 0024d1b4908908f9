public import Dispatch

extension ObservableType {
    /// The elements of that length of time from subscription on, then it completes.
    ///
    /// Zero or less completes in the scheduler's next turn, `.never` not at all.
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(TakeFor(asObservable().source, duration, scheduler))
    }

    /// The elements after that length of time from subscription on; the end of the stream is never skipped.
    ///
    /// Zero or less lets elements pass from the scheduler's next turn on, `.never` not at all.
    public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(SkipFor(asObservable().source, duration, scheduler))
    }

    /// The elements after that length of time: `skip(_:scheduler:)` named as `take(for:scheduler:)` is.
    public func skip(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        skip(duration, scheduler: scheduler)
    }
}

private final class TakeFor<Element>: TimedSource<Element, Element> {
    override func run(_ downstream: Sink<Element>) {
        let sink = MultiInputSink(into: downstream)
        let timer = OperatorTimer(scheduler)
        sink.inputs.add(timer)
        timer.set(after: dueTime, in: sink.drain) { sink.finish() }
        sink.subscribe(to: upstream, with: ForwardingInput(of: sink))
    }
}

private final class SkipFor<Element>: TimedSource<Element, Element> {
    override func run(_ downstream: Sink<Element>) {
        let sink = SkipForSink(into: downstream)
        let timer = OperatorTimer(scheduler)
        sink.inputs.add(timer)
        timer.set(after: dueTime, in: sink.drain) { sink.isOpen = true }
        sink.subscribe(
            to: upstream,
            with: ClosureInput<Element>(
                of: sink, onNext: { if sink.isOpen { sink.forward($0) } }, onCompleted: { sink.finish() }))
    }

    private final class SkipForSink: MultiInputSink<Element> {
        // Touched inside the drain only.
        var isOpen = false
    }
}
