extension ObservableType {
    /// An element once no other came for that long after it. At the good end the one that waits is sent.
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(Debounce(asObservable().source, dueTime, scheduler))
    }
}

private final class Debounce<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType

    init(_ upstream: Source<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.upstream = upstream
        self.dueTime = dueTime
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Element>) {
        let hub = DebounceHub(dueTime, scheduler, into: sink)
        hub.listen(
            to: upstream, with: Input<Element>(of: hub, onNext: { hub.put($0) }, onCompleted: { hub.flush() }))
    }
}

private final class DebounceHub<Element>: Hub<Element> {
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let timer = SerialDisposable()
    // Both are touched inside the gate only.
    private var waiting: Element?
    private var round = 0

    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, into downstream: Sink<Element>) {
        self.dueTime = dueTime
        self.scheduler = scheduler
        super.init(into: downstream)
        inputs.add(Foreign(timer))
    }

    func put(_ value: Element) {
        waiting = value
        round += 1
        let armed = round
        let hub = Ferry(self)
        let slot = SingleAssignmentDisposable()
        timer.disposable = slot
        slot.setDisposable(
            scheduler.run(after: dueTime) {
                hub.value.gate.pass(hub.value) { if $0.round == armed { $0.send() } }
            })
    }

    private func send() {
        if let value = waiting.take() { forward(value) }
    }

    func flush() {
        round += 1
        send()
        finish()
    }
}
