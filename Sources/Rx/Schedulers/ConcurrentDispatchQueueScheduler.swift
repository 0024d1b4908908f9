public import Dispatch
public import FoundationEssentials

/// Does work on a dispatch queue without an order of its own; on a serial queue the order is that of the queue.
public final class ConcurrentDispatchQueueScheduler: SchedulerType, RealTimeScheduler {
    private let work: QueueWork

    /// The wall clock.
    public var now: RxTime { Date() }

    /// A scheduler on the given queue.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        work = QueueWork(queue: queue, leeway: leeway)
    }

    /// A scheduler on a new concurrent queue of that quality of service.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        self.init(
            queue: DispatchQueue(label: "rx.dispatch_queue.\(qos)", qos: qos, attributes: [.concurrent]), leeway: leeway
        )
    }

    /// Does the action on the queue as soon as it can.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        work.schedule(state, action)
    }

    /// Does the action on the queue after the interval.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        work.schedule(state, after: dueTime, action)
    }

    /// Does the action on the queue again and again; ticks missed while it runs are left out.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        work.schedule(state, startAfter: startAfter, period: period, action)
    }
}
