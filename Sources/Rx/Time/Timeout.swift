public import Dispatch

extension ObservableType {
    /// The stream, failing with `RxError.timeout` when nothing came for that long since subscription or an element.
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

private final class Timeout<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let dueTime: RxTimeInterval
    private let other: Source<Element>
    private let scheduler: any SchedulerType

    init(
        _ upstream: Source<Element>, _ dueTime: RxTimeInterval, _ other: Source<Element>, _ scheduler: any SchedulerType
    ) {
        self.upstream = upstream
        self.dueTime = dueTime
        self.other = other
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Element>) {
        // On the real clock an element only moves the deadline; the one timer looks at it when it goes off, and is set
        // anew for what is left. Other schedulers get a new timer for each element, so that what they see is exactly
        // the order of RxSwift.
        let watch: Watch<Element> =
            scheduler is any RealTimeScheduler
            ? DeadlineWatch(dueTime, other, scheduler, into: sink) : Watch(dueTime, other, scheduler, into: sink)
        watch.begin()
        watch.listen(to: upstream, with: WatchedSink(of: watch))
    }
}

/// Waits for elements with a new timer for each.
private class Watch<Element>: Hub<Element> {
    fileprivate let dueTime: RxTimeInterval
    private let other: Source<Element>
    private let scheduler: any SchedulerType
    private let timer = SerialDisposable()
    weak var watched: WatchedSink<Element>?
    // Both are touched inside the gate only: an old timer that fires late must not count.
    private final var round = 0
    private final var isOver = false

    init(
        _ dueTime: RxTimeInterval, _ other: Source<Element>, _ scheduler: any SchedulerType,
        into downstream: Sink<Element>
    ) {
        self.dueTime = dueTime
        self.other = other
        self.scheduler = scheduler
        super.init(into: downstream)
        inputs.add(Foreign(timer))
    }

    func begin() { arm(after: dueTime) }

    /// An element came.
    func restart() { arm(after: dueTime) }

    /// The timer went off: how long there is still to wait, or nil when the time is over.
    func remaining() -> RxTimeInterval? { nil }

    final func arm(after interval: RxTimeInterval) {
        round += 1
        let armed = round
        let watch = Ferry(self)
        let slot = SingleAssignmentDisposable()
        timer.disposable = slot
        slot.setDisposable(
            scheduler.run(after: interval) {
                watch.value.gate.pass(watch.value) { $0.fired(armed) }
            })
    }

    private func fired(_ armed: Int) {
        guard isLive, !isOver, armed == round else { return }
        if let left = remaining() { return arm(after: left) }
        isOver = true
        if let watched { drop(watched) }
        listen(to: other, with: HubInput(of: self))
    }

    final func cancel() {
        isOver = true
        timer.dispose()
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
        guard isLive else { return }
        watch.forward(value)
        // Disposed of or timed out from inside the element's own delivery: no new timer.
        if isLive { watch.restart() }
    }

    override func receiveError(_ error: any Error) {
        guard isLive else { return }
        watch.cancel()
        watch.fail(error)
    }

    override func receiveCompleted() {
        guard isLive else { return }
        watch.cancel()
        watch.finish()
    }
}
