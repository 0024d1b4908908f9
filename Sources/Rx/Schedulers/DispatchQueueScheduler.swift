public import Dispatch
public import FoundationEssentials
import Synchronization

/// What the schedulers on dispatch queues have in common: the wall clock, and work now, later, and again and again.
///
/// Times are those of libdispatch: an interval that is negative counts as none, `.never` does not come. The leeway is
/// how much later than asked a timer may fire.
public class DispatchQueueScheduler: SchedulerType, RealTimeScheduler, @unchecked Sendable {
    // Guard for `@unchecked`: the class and its subclasses never change after `init`, but for one atomic count.
    let queue: DispatchQueue
    private let leeway: DispatchTimeInterval

    init(on queue: DispatchQueue, leeway: DispatchTimeInterval) {
        self.queue = queue
        self.leeway = leeway
    }

    /// The wall clock.
    public var now: RxTime { Date() }

    /// Does the action on the queue as soon as it can.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let transfer = UncheckedTransfer(state)
        let item = ScheduledAction { action(transfer.value) }
        queue.async { item.run() }
        return item
    }

    /// Does the action on the queue after the interval.
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

    /// Does the action on the queue again and again; ticks missed while it runs are left out.
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

/// The state between two ticks. Guard: a timer source runs one handler at a time, on whatever thread.
private final class PeriodicState<State>: @unchecked Sendable {
    private var state: State
    // The thread sanitizer does not see that libdispatch runs one handler after the other. These moves tell it.
    private let turn = Atomic<Bool>(false)

    init(_ state: State) { self.state = state }

    func step(_ action: (State) -> State) {
        _ = turn.load(ordering: .acquiring)
        state = action(state)
        turn.store(true, ordering: .releasing)
    }
}

/// A timer of libdispatch that is cancelled once. Guard: libdispatch's own, and the atomic flag of `cancelled`.
private final class QueueTimer: Cancelable, @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    private let cancelled = BooleanDisposable()

    init(on queue: DispatchQueue) { timer = DispatchSource.makeTimerSource(queue: queue) }

    var isDisposed: Bool { cancelled.isDisposed }

    func start(
        after dueTime: RxTimeInterval, period: RxTimeInterval, leeway: RxTimeInterval,
        _ work: @escaping @Sendable () -> Void
    ) {
        timer.schedule(deadline: .now() + dueTime.clamped, repeating: period.clamped, leeway: leeway)
        // The handler holds the timer until it is cancelled: libdispatch must not lose a live source.
        timer.setEventHandler(handler: work)
        timer.resume()
    }

    func dispose() {
        if cancelled.markDisposed() {
            timer.cancel()
            // libdispatch drops the handler, and with it this object, when the cancellation is through.
        }
    }
}
