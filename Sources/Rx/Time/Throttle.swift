public import Dispatch

extension ObservableType {
    /// Emits an element, then drops elements for a time. With `latest`, the last dropped element follows.
    ///
    /// With `latest`, the last dropped element is sent when the time is over, and the time starts again. At completion
    /// a waiting element is still sent when its time is over; an error drops it. With an interval of zero or less every
    /// element passes.
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
    // Used inside the operator's serial drain only.
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
        // A rest of less than a microsecond is a rounding error of the clock, so the time is over.
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
        // If the timer is late, this element is sent before the waiting element. The older element must not follow it.
        _ = waiting.take()
        forward(value)
        // The time is read after the observer returns, so that a slow observer also has the full pause.
        lastSent = clock.seconds
    }
}
