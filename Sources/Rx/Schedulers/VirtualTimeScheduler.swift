public import Dispatch
public import FoundationEssentials
/// How a virtual clock maps to real times and intervals.
public protocol VirtualTimeConverterType: Sendable {
    /// A point on the virtual clock.
    associatedtype VirtualTimeUnit: Comparable & Sendable
    /// A distance on the virtual clock.
    associatedtype VirtualTimeIntervalUnit: Sendable

    /// The date of a virtual time.
    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime
    /// The virtual time of a date.
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit
    /// The seconds of a virtual distance.
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> Double
    /// The virtual distance of seconds.
    func convertToVirtualTimeInterval(_ timeInterval: Double) -> VirtualTimeIntervalUnit
    /// The virtual time that lies the distance after another one.
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit
    /// The order of two virtual times.
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// The order of two virtual times.
public enum VirtualTimeComparison: Sendable {
    /// The first comes before the second.
    case lessThan
    /// They are the same.
    case equal
    /// The first comes after the second.
    case greaterThan
}

/// Does work when its own clock is moved to the time of the work. Nothing runs on its own.
///
/// Work of the same time runs in the order in which it was scheduled. Scheduling and disposing are safe from any
/// thread; one thread at a time may run the clock.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, @unchecked Sendable {
    /// A point on its clock.
    public typealias VirtualTime = Converter.VirtualTimeUnit
    /// A distance on its clock.
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    // Guard for `@unchecked`: `lock` guards these four. Nothing is run or released under it.
    private let lock = Lock()
    private var time: VirtualTime
    private var running = false
    private var queue = VirtualQueue<VirtualTime>()

    private let converter: Converter

    /// A scheduler whose clock stands at the given time.
    public init(initialClock: VirtualTime, converter: Converter) {
        time = initialClock
        self.converter = converter
    }

    /// The date that stands for its clock.
    public var now: RxTime { converter.convertFromVirtualTime(clock) }

    /// Its clock.
    public var clock: VirtualTime { lock.withLock { time } }

    /// Whether its clock is being moved.
    public var isRunning: Bool { lock.withLock { running } }

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
        return scheduleRelativeVirtual(
            state, dueTime: converter.convertToVirtualTimeInterval(dueTime.seconds), action: action)
    }

    /// Does the action after a distance on its clock.
    @preconcurrency
    public func scheduleRelativeVirtual<StateType>(
        _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Does the action at a time of its clock; a time gone by means now (see `adjustScheduledTime`).
    @preconcurrency
    public func scheduleVirtual<StateType>(
        _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let parcel = Ferry(state)
        let item = ScheduledAction { action(parcel.value) }
        let due = adjustScheduledTime(time)
        lock.withLock { queue.add(item, at: due) }
        return item
    }

    /// What time to take for work scheduled for the given one; subclasses may move it. Here: as given.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

    /// Runs all work, with the clock going along, until none is left or `stop` is called.
    public func start() { run(until: nil) }

    /// Runs what is due up to the given time and leaves the clock there. Does nothing while running.
    public func advanceTo(_ virtualTime: VirtualTime) {
        precondition(virtualTime >= clock, "A virtual clock cannot be moved back.")
        run(until: virtualTime)
    }

    /// Moves the clock on by the interval, rounded to the nearest tick, and runs what is due.
    public func advance(by interval: RxTimeInterval) {
        advanceTo(converter.offsetVirtualTime(clock, offset: converter.convertToVirtualTimeInterval(interval.seconds)))
    }

    /// Moves the clock on by the distance without running anything.
    public func sleep(_ virtualInterval: VirtualTimeInterval) {
        let target = converter.offsetVirtualTime(clock, offset: virtualInterval)
        precondition(target >= clock, "A virtual clock cannot be moved back.")
        lock.withLock { time = target }
    }

    /// Ends a run after the piece of work it is at.
    public func stop() { lock.withLock { running = false } }

    private func run(until end: VirtualTime?) {
        let began = lock.withLock {
            defer { running = true }
            return !running
        }
        guard began else { return }
        while let item = lock.withLock({ takeNext(until: end) }) { item.run() }
        lock.withLock {
            if let end, running, end > time { time = end }
            running = false
        }
    }

    private func takeNext(until end: VirtualTime?) -> ScheduledAction? {
        while running, let (item, due) = queue.takeFirst(until: end) {
            // Work that was taken back does not move the clock.
            if item.isDisposed { continue }
            if due > time { time = due }
            return item
        }
        return nil
    }
}
