extension ObservableType {
    /// Emits each element after which no other element arrives for the given time.
    ///
    /// At completion a waiting element is sent at once; an error drops it. With an interval of zero or less an element
    /// waits until the scheduler can run other work.
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = DebounceSink(dueTime, scheduler, into: downstream)
                sink.subscribe(
                    to: upstream,
                    with: ClosureInput<Element>(of: sink, onNext: { sink.store($0) }, onCompleted: { sink.end() }))
            })
    }
}

private final class DebounceSink<Element>: MultiInputSink<Element> {
    private let dueTime: RxTimeInterval
    private let timer: OperatorTimer
    // Used inside the operator's serial drain only.
    private var waiting: Element?

    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, into downstream: Sink<Element>) {
        self.dueTime = dueTime
        timer = OperatorTimer(scheduler)
        super.init(into: downstream)
        inputs.add(timer)
    }

    func store(_ value: Element) {
        // Swaps the elements, so that the old element is released after the new element is stored.
        var new: Element? = value
        swap(&waiting, &new)
        timer.set(after: dueTime, in: drain) { self.send() }
    }

    private func send() {
        if let value = waiting.take() { forward(value) }
    }

    func end() {
        send()
        finish()
    }
}
