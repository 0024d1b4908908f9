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

private final class Timeout<Element>: TimedSource<Element, Element> {
    private let other: Source<Element>

    init(
        _ upstream: Source<Element>, _ dueTime: RxTimeInterval, _ other: Source<Element>, _ scheduler: any SchedulerType
    ) {
        self.other = other
        super.init(upstream, dueTime, scheduler)
    }

    override func run(_ downstream: Sink<Element>) {
        // On the real clock an element only moves the deadline; the one timer looks at it when it goes off, and is set
        // anew for what is left. Other schedulers get a new timer for each element, so that what they see is exactly
        // the order of RxSwift.
        let sink: TimeoutSink<Element> =
            scheduler is any RealTimeScheduler
            ? DeadlineTimeoutSink(dueTime, other, scheduler, into: downstream)
            : TimeoutSink(dueTime, other, scheduler, into: downstream)
        // Known to the sink before the timer runs: the time may be over at once.
        let input = TimeoutInput(of: sink)
        sink.begin()
        sink.subscribe(to: upstream, with: input)
    }
}

/// Waits for elements with a new timer for each.
private class TimeoutSink<Element>: MultiInputSink<Element> {
    fileprivate let dueTime: RxTimeInterval
    private let other: Source<Element>
    private let timer: OperatorTimer
    weak var input: TimeoutInput<Element>?
    /// The stream ended or is given up. Touched inside the drain only.
    private(set) final var isOver = false

    init(
        _ dueTime: RxTimeInterval, _ other: Source<Element>, _ scheduler: any SchedulerType,
        into downstream: Sink<Element>
    ) {
        self.dueTime = dueTime
        self.other = other
        timer = OperatorTimer(scheduler)
        super.init(into: downstream)
        inputs.add(timer)
    }

    func begin() { arm(after: dueTime) }

    /// An element came.
    func restart() { arm(after: dueTime) }

    /// The timer went off: how long there is still to wait, or nil when the time is over.
    func remaining() -> RxTimeInterval? { nil }

    private final func arm(after interval: RxTimeInterval) {
        timer.set(after: interval, in: drain) { self.fired() }
    }

    private func fired() {
        guard isLive, !isOver else { return }
        if let left = remaining() { return arm(after: left) }
        isOver = true
        subscribe(to: other, with: ForwardingInput(of: self))
        if let input { removeInput(input) }
    }

    final func cancel() {
        isOver = true
        timer.dispose()
    }
}

/// Waits for elements with one timer and a deadline that each element moves. Nothing is allocated for an element.
private final class DeadlineTimeoutSink<Element>: TimeoutSink<Element> {
    // Nanoseconds of the monotonic clock, so that setting the wall clock times nothing out. Touched inside the drain.
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

private final class TimeoutInput<Element>: SerialSink<Element> {
    private let sink: TimeoutSink<Element>

    init(of sink: TimeoutSink<Element>) {
        self.sink = sink
        super.init(sink.drain)
        sink.input = self
    }

    override func receive(_ value: Element) {
        guard isLive, !sink.isOver else { return }
        sink.forward(value)
        // Disposed of or timed out from inside the element's own delivery: no new timer.
        if isLive, !sink.isOver { sink.restart() }
    }

    override func receiveError(_ error: any Error) {
        guard isLive, !sink.isOver else { return }
        sink.cancel()
        sink.fail(error)
    }

    override func receiveCompleted() {
        guard isLive, !sink.isOver else { return }
        sink.cancel()
        sink.finish()
    }
}
