public import FoundationEssentials

/// A scheduler with a virtual clock of dates.
///
/// Work runs only when `start` or `advanceTo` moves the clock.
public class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>, @unchecked Sendable {
    // Guard for `@unchecked`: the lock of the superclass guards all state.

    /// Creates a scheduler with a clock that shows the given date. Default: the beginning of 1970.
    public init(initialClock: RxTime = Date(timeIntervalSince1970: 0)) {
        super.init(initialClock: initialClock, converter: HistoricalSchedulerTimeConverter())
    }
}

/// Maps dates to themselves, and intervals to seconds.
public struct HistoricalSchedulerTimeConverter: VirtualTimeConverterType {
    /// A point on the clock is a date.
    public typealias VirtualTimeUnit = RxTime
    /// A distance on the clock is a number of seconds.
    public typealias VirtualTimeIntervalUnit = Double

    /// Returns the date unchanged.
    public func convertFromVirtualTime(_ virtualTime: RxTime) -> RxTime { virtualTime }
    /// Returns the date unchanged.
    public func convertToVirtualTime(_ time: RxTime) -> RxTime { time }
    /// Returns the seconds unchanged.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Double) -> Double { virtualTimeInterval }
    /// Returns the seconds unchanged.
    public func convertToVirtualTimeInterval(_ timeInterval: Double) -> Double { timeInterval }
    /// Returns the date that is `offset` seconds after the given date.
    public func offsetVirtualTime(_ time: RxTime, offset: Double) -> RxTime { time.addingTimeInterval(offset) }

    /// Returns the order of two dates.
    public func compareVirtualTime(_ lhs: RxTime, _ rhs: RxTime) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
    }
}
