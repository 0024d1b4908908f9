public import Dispatch
public import FoundationEssentials

/// A length of time. A scheduler with a coarser clock rounds it to the nearest tick of that clock.
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time of a scheduler's clock.
public typealias RxTime = Date

/// A scheduler without a clock: it runs work as soon as possible.
///
/// An implementation may run the work on the calling thread before `schedule` returns.
@preconcurrency
public protocol ImmediateSchedulerType: Sendable {
    /// Runs the action with the state as soon as possible. Dispose of the result to cancel the action.
    @preconcurrency
    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable
}

/// A scheduler with a clock: it also runs work after an interval.
@preconcurrency
public protocol SchedulerType: ImmediateSchedulerType {
    /// The current time of the scheduler's clock.
    var now: RxTime { get }

    /// Runs the action with the state after the interval. Dispose of the result to cancel the action.
    @preconcurrency
    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Runs the action periodically. Each run receives the state that the previous run returned.
    @preconcurrency
    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable
}

extension SchedulerType {
    /// Runs the action periodically. Each tick first schedules the next tick, then runs the action.
    ///
    /// If ticks are due while the action runs, the action runs for them afterwards without a pause.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        PeriodicTask(self, state: state, period: period, action: action).start(after: startAfter)
    }
}

extension ImmediateSchedulerType {
    /// Runs work without a state.
    func run(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        schedule(()) { _ in
            work()
            return Disposables.create()
        }
    }
}

extension SchedulerType {
    /// Runs work without a state after the interval.
    func run(after dueTime: RxTimeInterval, _ work: @escaping @Sendable () -> Void) -> any Disposable {
        scheduleRelative((), dueTime: dueTime) { _ in
            work()
            return Disposables.create()
        }
    }
}

/// The periodic action of a scheduler that does not implement periodic actions itself.
///
/// Guard for `@unchecked`: `drain` guards `state` and runs due ticks in order; `timer` has a lock of its own.
final class PeriodicTask<State>: @unchecked Sendable {
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: @Sendable (State) -> State
    private let drain = SerialDrain()
    private var state: State
    private let timer = SerialDisposable()

    init(
        _ scheduler: any SchedulerType, state: State, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) {
        self.scheduler = scheduler
        self.state = state
        self.period = period
        self.action = action
    }

    func start(after dueTime: RxTimeInterval) -> any Disposable {
        setTimer(after: dueTime)
        return timer
    }

    private func setTimer(after dueTime: RxTimeInterval) {
        let slot = SingleAssignmentDisposable()
        timer.disposable = slot
        slot.setDisposable(scheduler.run(after: dueTime) { self.tick() })
    }

    private func tick() {
        setTimer(after: period)
        drain.perform(on: self) { task in
            if !task.timer.isDisposed { task.state = task.action(task.state) }
        }
    }
}
