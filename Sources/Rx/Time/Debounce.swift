extension ObservableType {
    /// An element once no other came for that long after it. At the good end the one that waits is sent; an error drops
    /// it. With an interval of zero or less an element waits for the scheduler's next turn.
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(Debounce(asObservable().source, dueTime, scheduler))
    }
}

private final class Debounce<Element>: TimedSource<Element, Element> {
    override func run(_ downstream: Sink<Element>) {
        let sink = DebounceSink(dueTime, scheduler, into: downstream)
        sink.subscribe(
            to: upstream, with: ClosureInput<Element>(of: sink, onNext: { sink.put($0) }, onCompleted: { sink.flush() })
        )
    }
}

private final class DebounceSink<Element>: MultiInputSink<Element> {
    private let dueTime: RxTimeInterval
    private let timer: OperatorTimer
    // Touched inside the drain only.
    private var waiting: Element?

    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, into downstream: Sink<Element>) {
        self.dueTime = dueTime
        timer = OperatorTimer(scheduler)
        super.init(into: downstream)
        inputs.add(timer)
    }

    func put(_ value: Element) {
        var kept: Element? = value
        swap(&waiting, &kept)
        timer.set(after: dueTime, in: drain) { self.send() }
    }

    private func send() {
        if let value = waiting.take() { forward(value) }
    }

    func flush() {
        send()
        finish()
    }
}
