public import Dispatch

extension ObservableType {
    /// At most one element in the given time: the first, and with `latest` also the last one of the time.
    ///
    /// At completion a waiting element is still sent when its time is over; an error drops it. With an interval of zero
    /// or less every element passes.
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = ThrottleSink(dueTime, latest, scheduler, into: downstream)
                sink.subscribe(
                    to: upstream,
                    with: ClosureInput<Element>(of: sink, onNext: { sink.receive($0) }, onCompleted: { sink.end() }))
            })
    }
}

private final class ThrottleSink<Element>: MultiInputSink<Element> {
    private let dueTime: RxTimeInterval
    private let latest: Bool
    private let clock: ElapsedClock
    private let timer: OperatorTimer
    // Used inside the drain only.
    private var waiting: Element?
    private var lastSent: Double?
    private var ended = false

    init(
        _ dueTime: RxTimeInterval, _ latest: Bool, _ scheduler: any SchedulerType, into downstream: Sink<Element>
    ) {
        self.dueTime = dueTime
        self.latest = latest
        clock = ElapsedClock(scheduler)
        timer = OperatorTimer(scheduler)
        super.init(into: downstream)
        inputs.add(timer)
    }

    func receive(_ value: Element) {
        guard let lastSent else { return send(value) }
        let left = dueTime.less(clock.seconds - lastSent)
        // Less than a microsecond is a rounding error of the clock.
        guard left.seconds > 1e-6 else { return send(value) }
        guard latest else { return }
        let isTimerSet = waiting != nil
        var new: Element? = value
        swap(&waiting, &new)
        if !isTimerSet { timer.set(after: left, in: drain) { self.fired() } }
    }

    func end() {
        if waiting == nil { finish() } else { ended = true }
    }

    private func fired() {
        if let value = waiting { send(value) }
        if ended { finish() }
    }

    private func send(_ value: Element) {
        // If the timer is late, this element overtakes the waiting one, which must not be sent after it.
        _ = waiting.take()
        forward(value)
        // Read after the observer returns, so that a slow observer gets its pause too.
        lastSent = clock.seconds
    }
}
