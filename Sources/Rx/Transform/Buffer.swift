public import Dispatch

extension ObservableType {
    /// Emits the elements in arrays, each of at most `count` elements from a time of `timeSpan`.
    ///
    /// An array is sent when it has `count` elements or its time is over; it may be empty. Then the count and the time
    /// start again. At completion the collected elements are sent, even if there are none; an error drops them. A count
    /// of 0 or less sets no limit of the number, and `.never` sets no limit of the time.
    public func buffer(timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType) -> Observable<[Element]> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = BufferSink<Element>(timeSpan, count, scheduler, into: downstream)
                sink.begin()
                sink.subscribe(
                    to: upstream,
                    with: ClosureInput<Element>(of: sink, onNext: { sink.receive($0) }, onCompleted: { sink.end() }))
            })
    }
}

private final class BufferSink<Element>: MultiInputSink<[Element]> {
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let timer: OperatorTimer
    // Used inside the operator's serial drain only.
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

    func begin() { timer.set(after: timeSpan, in: drain) { self.startNext() } }

    func receive(_ value: Element) {
        collected.append(value)
        if collected.count == count { startNext() }
    }

    private func startNext() {
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
