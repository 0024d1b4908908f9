public import Dispatch

extension ObservableType {
    /// Fails with `RxError.timeout` if no element arrives for the given time.
    ///
    /// The time starts at subscription and again at each element. With an interval of zero or less, the result fails as
    /// soon as the scheduler can; with `.never`, it does not time out.
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        timeout(dueTime, other: Observable.error(RxError.timeout), scheduler: scheduler)
    }

    /// Switches to the other stream if no element arrives for the given time.
    ///
    /// The time starts at subscription and again at each element. When the other stream takes over, this stream is
    /// disposed of.
    public func timeout<Other: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Other, scheduler: any SchedulerType
    ) -> Observable<Element> where Other.Element == Element {
        let (upstream, other) = (asObservable().source, other.asObservable().source)
        return Observable(
            MultiInputSource { downstream in
                // On the real clock an element only moves the deadline. Other schedulers get a new timer for each
                // element, so that the order of their work is exactly that of RxSwift.
                let sink: TimeoutSink<Element> =
                    scheduler is any RealTimeScheduler
                    ? DeadlineTimeoutSink(dueTime, other, scheduler, into: downstream)
                    : TimeoutSink(dueTime, other, scheduler, into: downstream)
                // The input is created before the timer starts, because the time may be over at once.
                let input = TimeoutInput(of: sink)
                sink.begin()
                sink.subscribe(to: upstream, with: input)
            })
    }
}

/// The sink of `timeout`. It sets a new timer for each element.
private class TimeoutSink<Element>: MultiInputSink<Element> {
    fileprivate let dueTime: RxTimeInterval
    private let other: Source<Element>
    private let timer: OperatorTimer
    weak var input: TimeoutInput<Element>?
    /// Whether the stream ended or timed out. Used inside the drain only.
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

    func begin() { setTimer(after: dueTime) }

    /// Starts the time again after an element.
    func restart() { setTimer(after: dueTime) }

    /// Returns the time that is left when the timer fires, or nil if the time is over.
    func remaining() -> RxTimeInterval? { nil }

    private final func setTimer(after interval: RxTimeInterval) {
        timer.set(after: interval, in: drain) { self.fired() }
    }

    private func fired() {
        guard isLive, !isOver else { return }
        if let left = remaining() { return setTimer(after: left) }
        isOver = true
        subscribe(to: other, with: ForwardingInput(of: self))
        if let input { removeInput(input) }
    }

    final func cancel() {
        isOver = true
        timer.dispose()
    }
}

/// The sink of `timeout` on a real clock. Each element moves a deadline, which allocates nothing.
private final class DeadlineTimeoutSink<Element>: TimeoutSink<Element> {
    // Nanoseconds of the monotonic clock, so that setting the wall clock causes no time-out. Used inside the drain
    // only.
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
        // Starts no new time if the subscription ended or timed out during the delivery of the element.
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
