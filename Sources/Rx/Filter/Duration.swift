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

private final class TakeFor<Element>: Timed<Element, Element> {
    override func run(_ sink: Sink<Element>) {
        let hub = Hub(into: sink)
        let alarm = Alarm(scheduler)
        hub.inputs.add(alarm)
        alarm.set(after: dueTime, in: hub.gate) { hub.finish() }
        hub.listen(to: upstream, with: HubInput(of: hub))
    }
}

private final class SkipFor<Element>: Timed<Element, Element> {
    override func run(_ sink: Sink<Element>) {
        let hub = SkippingHub(into: sink)
        let alarm = Alarm(scheduler)
        hub.inputs.add(alarm)
        alarm.set(after: dueTime, in: hub.gate) { hub.isOpen = true }
        hub.listen(
            to: upstream,
            with: Input<Element>(
                of: hub, onNext: { if hub.isOpen { hub.forward($0) } }, onCompleted: { hub.finish() }))
    }

    private final class SkippingHub: Hub<Element> {
        // Touched inside the gate only.
        var isOpen = false
    }
}
