extension ObservableType {
    /// Elements and the good end come that much later; an error comes at once and drops what was waiting.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(Delay(asObservable().source, dueTime, scheduler))
    }

    /// The subscription to the stream is made that much later.
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(DelaySubscription(asObservable().source, dueTime, scheduler))
    }
}

private final class Delay<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType

    init(_ upstream: Source<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.upstream = upstream
        self.dueTime = dueTime
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Element>) {
        let hub = DelayHub(dueTime, scheduler, into: sink)
        hub.listen(
            to: upstream,
            with: Input<Element>(of: hub, onNext: { hub.put(.next($0)) }, onCompleted: { hub.put(.completed) }))
    }
}

/// Holds elements back. Each has its own timer, and each timer lets the first one go, so their order stays.
private final class DelayHub<Element>: Hub<Element> {
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    // Touched inside the gate only.
    private var line = Line<Event<Element>>()

    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, into downstream: Sink<Element>) {
        self.dueTime = dueTime
        self.scheduler = scheduler
        super.init(into: downstream)
    }

    func put(_ event: Event<Element>) {
        line.append(event)
        let hub = Ferry(self)
        let timer = Stage()
        let link = Ferry(timer)
        inputs.add(timer)
        timer.attach(
            scheduler.run(after: dueTime) {
                hub.value.drop(link.value)
                hub.value.gate.pass(hub.value) { $0.letGo() }
            })
    }

    private func letGo() {
        guard isLive, let event = line.popFirst() else { return }
        switch event {
        case .next(let value): forward(value)
        case .error(let error): fail(error)
        case .completed: finish()
        }
    }
}

private final class DelaySubscription<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType

    init(_ upstream: Source<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.upstream = upstream
        self.dueTime = dueTime
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Element>) {
        let hub = Hub(into: sink)
        let start = Ferry((hub, upstream))
        let timer = scheduler.run(after: dueTime) {
            let (hub, upstream) = start.value
            if hub.isLive { hub.listen(to: upstream, with: HubInput(of: hub)) }
        }
        hub.inputs.add(Foreign(timer))
    }
}
