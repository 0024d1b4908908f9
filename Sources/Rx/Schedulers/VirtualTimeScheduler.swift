public import Dispatch
public import FoundationEssentials

/// Does work when its own clock is moved to the time of the work. Nothing runs on its own.
///
/// Work of the same time runs in the order in which it was scheduled. Scheduling and disposing are safe from any
/// thread; one thread at a time may run the clock.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, @unchecked Sendable {
    /// A point on its clock.
    public typealias VirtualTime = Converter.VirtualTimeUnit
    /// A distance on its clock.
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    // Guard for `@unchecked`: `lock` guards these seven. Nothing is run, compared or released under it.
    private let lock = Lock()
    private var time: VirtualTime
    private var arrived: [VirtualTimeQueue<Converter>.Item] = []
    private var count = 0
    private var isMoving = false
    private var isStopped = false
    private var pauses: [@Sendable () -> Void] = []

    // It belongs to the thread that moves the clock.
    private var queue: VirtualTimeQueue<Converter>

    private let converter: Converter

    /// A scheduler whose clock stands at the given time.
    public init(initialClock: VirtualTime, converter: Converter) {
        time = initialClock
        self.converter = converter
        queue = VirtualTimeQueue(converter)
    }

    /// The date that stands for its clock.
    public var now: RxTime { converter.convertFromVirtualTime(clock) }

    /// Its clock.
    public var clock: VirtualTime { lock.withLock { time } }

    /// Whether its clock is being moved.
    public var isRunning: Bool { lock.withLock { isMoving && !isStopped } }

    /// Does the action at the present time, after what is already scheduled for it.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .microseconds(0), action: action)
    }

    /// Does the action after the interval, rounded to the clock's nearest tick.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if case .never = dueTime { return Disposables.create() }
        let distance = converter.convertToVirtualTimeInterval(dueTime.seconds)
        let time = adjustScheduledTime(converter.offsetVirtualTime(clock, offset: distance))
        return scheduleVirtual(state, time: time, action: action)
    }

    /// Does the action after a distance on its clock, which is not adjusted (see `adjustScheduledTime`).
    @preconcurrency
    public func scheduleRelativeVirtual<StateType>(
        _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Does the action at a time of its clock, which is not adjusted (see `adjustScheduledTime`).
    ///
    /// A time in the past runs next, before work for the present time, and does not move the clock.
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

    /// Does the action at a time of its clock; the same as `scheduleVirtual`.
    @preconcurrency
    public func scheduleAbsoluteVirtual<StateType>(
        _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleVirtual(state, time: time, action: action)
    }

    /// The time that `schedule` and `scheduleRelative` use instead of the given one; subclasses may move it.
    ///
    /// The base class returns the given time. Times in virtual units are used as they are.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

    /// Runs all work, with the clock going along, until none is left or `stop` is called.
    public func start() { run(until: nil) }

    /// Runs what is due up to the given time and leaves the clock there, also when `stop` is called meanwhile.
    ///
    /// Does nothing while the clock is being moved. A time gone by traps.
    public func advanceTo(_ virtualTime: VirtualTime) {
        precondition(!comes(virtualTime, before: clock), "A virtual clock cannot be moved back.")
        run(until: virtualTime)
    }

    /// Moves the clock on by the interval, rounded to the nearest tick, and runs what is due.
    public func advance(by interval: RxTimeInterval) {
        advanceTo(converter.offsetVirtualTime(clock, offset: converter.convertToVirtualTimeInterval(interval.seconds)))
    }

    /// Moves the clock on by the distance without running anything. A negative distance traps.
    public func sleep(_ virtualInterval: VirtualTimeInterval) {
        let target = converter.offsetVirtualTime(clock, offset: virtualInterval)
        precondition(!comes(target, before: clock), "A virtual clock cannot be moved back.")
        lock.withLock { time = target }
    }

    /// Ends a run after the piece of work it is at.
    public func stop() { lock.withLock { isStopped = true } }

    /// Runs `pause` before each piece of work and before the clock moves, on the thread that moves it: for tests whose other
    /// half does its work on threads of its own, and which have to wait for that half. It counts from the next run on.
    package func beforeEach(_ pause: @escaping @Sendable () -> Void) { lock.withLock { pauses.append(pause) } }

    private func comes(_ one: VirtualTime, before other: VirtualTime) -> Bool {
        converter.compareVirtualTime(one, other) == .lessThan
    }

    private func run(until end: VirtualTime?) {
        let pauses: [@Sendable () -> Void]? = lock.withLock {
            if isMoving { return nil }
            isMoving = true
            isStopped = false
            return self.pauses
        }
        guard let pauses else { return }
        while let action = takeNext(until: end, after: pauses) { action.run() }
        moveClock(to: end)
        lock.withLock { isMoving = false }
    }

    private func takeNext(until end: VirtualTime?, after pauses: [@Sendable () -> Void]) -> ScheduledAction? {
        while true {
            for pause in pauses { pause() }
            guard let news = lock.withLock({ takeArrived() }) else { return nil }
            for item in news { queue.add(item) }
            guard let due = queue.firstTime else { return nil }
            if let end, comes(end, before: due) { return nil }
            // Work that was taken back does not move the clock.
            guard let item = queue.takeFirst(), !item.action.isDisposed else { continue }
            moveClock(to: due)
            return item.action
        }
    }

    /// What was scheduled since the last look; nil when the run is to end.
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
    /// The times of the work that has yet to be done. To be asked for by the thread that moves the clock.
    public var debugDescription: String {
        var pending = queue
        for item in lock.withLock({ arrived }) { pending.add(item) }
        return "\(pending.times)"
    }
}
