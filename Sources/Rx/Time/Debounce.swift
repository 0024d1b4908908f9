extension ObservableType {
    /// An element once no other came for that long after it. At the good end the one that waits is sent; an error drops
    /// it. With an interval of zero or less an element waits for the scheduler's next turn.
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(Debounce(asObservable().source, dueTime, scheduler))
    }
}

private final class Debounce<Element>: Timed<Element, Element> {
    override func run(_ sink: Sink<Element>) {
        let hub = DebounceHub(dueTime, scheduler, into: sink)
        hub.listen(
            to: upstream, with: Input<Element>(of: hub, onNext: { hub.put($0) }, onCompleted: { hub.flush() }))
    }
}

private final class DebounceHub<Element>: Hub<Element> {
    private let dueTime: RxTimeInterval
    private let alarm: Alarm
    // Touched inside the gate only.
    private var waiting: Element?

    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, into downstream: Sink<Element>) {
        self.dueTime = dueTime
        alarm = Alarm(scheduler)
        super.init(into: downstream)
        inputs.add(alarm)
    }

    func put(_ value: Element) {
        var kept: Element? = value
        swap(&waiting, &kept)
        alarm.set(after: dueTime, in: gate) { self.send() }
    }

    private func send() {
        if let value = waiting.take() { forward(value) }
    }

    func flush() {
        send()
        finish()
    }
}
