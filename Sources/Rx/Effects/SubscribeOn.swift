import Synchronization

extension ObservableType {
    /// Subscribes to the stream and disposes of the subscription on the scheduler.
    ///
    /// Events are delivered on the thread on which the stream sends them.
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        let upstream = asObservable().source
        let schedulable = upstream as? any DisposalSchedulable<Element>
        let source = schedulable?.disposed(on: scheduler) ?? upstream
        // Nil if `source` itself disposes of its subscriptions on the scheduler.
        let disposalScheduler = schedulable == nil ? scheduler : nil
        return Observable(
            MultiInputSource { downstream in
                let node = SubscribeOnNode(disposedOn: disposalScheduler, into: downstream)
                let start = UncheckedTransfer((node, source))
                node.begin(
                    scheduler.run {
                        let (node, source) = start.value
                        if node.isLive { source.connect(node.inner) }
                    })
            })
    }
}

private final class SubscribeOnNode<Element>: SubscriptionNode {
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
        // Stops events at once, because the upstream is disposed of later, on the scheduler.
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
        private var forwards: Bool { isLive && !silent.load(ordering: .acquiring) }
        override func next(_ value: Element) { if forwards { downstream.next(value) } }

        override func error(_ error: any Error) {
            if forwards { downstream.error(error) }
            dispose()
        }

        override func completed() {
            if forwards { downstream.completed() }
            dispose()
        }
    }
}
