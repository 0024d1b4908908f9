import Synchronization

extension ObservableType {
    /// The events, delivered on the scheduler in their order.
    public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        Observable(ObserveOn(asObservable().source, scheduler))
    }

    /// The stream, subscribed to and disposed of on the scheduler.
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        Observable(SubscribeOn(asObservable().source, scheduler))
    }
}

private final class ObserveOn<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let scheduler: any ImmediateSchedulerType

    init(_ upstream: Source<Element>, _ scheduler: any ImmediateSchedulerType) {
        self.upstream = upstream
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Element>) { upstream.run(ObserveSink(scheduler, into: sink)) }
}

/// A queue between two threads. Whoever fills an idle queue schedules a turn.
///
/// On a real queue one turn delivers all that is there; on other schedulers one turn delivers one event, so that in
/// virtual time each event has its own tick, as in RxSwift.
private final class ObserveSink<Element>: SingleInputSink<Element, Element>, ScheduledStep {
    private enum Ending {
        case completed
        case failed(any Error)
    }

    private let scheduler: any ImmediateSchedulerType
    private let batches: Bool
    private let pending = SerialDisposable()
    // Touched by the turn that runs only.
    private let delivered = FIFOQueue<Element>()
    // `lock` guards these three. Nothing is called out to under it.
    private let lock = Lock()
    private let incoming = FIFOQueue<Element>()
    private var ending: Ending?
    private var isScheduled = false

    init(_ scheduler: any ImmediateSchedulerType, into downstream: Sink<Element>) {
        self.scheduler = scheduler
        batches = scheduler is any RealTimeScheduler
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        let starts = lock.withLock { () -> Bool in
            incoming.append(value)
            defer { isScheduled = true }
            return !isScheduled
        }
        if starts { schedule() }
    }

    override func error(_ error: any Error) { end(.failed(error)) }
    override func completed() { end(.completed) }

    private func end(_ how: Ending) {
        let starts = lock.withLock { () -> Bool in
            ending = how
            defer { isScheduled = true }
            return !isScheduled
        }
        if starts { schedule() }
    }

    private func schedule() {
        guard isLive else { return }
        if batches { return scheduleStep(on: scheduler) }
        let slot = SingleAssignmentDisposable()
        pending.disposable = slot
        let sink = UncheckedTransfer(self)
        slot.setDisposable(scheduler.run { sink.value.performStep() })
    }

    func performStep() {
        let last = take()
        while let first = delivered.takeFirst() { forward(first.element) }
        switch last {
        case .completed: return finish()
        case .failed(let error): return fail(error)
        case nil: break
        }
        // What came meanwhile is another turn: others who use the queue are not to wait for a stream without pauses.
        let goesOn = lock.withLock { () -> Bool in
            isScheduled = isLive && (!incoming.isEmpty || ending != nil)
            return isScheduled
        }
        if goesOn { schedule() }
    }

    /// Takes what this turn delivers: all that has come, or one event.
    private func take() -> Ending? {
        lock.withLock {
            if !batches, let first = incoming.takeFirst() {
                delivered.append(first.element)
                return nil
            }
            incoming.moveAll(to: delivered)
            return ending
        }
    }

    override func dispose() {
        if markDisposed() { pending.dispose() }
    }
}

private final class SubscribeOn<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let scheduler: any ImmediateSchedulerType

    // Where the subscription to `upstream` is undone; nil if `upstream` sees to that.
    private let disposalScheduler: (any ImmediateSchedulerType)?

    init(_ upstream: Source<Element>, _ scheduler: any ImmediateSchedulerType) {
        let foreign = upstream as? any DisposalSchedulable<Element>
        self.upstream = foreign?.disposed(on: scheduler) ?? upstream
        self.scheduler = scheduler
        disposalScheduler = foreign == nil ? scheduler : nil
    }

    override func run(_ sink: Sink<Element>) {
        let pass = SubscribeSink(disposedOn: disposalScheduler, into: sink)
        let start = UncheckedTransfer((pass, upstream))
        pass.begin(
            scheduler.run {
                let (pass, upstream) = start.value
                if pass.isLive { upstream.connect(pass.inner) }
            })
    }
}

private final class SubscribeSink<Element>: SubscriptionNode {
    let inner: Inner
    private let scheduler: (any ImmediateSchedulerType)?
    private let start = SingleAssignmentDisposable()

    init(disposedOn scheduler: (any ImmediateSchedulerType)?, into downstream: Sink<Element>) {
        inner = Inner(downstream)
        self.scheduler = scheduler
        super.init()
        downstream.attach(self)
    }

    func begin(_ disposable: any Disposable) { start.setDisposable(disposable) }

    override func dispose() {
        guard markDisposed() else { return }
        start.dispose()
        // What the subscriber disposes of is disposed of where it was subscribed.
        inner.markSilent()
        guard let scheduler else { return inner.dispose() }
        let target = UncheckedTransfer(inner)
        _ = scheduler.run { target.value.dispose() }
    }

    final class Inner: Sink<Element> {
        private let downstream: Sink<Element>
        private let silent = Atomic<Bool>(false)
        init(_ downstream: Sink<Element>) { self.downstream = downstream }
        func markSilent() { silent.store(true, ordering: .releasing) }
        private var speaks: Bool { isLive && !silent.load(ordering: .acquiring) }
        override func next(_ value: Element) { if speaks { downstream.next(value) } }

        override func error(_ error: any Error) {
            if speaks { downstream.error(error) }
            dispose()
        }

        override func completed() {
            if speaks { downstream.completed() }
            dispose()
        }
    }
}
