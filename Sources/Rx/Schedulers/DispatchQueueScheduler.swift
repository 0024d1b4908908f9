public import Dispatch
public import FoundationEssentials
import Synchronization

/// The base class of the schedulers on dispatch queues. Its clock is the wall clock.
///
/// Intervals are those of libdispatch: a negative interval counts as zero, and `.never` never fires. The leeway is the
/// delay with which a timer may fire after the requested time.
public class DispatchQueueScheduler: SchedulerType, RealTimeScheduler, @unchecked Sendable {
    // Guard for `@unchecked`: the class and its subclasses do not change after `init`, except for an atomic count in
    // `MainScheduler`.
    let queue: DispatchQueue
    private let leeway: DispatchTimeInterval

    init(on queue: DispatchQueue, leeway: DispatchTimeInterval) {
        self.queue = queue
        self.leeway = leeway
    }

    /// The time of the wall clock.
    public var now: RxTime { Date() }

    /// Runs the action on the queue as soon as possible.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let transfer = UncheckedTransfer(state)
        let item = ScheduledAction { action(transfer.value) }
        queue.async { item.run() }
        return item
    }

    /// Runs the action on the queue after the interval.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let transfer = UncheckedTransfer(state)
        let item = ScheduledAction { action(transfer.value) }
        let timer = QueueTimer(on: queue)
        timer.start(after: dueTime, period: .never, leeway: leeway) {
            timer.dispose()
            item.run()
        }
        return Disposables.create(timer, item)
    }

    /// Runs the action on the queue periodically. Ticks that are due while the action runs are skipped.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let cell = PeriodicState(state)
        let timer = QueueTimer(on: queue)
        timer.start(after: startAfter, period: period, leeway: leeway) {
            if !timer.isDisposed { cell.step(action) }
        }
        return timer
    }
}

/// A scheduler that runs one piece of work after another, even if its target queue is concurrent.
public class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    // Guard for `@unchecked`: the class adds no mutable state to the superclass.
    init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        super.init(on: serialQueue, leeway: leeway)
    }

    /// Creates a scheduler on a new serial queue with the given name. The closure may configure the queue.
    public convenience init(
        internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: internalSerialQueueName, attributes: [])
        serialQueueConfiguration?(queue)
        self.init(serialQueue: queue, leeway: leeway)
    }

    /// Creates a scheduler on a new serial queue that has the given name and targets the given queue.
    public convenience init(
        queue: DispatchQueue, internalSerialQueueName: String, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        self.init(serialQueue: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
    }

    /// Creates a scheduler on a new serial queue that targets the global queue of the given quality.
    public convenience init(
        qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        self.init(
            queue: DispatchQueue.global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName,
            leeway: leeway)
    }
}

/// A scheduler that runs work on a dispatch queue; a concurrent queue runs several pieces at a time.
public final class ConcurrentDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    // Guard for `@unchecked`: the class adds no mutable state to the superclass.

    /// Creates a scheduler on the given queue.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        super.init(on: queue, leeway: leeway)
    }

    /// Creates a scheduler on a new concurrent queue of the given quality of service.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        self.init(
            queue: DispatchQueue(label: "rx.dispatch_queue.\(qos)", qos: qos, attributes: [.concurrent]), leeway: leeway
        )
    }
}

/// The state of a periodic action between two ticks.
///
/// Guard for `@unchecked`: a timer source runs one handler at a time.
private final class PeriodicState<State>: @unchecked Sendable {
    private var state: State
    // The thread sanitizer does not see that handlers run one after the other. This flag shows it the order.
    private let sanitizerOrder = Atomic<Bool>(false)

    init(_ state: State) { self.state = state }

    func step(_ action: (State) -> State) {
        _ = sanitizerOrder.load(ordering: .acquiring)
        state = action(state)
        sanitizerOrder.store(true, ordering: .releasing)
    }
}

/// A timer on a dispatch queue.
///
/// Guard for `@unchecked`: libdispatch synchronizes its timers, and the flag of `cancelled` is atomic.
private final class QueueTimer: Cancelable, @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    private let cancelled = BooleanDisposable()

    init(on queue: DispatchQueue) { timer = DispatchSource.makeTimerSource(queue: queue) }

    var isDisposed: Bool { cancelled.isDisposed }

    func start(
        after dueTime: RxTimeInterval, period: RxTimeInterval, leeway: RxTimeInterval,
        _ work: @escaping @Sendable () -> Void
    ) {
        timer.schedule(deadline: .now() + dueTime.nonNegative, repeating: period.nonNegative, leeway: leeway)
        // The handler retains this object until the timer is cancelled, because an active timer must not be released.
        timer.setEventHandler(handler: work)
        timer.resume()
    }

    func dispose() {
        if cancelled.markDisposed() {
            timer.cancel()
            // libdispatch releases the handler, and with it this object, after the cancellation.
        }
    }
}
