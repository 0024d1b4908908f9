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

private final class Delay<Element>: TimedSource<Element, Element> {
    override func run(_ downstream: Sink<Element>) {
        let sink = DelaySink(dueTime, scheduler, into: downstream)
        sink.subscribe(
            to: upstream,
            with: ClosureInput<Element>(
                of: sink, onNext: { sink.put(.next($0)) }, onCompleted: { sink.put(.completed) },
                onError: { sink.stop($0) }))
    }
}

private final class DelaySink<Element>: MultiInputSink<Element> {
    private typealias Held = (arrival: Double, event: Event<Element>)

    private let dueTime: RxTimeInterval
    private let clock: ElapsedClock
    private let timer: OperatorTimer
    // What follows is touched inside the drain only. `first` stays until it was sent, so that the line does not start
    // anew from inside the observer.
    private var first: Held?
    private var others = FIFOQueue<Held>()
    private var isSending = false
    private var failure: (any Error)?

    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, into downstream: Sink<Element>) {
        self.dueTime = dueTime
        clock = ElapsedClock(scheduler)
        timer = OperatorTimer(scheduler)
        super.init(into: downstream)
        inputs.add(timer)
    }

    func put(_ event: Event<Element>) {
        let held = (clock.seconds, event)
        if first == nil {
            first = held
            timer.set(after: dueTime, in: drain) { self.send() }
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
        timer.set(after: dueTime.less(clock.seconds - next.arrival), in: drain) { self.send() }
    }
}

extension DispatchTimeInterval {
    /// What is left of the interval after so many seconds, at least nothing and at most all of it: the clock
    /// of a user's scheduler may be set back.
    func less(_ passed: Double) -> DispatchTimeInterval {
        DispatchTimeInterval(seconds: max(0, seconds - max(0, passed)))
    }
}

private final class DelaySubscription<Element>: TimedSource<Element, Element> {
    override func run(_ downstream: Sink<Element>) {
        let sink = MultiInputSink(into: downstream)
        let start = UncheckedTransfer((sink, upstream))
        let timer = scheduler.run(after: dueTime) {
            let (sink, upstream) = start.value
            if sink.isLive { sink.subscribe(to: upstream, with: ForwardingInput(of: sink)) }
        }
        sink.inputs.add(DisposableTeardown(timer))
    }
}
