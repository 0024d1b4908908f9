extension ObservableType {
    /// Delivers the events of the stream on the scheduler, in their order.
    ///
    /// Events wait in a queue without a limit if the subscriber is slower than the stream.
    public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        lift { ObserveSink(scheduler, into: $0) }
    }
}

/// The sink of `observe(on:)`: a queue of events between the sender and the scheduler.
///
/// `next` schedules a delivery step if none is scheduled. On a `RealTimeScheduler`, one step delivers all queued
/// events. On other schedulers, a step delivers one event, so that each event has its own tick of virtual time, as in
/// RxSwift.
private final class ObserveSink<Element>: SingleInputSink<Element, Element> {
    private enum Ending {
        case completed
        case failed(any Error)
    }

    private let scheduler: any ImmediateSchedulerType
    private let deliversInBatches: Bool
    private let pendingStep = SerialDisposable()
    // Only the running delivery step uses this queue.
    private let delivered = FIFOQueue<Element>()
    // `lock` guards the next three fields. No user code runs under the lock.
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
            // The disposable of the step is not stored, because a step after disposal finds that the sink is not live.
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
        while !delivered.isEmpty { forward(delivered.removeFirst()) }
        switch last {
        case .completed: return finish()
        case .failed(let error): return fail(error)
        case nil: break
        }
        // Newer events wait for another step, so that a stream without pauses does not monopolize the queue.
        let continues = lock.withLock { () -> Bool in
            isScheduled = isLive && (!incoming.isEmpty || ending != nil)
            return isScheduled
        }
        if continues { schedule() }
    }

    /// Moves the elements of this step to `delivered`; returns the end if this step sends it.
    private func takeEvents() -> Ending? {
        lock.withLock {
            if !deliversInBatches, !incoming.isEmpty {
                delivered.append(incoming.removeFirst())
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
