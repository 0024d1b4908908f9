public import Dispatch
public import FoundationEssentials

/// A length of time. Schedulers with a coarser clock round it to their nearest tick.
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time, as a scheduler's clock tells it.
public typealias RxTime = Date

/// Something that does work soon.
///
/// An implementation may do the work on the calling thread before `schedule` returns.
@preconcurrency
public protocol ImmediateSchedulerType: Sendable {
    /// Does the action with the state as soon as it can; disposing of the result before that prevents it.
    @preconcurrency
    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable
}

/// Something that does work at a given time, and knows what time it is.
@preconcurrency
public protocol SchedulerType: ImmediateSchedulerType {
    /// The time now.
    var now: RxTime { get }

    /// Does the action with the state after the interval.
    @preconcurrency
    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Does the action again and again, each time with the state that it returned before.
    @preconcurrency
    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable
}

extension SchedulerType {
    /// Does the action again and again by scheduling each tick before it runs the one due.
    ///
    /// Ticks that come due while the action still runs are made up for after it.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        PeriodicTask(self, state: state, period: period, action: action).start(after: startAfter)
    }
}

extension ImmediateSchedulerType {
    /// Does work that has no state.
    func run(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        schedule(()) { _ in
            work()
            return Disposables.create()
        }
    }
}

extension SchedulerType {
    /// Does work that has no state after the interval.
    func run(after dueTime: RxTimeInterval, _ work: @escaping @Sendable () -> Void) -> any Disposable {
        scheduleRelative((), dueTime: dueTime) { _ in
            work()
            return Disposables.create()
        }
    }
}
