public import Dispatch

extension ObservableType {
    /// Delays elements and completion by the given time.
    ///
    /// An error is forwarded at once and drops waiting elements. Events of the same moment are scheduled one after the
    /// other. With an interval of zero or less, events are scheduled without a delay.
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

    /// Subscribes to the stream after the given time.
    ///
    /// With an interval of zero or less, it subscribes as soon as the scheduler can; with `.never`, it never
    /// subscribes.
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

/// The sink of `delay`: a queue of events with their arrival times.
///
/// One timer waits for the first event. When that event is sent, the timer is set for the next event.
private final class DelaySink<Element>: MultiInputSink<Element> {
    private typealias DelayedEvent = (arrival: Double, event: Event<Element>)

    private let dueTime: RxTimeInterval
    private let clock: ElapsedClock
    private let timer: OperatorTimer
    // Used inside the drain only. `first` is kept while it is being sent, so that an event that the observer sends is
    // queued.
    private var first: DelayedEvent?
    private let others = FIFOQueue<DelayedEvent>()
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

    /// Fails without sending queued events, but only after the element that is being delivered, if any.
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
        first = others.isEmpty ? nil : others.removeFirst()
        guard isLive, let next = first else { return }
        timer.set(after: dueTime.less(clock.seconds - next.arrival), in: drain) { self.sendFirst() }
    }
}

extension DispatchTimeInterval {
    /// Returns the rest of the interval after `passed` seconds: at least zero, at most the interval.
    ///
    /// `passed` is negative if the clock of a user's scheduler was set back.
    func less(_ passed: Double) -> DispatchTimeInterval {
        DispatchTimeInterval(seconds: max(0, seconds - max(0, passed)))
    }
}
