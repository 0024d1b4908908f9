public import Dispatch

extension ObservableType {
    /// The stream, failing with `RxError.timeout` when nothing came for that long since subscription or an element.
    ///
    /// `.never` waits without an end; zero or less is over in the scheduler's next turn.
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        timeout(dueTime, other: Observable.error(RxError.timeout), scheduler: scheduler)
    }

    /// The stream, given up for the other one when nothing came for that long since subscription or an element.
    public func timeout<Other: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Other, scheduler: any SchedulerType
    ) -> Observable<Element> where Other.Element == Element {
        Observable(Timeout(asObservable().source, dueTime, other.asObservable().source, scheduler))
    }
}

private final class Timeout<Element>: Timed<Element, Element> {
    private let other: Source<Element>

    init(
        _ upstream: Source<Element>, _ dueTime: RxTimeInterval, _ other: Source<Element>, _ scheduler: any SchedulerType
    ) {
        self.other = other
        super.init(upstream, dueTime, scheduler)
    }

    override func run(_ sink: Sink<Element>) {
        // On the real clock an element only moves the deadline; the one timer looks at it when it goes off, and is set
        // anew for what is left. Other schedulers get a new timer for each element, so that what they see is exactly
        // the order of RxSwift.
        let watch: Watch<Element> =
            scheduler is any RealTimeScheduler
            ? DeadlineWatch(dueTime, other, scheduler, into: sink) : Watch(dueTime, other, scheduler, into: sink)
        // Known to the watch before the timer runs: the time may be over at once.
        let watched = WatchedSink(of: watch)
        watch.begin()
        watch.listen(to: upstream, with: watched)
    }
}

/// Waits for elements with a new timer for each.
private class Watch<Element>: Hub<Element> {
    fileprivate let dueTime: RxTimeInterval
    private let other: Source<Element>
    private let alarm: Alarm
    weak var watched: WatchedSink<Element>?
    /// The stream ended or is given up. Touched inside the gate only.
    private(set) final var isOver = false

    init(
        _ dueTime: RxTimeInterval, _ other: Source<Element>, _ scheduler: any SchedulerType,
        into downstream: Sink<Element>
    ) {
        self.dueTime = dueTime
        self.other = other
        alarm = Alarm(scheduler)
        super.init(into: downstream)
        inputs.add(alarm)
    }

    func begin() { arm(after: dueTime) }

    /// An element came.
    func restart() { arm(after: dueTime) }

    /// The timer went off: how long there is still to wait, or nil when the time is over.
    func remaining() -> RxTimeInterval? { nil }

    private final func arm(after interval: RxTimeInterval) {
        alarm.set(after: interval, in: gate) { self.fired() }
    }

    private func fired() {
        guard isLive, !isOver else { return }
        if let left = remaining() { return arm(after: left) }
        isOver = true
        listen(to: other, with: HubInput(of: self))
        if let watched { drop(watched) }
    }

    final func cancel() {
        isOver = true
        alarm.dispose()
    }
}

/// Waits for elements with one timer and a deadline that each element moves. Nothing is allocated for an element.
private final class DeadlineWatch<Element>: Watch<Element> {
    // Nanoseconds of the monotonic clock, so that setting the wall clock times nothing out. Touched inside the gate.
    private var deadline: UInt64 = 0
    private lazy var span = UInt64(min(max(dueTime.seconds, 0) * 1e9, 9e18))

    private func extend() { deadline = DispatchTime.now().uptimeNanoseconds &+ span }

    override func begin() {
        extend()
        super.begin()
    }

    override func restart() { extend() }

    override func remaining() -> RxTimeInterval? {
        let now = DispatchTime.now().uptimeNanoseconds
        return now >= deadline ? nil : .nanoseconds(Int(clamping: deadline - now))
    }
}

private final class WatchedSink<Element>: SerialSink<Element> {
    private let watch: Watch<Element>

    init(of watch: Watch<Element>) {
        self.watch = watch
        super.init(watch.gate)
        watch.watched = self
    }

    override func receive(_ value: Element) {
        guard isLive, !watch.isOver else { return }
        watch.forward(value)
        // Disposed of or timed out from inside the element's own delivery: no new timer.
        if isLive, !watch.isOver { watch.restart() }
    }

    override func receiveError(_ error: any Error) {
        guard isLive, !watch.isOver else { return }
        watch.cancel()
        watch.fail(error)
    }

    override func receiveCompleted() {
        guard isLive, !watch.isOver else { return }
        watch.cancel()
        watch.finish()
    }
}
