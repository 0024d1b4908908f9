import FoundationEssentials
package import Rx

/// A test scheduler with a wall clock that a test can set. Setting the clock does not move timers.
package class SettableScheduler: SchedulerType, @unchecked Sendable {
    // Guard for `@unchecked`: `offset` is a `Guarded`; the other field does not change.
    fileprivate let scheduler: TestScheduler
    private let offset = Guarded(0.0)

    package init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    /// Sets the wall clock forward by the given seconds. A negative number sets it back.
    package final func setWallClock(by seconds: Double) { offset.withLock { $0 += seconds } }

    package final var now: RxTime { scheduler.now.addingTimeInterval(offset.withLock { $0 }) }

    package final func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { scheduler.schedule(state, action: action) }

    package final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { scheduler.scheduleRelative(state, dueTime: dueTime, action: action) }
}

/// A `SettableScheduler` with a monotonic clock: setting the wall clock does not change `uptime`.
package final class SettableRealTimeScheduler: SettableScheduler, RealTimeScheduler, @unchecked Sendable {
    package var uptime: Double { scheduler.now.timeIntervalSince1970 }
}
