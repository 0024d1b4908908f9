public import Dispatch

extension ObservableType {
    /// At most one element in that length of time: the first, and, where `latest`, the last one of what followed.
    ///
    /// At the good end the one that still waits is sent in its time; an error drops it. With an interval of zero or less
    /// every element passes.
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Observable(Throttle(asObservable().source, dueTime, latest, scheduler))
    }
}

private final class Throttle<Element>: Timed<Element, Element> {
    private let latest: Bool

    init(_ upstream: Source<Element>, _ dueTime: RxTimeInterval, _ latest: Bool, _ scheduler: any SchedulerType) {
        self.latest = latest
        super.init(upstream, dueTime, scheduler)
    }

    override func run(_ sink: Sink<Element>) {
        let hub = ThrottleHub(dueTime, latest, scheduler, into: sink)
        hub.listen(to: upstream, with: Input<Element>(of: hub, onNext: { hub.put($0) }, onCompleted: { hub.end() }))
    }
}

private final class ThrottleHub<Element>: Hub<Element> {
    private let dueTime: RxTimeInterval
    private let latest: Bool
    private let clock: ElapsedClock
    private let alarm: Alarm
    // What follows is touched inside the gate only.
    private var waiting: Element?
    private var lastSent: Double?
    private var ended = false

    init(
        _ dueTime: RxTimeInterval, _ latest: Bool, _ scheduler: any SchedulerType, into downstream: Sink<Element>
    ) {
        self.dueTime = dueTime
        self.latest = latest
        clock = ElapsedClock(scheduler)
        alarm = Alarm(scheduler)
        super.init(into: downstream)
        inputs.add(alarm)
    }

    func put(_ value: Element) {
        guard let lastSent else { return send(value) }
        let left = dueTime.less(clock.seconds - lastSent)
        // Less than a microsecond is a rounding of the clock.
        guard left.seconds > 1e-6 else { return send(value) }
        guard latest else { return }
        let isArmed = waiting != nil
        var kept: Element? = value
        swap(&waiting, &kept)
        if !isArmed { alarm.set(after: left, in: gate) { self.fired() } }
    }

    func end() {
        if waiting == nil { finish() } else { ended = true }
    }

    private func fired() {
        if let value = waiting { send(value) }
        if ended { finish() }
    }

    private func send(_ value: Element) {
        // Where the alarm is late, the element that it should have sent is overtaken and must not come after this one.
        _ = waiting.take()
        forward(value)
        // Read after the observer is through with it: a slow observer gets its pause nevertheless.
        lastSent = clock.seconds
    }
}
