import DBus
import Rx

/// Something with events that wait for delivery.
class DeliveryRun: @unchecked Sendable {
    // Guard: `step` is immutable; subclasses protect their own state.
    private let step: @Sendable (DeliveryRun) -> Void

    /// - Parameter step: Delivers the next waiting event of the object in its argument. A closure instead of a method,
    ///   because the compiler specialises a closure, but not a method of a generic subclass.
    init(_ step: @escaping @Sendable (DeliveryRun) -> Void) { self.step = step }

    final func deliver() { step(self) }
}

/// The events of a manager's streams that wait for delivery, in the order in which they occurred (S76).
///
/// All streams share the queue, so one wake-up of the scheduler delivers a batch of events. On schedulers without
/// real time, each event has its own run of the scheduler, as in RxSwift.
final class DeliveryQueue: @unchecked Sendable {
    // Guard: `lock` guards the variables. No code of users runs under the lock.
    private let lock = Lock()
    private var waiting: [DeliveryRun] = []
    /// An empty array with room for the next batch.
    private var spare: [DeliveryRun] = []
    /// Whether a delivery is scheduled or in progress.
    private var isScheduled = false
    private weak var latestBus: (any Bus)?
    /// The same bus, if it has turns.
    private weak var turns: (any TurnBasedBus)?
    private let delivery: Delivery
    /// The scheduler of the user's configuration.
    private let base: any SchedulerType
    private let isQueue: Bool

    init(_ delivery: Delivery, on scheduler: any SchedulerType) {
        self.delivery = delivery
        base = scheduler
        isQueue = delivery != .immediate || scheduler is any RealTimeScheduler
    }

    /// Whether events are delivered in the context of the bus, and not on the scheduler of the user's configuration.
    var isInBusContext: Bool { delivery == .inBusContext }

    /// A scheduler that runs work in the order of this queue.
    var scheduler: any SchedulerType {
        guard isQueue else { return base }
        guard let realTime = base as? any RealTimeScheduler else { return QueueScheduler(self, base) }
        return RealTimeQueueScheduler(self, realTime)
    }

    /// Uses the context of a newly opened bus. The queue does not keep the bus open.
    func follow(_ bus: any Bus) {
        let turns = bus as? any TurnBasedBus
        lock.withLock {
            latestBus = bus
            self.turns = turns
        }
    }

    /// Adds an event. May be called on any thread.
    func enqueue(_ run: DeliveryRun) {
        guard isQueue else { return schedule { run.deliver() } }
        let starts = lock.withLock {
            waiting.append(run)
            defer { isScheduled = true }
            return !isScheduled
        }
        if starts { start() }
    }

    private func start() {
        switch delivery.kind {
        case .immediate:
            // The context first handles all messages that it has read. Without this, each would cause a wake-up.
            if !performAtEndOfTurn({ self.schedule { self.run() } }) { schedule { self.run() } }
        case .batched(let window):
            _ = base.scheduleRelative((), dueTime: window.timeInterval) { _ in
                self.run()
                return Disposables.create()
            }
        case .inBusContext:
            if performAtEndOfTurn({ self.run() }) { return }
            if let bus { bus.perform { self.run() } } else { schedule { self.run() } }
        }
    }

    private var bus: (any Bus)? { lock.withLock { latestBus } }

    private func performAtEndOfTurn(_ work: @escaping @Sendable () -> Void) -> Bool {
        lock.withLock { turns }?.performAtEndOfTurn(work) ?? false
    }

    private func schedule(_ work: @escaping @Sendable () -> Void) {
        _ = base.schedule(()) { _ in
            work()
            return Disposables.create()
        }
    }

    /// Delivers the waiting events. Newer events wait for another run, so that other work of the scheduler gets a turn.
    private func run() {
        var batch = lock.withLock {
            let batch = waiting
            waiting = spare
            spare = []
            return batch
        }
        for run in batch { run.deliver() }
        batch.removeAll(keepingCapacity: batch.count <= 1024)
        let continues = lock.withLock {
            spare = batch
            isScheduled = !waiting.isEmpty
            return isScheduled
        }
        if continues { start() }
    }
}

/// Work of a scheduler in a delivery queue.
private final class ScheduledWork: DeliveryRun, Disposable, @unchecked Sendable {
    // Guard: the lock of `Guarded`.
    private enum Phase {
        case waiting(@Sendable () -> any Disposable)
        case ended((any Disposable)?)
        case disposed
    }

    private let phase: Guarded<Phase>

    init(_ work: @escaping @Sendable () -> any Disposable) {
        phase = Guarded(.waiting(work))
        super.init { ($0 as? ScheduledWork)?.perform() }
    }

    private func perform() {
        let work: (@Sendable () -> any Disposable)? = phase.withLock { phase in
            guard case .waiting(let work) = phase else { return nil }
            phase = .ended(nil)
            return work
        }
        guard let result = work?() else { return }
        let isDisposed = phase.withLock { phase in
            if case .disposed = phase { return true }
            phase = .ended(result)
            return false
        }
        if isDisposed { result.dispose() }
    }

    func dispose() {
        let old = phase.withLock { phase in
            defer { phase = .disposed }
            return phase
        }
        if case .ended(let result?) = old { result.dispose() }
    }
}

/// A scheduler on a delivery queue. Timers use the clock of the scheduler of the user's configuration.
private class QueueScheduler: SchedulerType, @unchecked Sendable {
    // Guard: the class has no mutable state.
    private let queue: DeliveryQueue
    private let base: any SchedulerType

    init(_ queue: DeliveryQueue, _ base: any SchedulerType) {
        self.queue = queue
        self.base = base
    }

    var now: RxTime { base.now }

    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let transfer = UncheckedTransfer(state)
        let work = ScheduledWork { action(transfer.value) }
        queue.enqueue(work)
        return work
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        guard queue.isInBusContext else { return base.scheduleRelative(state, dueTime: dueTime, action: action) }
        let transfer = UncheckedTransfer(state)
        let work = ScheduledWork { action(transfer.value) }
        let timer = base.scheduleRelative((), dueTime: dueTime) { [queue] _ in
            queue.enqueue(work)
            return Disposables.create()
        }
        return Disposables.create(timer, work)
    }

    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        base.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
    }
}

/// A scheduler on a delivery queue that has the clock of libdispatch.
private final class RealTimeQueueScheduler: QueueScheduler, RealTimeScheduler, @unchecked Sendable {
    // Guard: the class has no mutable state.
    private let realTime: any RealTimeScheduler

    init(_ queue: DeliveryQueue, _ base: any RealTimeScheduler) {
        realTime = base
        super.init(queue, base)
    }

    var uptime: Double { realTime.uptime }
}
