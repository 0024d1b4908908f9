public import Dispatch

extension ObservableType {
    /// The elements and completion, each later by the given time.
    ///
    /// An error is forwarded at once and drops waiting elements. Events of the same moment are scheduled one after the
    /// other. An interval of zero or less only schedules them.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = DelaySink(dueTime, scheduler, into: downstream)
                sink.subscribe(
                    to: upstream,
                    with: ClosureInput<Element>(
                        of: sink, onNext: { sink.receive($0) }, onCompleted: { sink.enqueue(.completed) },
                        onError: { sink.failNow($0) }))
            })
    }

    /// The same stream, subscribed to after the given time.
    ///
    /// An interval of zero or less subscribes as soon as the scheduler can, `.never` does not.
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = MultiInputSink(into: downstream)
                let start = UncheckedTransfer((sink, upstream))
                let timer = scheduler.run(after: dueTime) {
                    let (sink, upstream) = start.value
                    if sink.isLive { sink.subscribe(to: upstream, with: ForwardingInput(of: sink)) }
                }
                sink.inputs.add(DisposableTeardown(timer))
            })
    }
}

/// Queues events with their arrival.
///
/// One timer waits for the first of them and is then set for the next.
private final class DelaySink<Element>: MultiInputSink<Element> {
    private typealias DelayedEvent = (arrival: Double, event: Event<Element>)

    private let dueTime: RxTimeInterval
    private let clock: ElapsedClock
    private let timer: OperatorTimer
    // Used inside the drain only. `first` stays until it is sent, so that an event from inside the observer is queued.
    private var first: DelayedEvent?
    private var others = FIFOQueue<DelayedEvent>()
    private var isSending = false
    private var failure: (any Error)?

    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, into downstream: Sink<Element>) {
        self.dueTime = dueTime
        clock = ElapsedClock(scheduler)
        timer = OperatorTimer(scheduler)
        super.init(into: downstream)
        inputs.add(timer)
    }

    func receive(_ value: Element) { enqueue(.next(value)) }

    func enqueue(_ event: Event<Element>) {
        let delayed = (clock.seconds, event)
        if first == nil {
            first = delayed
            timer.set(after: dueTime, in: drain) { self.sendFirst() }
        } else {
            others.append(delayed)
        }
    }

    /// Fails before queued events, but not during the delivery of an element.
    func failNow(_ error: any Error) {
        if isSending { failure = error } else { fail(error) }
    }

    private func sendFirst() {
        guard let delayed = first else { return }
        isSending = true
        switch delayed.event {
        case .next(let value): forward(value)
        case .error, .completed: finish()
        }
        isSending = false
        if let failure { return fail(failure) }
        first = others.popFirst()
        guard isLive, let next = first else { return }
        timer.set(after: dueTime.less(clock.seconds - next.arrival), in: drain) { self.sendFirst() }
    }
}

extension DispatchTimeInterval {
    /// The rest of the interval after so many seconds, at least zero and at most the interval.
    ///
    /// The clock of a user's scheduler may be set back.
    func less(_ passed: Double) -> DispatchTimeInterval {
        DispatchTimeInterval(seconds: max(0, seconds - max(0, passed)))
    }
}
