public import Dispatch
import FoundationEssentials

extension ObservableType {
    /// At most one element in that length of time: the first, and, where `latest`, the last one of what followed.
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Observable(Throttle(asObservable().source, dueTime, latest, scheduler))
    }
}

private final class Throttle<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let dueTime: RxTimeInterval
    private let latest: Bool
    private let scheduler: any SchedulerType

    init(_ upstream: Source<Element>, _ dueTime: RxTimeInterval, _ latest: Bool, _ scheduler: any SchedulerType) {
        self.upstream = upstream
        self.dueTime = dueTime
        self.latest = latest
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Element>) {
        let hub = ThrottleHub(dueTime, latest, scheduler, into: sink)
        hub.listen(to: upstream, with: Input<Element>(of: hub, onNext: { hub.put($0) }, onCompleted: { hub.end() }))
    }
}

private final class ThrottleHub<Element>: Hub<Element> {
    private let dueTime: RxTimeInterval
    private let latest: Bool
    private let scheduler: any SchedulerType
    private let timer = SerialDisposable()
    // What follows is touched inside the gate only.
    private var waiting: Element?
    private var lastSent: RxTime?
    private var ended = false

    init(
        _ dueTime: RxTimeInterval, _ latest: Bool, _ scheduler: any SchedulerType, into downstream: Sink<Element>
    ) {
        self.dueTime = dueTime
        self.latest = latest
        self.scheduler = scheduler
        super.init(into: downstream)
        inputs.add(Foreign(timer))
    }

    func put(_ value: Element) {
        let left = lastSent.map { dueTime.seconds - scheduler.now.timeIntervalSince($0) } ?? 0
        // Less than a microsecond is a rounding of the clock.
        guard left > 1e-6 else { return send(value) }
        guard latest else { return }
        let isArmed = waiting != nil
        waiting = value
        if isArmed { return }
        let hub = Ferry(self)
        timer.disposable = scheduler.run(after: DispatchTimeInterval(seconds: left)) {
            hub.value.gate.pass(hub.value) { $0.fired() }
        }
    }

    func end() {
        if waiting == nil { finish() } else { ended = true }
    }

    private func fired() {
        if let value = waiting.take() { send(value) }
        if ended { finish() }
    }

    private func send(_ value: Element) {
        forward(value)
        lastSent = scheduler.now
    }
}
