public import Dispatch

extension DispatchTimeInterval {
    /// Creates an interval from a duration, rounded to the nearest nanosecond.
    ///
    /// A duration of more than 292 years, positive or negative, is rounded toward zero to whole seconds.
    public init(_ duration: Duration) {
        // Limits the duration, because `components` traps if the seconds exceed 64 bits. A sum of durations can exceed
        // them.
        let limit = Duration.seconds(Int64.max)
        let (seconds, attoseconds) = min(max(duration, .zero - limit), limit).components
        let fraction = (attoseconds + 500_000_000 * attoseconds.signum()) / 1_000_000_000
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = whole.addingReportingOverflow(fraction)
        if !overflow, !sumOverflow, let nanoseconds = Int(exactly: sum) {
            self = .nanoseconds(nanoseconds)
        } else {
            self = .seconds(Int(clamping: seconds))
        }
    }
}

extension SchedulerType {
    /// As `scheduleRelative(_:dueTime:action:)`, with a `Duration` instead of an interval.
    @_disfavoredOverload
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: Duration, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: RxTimeInterval(dueTime), action: action)
    }

    /// As `schedulePeriodic(_:startAfter:period:action:)`, with `Duration`s instead of intervals.
    @_disfavoredOverload
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: Duration, period: Duration, action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        schedulePeriodic(
            state, startAfter: RxTimeInterval(startAfter), period: RxTimeInterval(period), action: action)
    }

    /// As `scheduleRecursive(_:dueTime:action:)`, with a `Duration` instead of an interval.
    @_disfavoredOverload
    @preconcurrency
    public func scheduleRecursive<State>(
        _ state: State, dueTime: Duration,
        action: @escaping @Sendable (_ state: State, _ scheduler: AnyRecursiveScheduler<State>) -> Void
    ) -> any Disposable {
        scheduleRecursive(state, dueTime: RxTimeInterval(dueTime), action: action)
    }
}

extension AnyRecursiveScheduler {
    /// As `schedule(_:dueTime:)`, with a `Duration` instead of an interval.
    @_disfavoredOverload
    public func schedule(_ state: State, dueTime: Duration) {
        schedule(state, dueTime: RxTimeInterval(dueTime))
    }
}

extension VirtualTimeScheduler {
    /// As `advance(by:)`, with a `Duration` instead of an interval.
    @_disfavoredOverload
    public func advance(by duration: Duration) { advance(by: RxTimeInterval(duration)) }
}

extension SerialDispatchQueueScheduler {
    /// As `init(internalSerialQueueName:serialQueueConfiguration:leeway:)`, with a leeway as `Duration`.
    @_disfavoredOverload
    public convenience init(
        internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil, leeway: Duration
    ) {
        self.init(
            internalSerialQueueName: internalSerialQueueName, serialQueueConfiguration: serialQueueConfiguration,
            leeway: DispatchTimeInterval(leeway))
    }

    /// As `init(queue:internalSerialQueueName:leeway:)`, with a leeway as `Duration`.
    @_disfavoredOverload
    public convenience init(queue: DispatchQueue, internalSerialQueueName: String, leeway: Duration) {
        self.init(
            queue: queue, internalSerialQueueName: internalSerialQueueName, leeway: DispatchTimeInterval(leeway))
    }

    /// As `init(qos:internalSerialQueueName:leeway:)`, with a leeway as `Duration`.
    @_disfavoredOverload
    public convenience init(
        qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial", leeway: Duration
    ) {
        self.init(qos: qos, internalSerialQueueName: internalSerialQueueName, leeway: DispatchTimeInterval(leeway))
    }
}

extension ConcurrentDispatchQueueScheduler {
    /// As `init(queue:leeway:)`, with a leeway as `Duration`.
    @_disfavoredOverload
    public convenience init(queue: DispatchQueue, leeway: Duration) {
        self.init(queue: queue, leeway: DispatchTimeInterval(leeway))
    }

    /// As `init(qos:leeway:)`, with a leeway as `Duration`.
    @_disfavoredOverload
    public convenience init(qos: DispatchQoS, leeway: Duration) {
        self.init(qos: qos, leeway: DispatchTimeInterval(leeway))
    }
}
