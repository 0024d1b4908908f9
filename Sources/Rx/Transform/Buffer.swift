public import Dispatch

extension ObservableType {
    /// The elements in arrays: one is sent when it has `count` elements or `timeSpan` after the one before, whichever
    /// comes first; it may be empty. Both begin anew with each array.
    ///
    /// At the good end what was collected is sent, empty or not; an error drops it. A count of 0 or less sets no limit;
    /// a span of `.never` waits for the count alone.
    public func buffer(timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType) -> Observable<[Element]> {
        Observable(Buffer(asObservable().source, timeSpan, count, scheduler))
    }
}

private final class Buffer<Element>: TimedSource<Element, [Element]> {
    private let count: Int

    init(_ upstream: Source<Element>, _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType) {
        self.count = count
        super.init(upstream, timeSpan, scheduler)
    }

    override func run(_ downstream: Sink<[Element]>) {
        let sink = BufferSink<Element>(dueTime, count, scheduler, into: downstream)
        sink.begin()
        sink.subscribe(
            to: upstream, with: ClosureInput<Element>(of: sink, onNext: { sink.put($0) }, onCompleted: { sink.end() }))
    }
}

private final class BufferSink<Element>: MultiInputSink<[Element]> {
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let timer: OperatorTimer
    // Touched inside the drain only.
    private var collected: [Element] = []

    init(
        _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType, into downstream: Sink<[Element]>
    ) {
        self.timeSpan = timeSpan
        self.count = count
        timer = OperatorTimer(scheduler)
        super.init(into: downstream)
        inputs.add(timer)
    }

    func begin() { timer.set(after: timeSpan, in: drain) { self.turnOver() } }

    func put(_ value: Element) {
        collected.append(value)
        if collected.count == count { turnOver() }
    }

    private func turnOver() {
        send()
        if isLive { begin() }
    }

    private func send() {
        let full = collected
        collected = []
        forward(full)
    }

    func end() {
        send()
        finish()
    }
}
