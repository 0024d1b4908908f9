public import Dispatch

extension ObservableType {
    /// Elements and the good end come that much later; an error comes at once and drops what was waiting.
    ///
    /// One timer waits for the first event in line, and is then set for the next: events of the same moment come one
    /// turn of the scheduler after the other. With an interval of zero or less that is all that happens to them.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(Delay(asObservable().source, dueTime, scheduler))
    }

    /// The subscription to the stream is made that much later; zero or less means in the scheduler's next turn.
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(DelaySubscription(asObservable().source, dueTime, scheduler))
    }
}

private final class Delay<Element>: Timed<Element, Element> {
    override func run(_ sink: Sink<Element>) {
        let hub = DelayHub(dueTime, scheduler, into: sink)
        hub.listen(
            to: upstream,
            with: Input<Element>(
                of: hub, onNext: { hub.put(.next($0)) }, onCompleted: { hub.put(.completed) },
                onError: { hub.stop($0) }))
    }
}

private final class DelayHub<Element>: Hub<Element> {
    private typealias Held = (arrival: Double, event: Event<Element>)

    private let dueTime: RxTimeInterval
    private let clock: ElapsedClock
    private let alarm: Alarm
    // What follows is touched inside the gate only. `first` stays until it was sent, so that the line does not start
    // anew from inside the observer.
    private var first: Held?
    private var others = Line<Held>()
    private var isSending = false
    private var failure: (any Error)?

    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, into downstream: Sink<Element>) {
        self.dueTime = dueTime
        clock = ElapsedClock(scheduler)
        alarm = Alarm(scheduler)
        super.init(into: downstream)
        inputs.add(alarm)
    }

    func put(_ event: Event<Element>) {
        let held = (clock.seconds, event)
        if first == nil {
            first = held
            alarm.set(after: dueTime, in: gate) { self.send() }
        } else {
            others.append(held)
        }
    }

    /// An error goes ahead of what waits, but not into the middle of an element.
    func stop(_ error: any Error) {
        if isSending { failure = error } else { fail(error) }
    }

    private func send() {
        guard let held = first else { return }
        isSending = true
        switch held.event {
        case .next(let value): forward(value)
        case .error, .completed: finish()
        }
        isSending = false
        if let failure { return fail(failure) }
        first = others.popFirst()
        guard isLive, let next = first else { return }
        alarm.set(after: dueTime.less(clock.seconds - next.arrival), in: gate) { self.send() }
    }
}

extension DispatchTimeInterval {
    /// What is left of the interval after so many seconds, at least nothing and at most all of it: the clock
    /// of a user's scheduler may be set back.
    func less(_ passed: Double) -> DispatchTimeInterval {
        DispatchTimeInterval(seconds: max(0, seconds - max(0, passed)))
    }
}

private final class DelaySubscription<Element>: Timed<Element, Element> {
    override func run(_ sink: Sink<Element>) {
        let hub = Hub(into: sink)
        let start = Ferry((hub, upstream))
        let timer = scheduler.run(after: dueTime) {
            let (hub, upstream) = start.value
            if hub.isLive { hub.listen(to: upstream, with: HubInput(of: hub)) }
        }
        hub.inputs.add(Foreign(timer))
    }
}
