public import Dispatch
public import FoundationEssentials

/// A scheduler with a virtual clock: it runs work when its clock is moved to the time of the work.
///
/// Work of the same time runs in the order in which it was scheduled. Scheduling and disposing are safe from any
/// thread; one thread at a time may move the clock.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, @unchecked Sendable {
    /// A point on its clock.
    public typealias VirtualTime = Converter.VirtualTimeUnit
    /// A distance on its clock.
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    // Guard for `@unchecked`: `lock` guards the fields from `time` to `pauses`. No user code runs under the lock.
    private let lock = Lock()
    private var time: VirtualTime
    private var arrived: [VirtualTimeQueue<Converter>.Item] = []
    private var count = 0
    private var isMoving = false
    private var isStopped = false
    private var pauses: [@Sendable () -> Bool] = []
    private var runs = 0

    // Used by the thread that moves the clock only.
    private var queue: VirtualTimeQueue<Converter>

    private let converter: Converter

    /// Creates a scheduler with a clock that shows the given time.
    public init(initialClock: VirtualTime, converter: Converter) {
        time = initialClock
        self.converter = converter
        queue = VirtualTimeQueue(converter)
    }

    /// The date of its clock.
    public var now: RxTime {
        @_specialize(where Converter == TickConverter)
        get { converter.convertFromVirtualTime(clock) }
    }

    /// The time of its clock.
    public var clock: VirtualTime {
        @_specialize(where Converter == TickConverter)
        get { lock.withLock { time } }
    }

    /// Whether the clock is being moved.
    public var isRunning: Bool { lock.withLock { isMoving && !isStopped } }

    /// Runs the action at the current time, after the work that is already scheduled for that time.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .microseconds(0), action: action)
    }

    /// Runs the action after the interval, rounded to the clock's nearest tick.
    @preconcurrency
    @_specialize(where Converter == TickConverter, StateType == Void)
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if case .never = dueTime { return Disposables.create() }
        let distance = converter.convertToVirtualTimeInterval(dueTime.seconds)
        let time = adjustScheduledTime(converter.offsetVirtualTime(clock, offset: distance))
        return scheduleVirtual(state, time: time, action: action)
    }

    /// Runs the action after a distance on the clock, without a call of `adjustScheduledTime`.
    @preconcurrency
    public func scheduleRelativeVirtual<StateType>(
        _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Runs the action at a time of the clock, without a call of `adjustScheduledTime`.
    ///
    /// Work for a past time runs next, before work for the current time, and does not move the clock.
    @preconcurrency
    public func scheduleVirtual<StateType>(
        _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let transfer = UncheckedTransfer(state)
        let item = ScheduledAction { action(transfer.value) }
        lock.withLock {
            count += 1
            arrived.append(VirtualTimeQueue<Converter>.Item(time: time, number: count, action: item))
        }
        return item
    }

    /// Runs the action at a time of the clock; another name of `scheduleVirtual`.
    @preconcurrency
    public func scheduleAbsoluteVirtual<StateType>(
        _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleVirtual(state, time: time, action: action)
    }

    /// Returns the time that `schedule` and `scheduleRelative` use instead of the given time.
    ///
    /// The base class returns the given time. Methods that take times in virtual units do not call this method.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

    /// Moves the clock from one piece of work to the next until no work is left or `stop` is called.
    public func start() { run(until: nil, unless: { false }) }

    /// Moves the clock to the given time and runs the work that is due until then.
    ///
    /// The clock shows that time afterwards, even if `stop` was called. If the clock is already being moved, the call
    /// has no effect. A past time traps.
    @_specialize(where Converter == TickConverter)
    public func advanceTo(_ virtualTime: VirtualTime) {
        precondition(!comes(virtualTime, before: clock), "VirtualTimeScheduler: the clock cannot be moved back.")
        run(until: virtualTime, unless: { false })
    }

    /// Moves the clock forward by the interval, rounded to the nearest tick, and runs the work that is due.
    public func advance(by interval: RxTimeInterval) {
        advanceTo(converter.offsetVirtualTime(clock, offset: converter.convertToVirtualTimeInterval(interval.seconds)))
    }

    /// Moves the clock forward by the distance without running work. A negative distance traps.
    public func sleep(_ virtualInterval: VirtualTimeInterval) {
        let target = converter.offsetVirtualTime(clock, offset: virtualInterval)
        precondition(!comes(target, before: clock), "VirtualTimeScheduler: the clock cannot be moved back.")
        lock.withLock { time = target }
    }

    /// Ends `start` or `advanceTo` after the current piece of work.
    public func stop() { lock.withLock { isStopped = true } }

    /// Adds a closure that runs before each piece of work, on the thread that moves the clock.
    ///
    /// The closure lets a test run tasks, or wait for work on other threads. It returns whether it has done something:
    /// then all closures run again. It takes effect at the next `start` or `advanceTo`.
    package func beforeEach(_ pause: @escaping @Sendable () -> Bool) { lock.withLock { pauses.append(pause) } }

    private func comes(_ one: VirtualTime, before other: VirtualTime) -> Bool {
        converter.compareVirtualTime(one, other) == .lessThan
    }

    /// How often the clock has begun to move.
    package var runCount: Int { lock.withLock { runs } }

    /// Moves the clock to the given time, but ends before the next piece of work when a condition is true.
    ///
    /// The clock then shows the time of the last piece of work.
    @_specialize(where Converter == TickConverter)
    package func run(until end: VirtualTime?, unless isDone: () -> Bool) {
        let pauses: [@Sendable () -> Bool]? = lock.withLock {
            if isMoving { return nil }
            isMoving = true
            isStopped = false
            runs += 1
            return self.pauses
        }
        guard let pauses else { return }
        while let action = takeNext(until: end, unless: isDone, after: pauses) { action.run() }
        if !isDone() { moveClock(to: end) }
        lock.withLock { isMoving = false }
    }

    private func takeNext(
        until end: VirtualTime?, unless isDone: () -> Bool, after pauses: [@Sendable () -> Bool]
    ) -> ScheduledAction? {
        while true {
            // The number of rounds is limited, because a task that waits for a later time may yield in a loop.
            for _ in 0..<1_000 where !pauses.reduce(false, { isActive, pause in pause() || isActive }) { break }
            guard !isDone(), let added = lock.withLock({ takeArrived() }) else { return nil }
            for item in added { queue.add(item) }
            guard let due = queue.firstTime else { return nil }
            if let end, comes(end, before: due) { return nil }
            // Skips cancelled work, which must not move the clock.
            guard let item = queue.takeFirst(), !item.action.isDisposed else { continue }
            moveClock(to: due)
            return item.action
        }
    }

    /// Returns the work scheduled since the last call, or nil after `stop`. Call it under the lock.
    private func takeArrived() -> [VirtualTimeQueue<Converter>.Item]? {
        if isStopped { return nil }
        defer { arrived = [] }
        return arrived
    }

    private func moveClock(to target: VirtualTime?) {
        guard let target, comes(clock, before: target) else { return }
        lock.withLock { time = target }
    }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
    /// The times of the pending work. Use it on the thread that moves the clock.
    public var debugDescription: String {
        var pending = queue
        for item in lock.withLock({ arrived }) { pending.add(item) }
        return "\(pending.times)"
    }
}
