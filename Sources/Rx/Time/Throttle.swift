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

private final class Throttle<Element>: TimedSource<Element, Element> {
    private let latest: Bool

    init(_ upstream: Source<Element>, _ dueTime: RxTimeInterval, _ latest: Bool, _ scheduler: any SchedulerType) {
        self.latest = latest
        super.init(upstream, dueTime, scheduler)
    }

    override func run(_ downstream: Sink<Element>) {
        let sink = ThrottleSink(dueTime, latest, scheduler, into: downstream)
        sink.subscribe(
            to: upstream, with: ClosureInput<Element>(of: sink, onNext: { sink.put($0) }, onCompleted: { sink.end() }))
    }
}

private final class ThrottleSink<Element>: MultiInputSink<Element> {
    private let dueTime: RxTimeInterval
    private let latest: Bool
    private let clock: ElapsedClock
    private let timer: OperatorTimer
    // What follows is touched inside the drain only.
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

    func put(_ value: Element) {
        guard let lastSent else { return send(value) }
        let left = dueTime.less(clock.seconds - lastSent)
        // Less than a microsecond is a rounding of the clock.
        guard left.seconds > 1e-6 else { return send(value) }
        guard latest else { return }
        let isArmed = waiting != nil
        var kept: Element? = value
        swap(&waiting, &kept)
        if !isArmed { timer.set(after: left, in: drain) { self.fired() } }
    }

    func end() {
        if waiting == nil { finish() } else { ended = true }
    }

    private func fired() {
        if let value = waiting { send(value) }
        if ended { finish() }
    }

    private func send(_ value: Element) {
        // Where the timer is late, the element that it should have sent is overtaken and must not come after this one.
        _ = waiting.take()
        forward(value)
        // Read after the observer is through with it: a slow observer gets its pause nevertheless.
        lastSent = clock.seconds
    }
}
