extension ObservableType {
    /// The same stream, with its events delivered on the scheduler in their order.
    ///
    /// Events wait in a queue without a limit if the subscriber is slower than the stream.
    public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        lift { ObserveSink(scheduler, into: $0) }
    }
}

/// A queue between two threads. The thread that fills an empty queue schedules a delivery.
///
/// On a real queue one step delivers all queued events. On other schedulers it delivers one event, so that in virtual
/// time each event has a tick of its own, as in RxSwift.
private final class ObserveSink<Element>: SingleInputSink<Element, Element> {
    private enum Ending {
        case completed
        case failed(any Error)
    }

    private let scheduler: any ImmediateSchedulerType
    private let deliversInBatches: Bool
    private let pendingStep = SerialDisposable()
    // Used by the running step only.
    private let delivered = FIFOQueue<Element>()
    // `lock` guards these three. No user code runs under it.
    private let lock = Lock()
    private let incoming = FIFOQueue<Element>()
    private var ending: Ending?
    private var isScheduled = false

    init(_ scheduler: any ImmediateSchedulerType, into downstream: Sink<Element>) {
        self.scheduler = scheduler
        deliversInBatches = scheduler is any RealTimeScheduler
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
        if deliversInBatches {
            // Not stored: a step after disposal finds that the sink is not live.
            _ = scheduleStep()
        } else {
            let slot = SingleAssignmentDisposable()
            pendingStep.disposable = slot
            slot.setDisposable(scheduleStep())
        }
    }

    private func scheduleStep() -> any Disposable {
        scheduler.schedule(UncheckedTransfer(self)) { sink in
            sink.value.performStep()
            return Disposables.create()
        }
    }

    private func performStep() {
        let last = takeEvents()
        while let first = delivered.takeFirst() { forward(first.element) }
        switch last {
        case .completed: return finish()
        case .failed(let error): return fail(error)
        case nil: break
        }
        // Newer events are another step, so that a stream without pauses does not monopolize the queue.
        let continues = lock.withLock { () -> Bool in
            isScheduled = isLive && (!incoming.isEmpty || ending != nil)
            return isScheduled
        }
        if continues { schedule() }
    }

    /// Takes the events of this step: all queued elements, or one event.
    private func takeEvents() -> Ending? {
        lock.withLock {
            if !deliversInBatches, let first = incoming.takeFirst() {
                delivered.append(first.element)
                return nil
            }
            incoming.moveAll(to: delivered)
            return ending
        }
    }

    override func dispose() {
        if markDisposed() { pendingStep.dispose() }
    }
}
