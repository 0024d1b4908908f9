public import FoundationEssentials

/// A scheduler with a virtual clock of dates.
///
/// Work runs only when `start` or `advanceTo` moves the clock.
public class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>, @unchecked Sendable {
    // Guard for `@unchecked`: the lock of the superclass.

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

    /// The date itself.
    public func convertFromVirtualTime(_ virtualTime: RxTime) -> RxTime { virtualTime }
    /// The date itself.
    public func convertToVirtualTime(_ time: RxTime) -> RxTime { time }
    /// The seconds themselves.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Double) -> Double { virtualTimeInterval }
    /// The seconds themselves.
    public func convertToVirtualTimeInterval(_ timeInterval: Double) -> Double { timeInterval }
    /// The date that many seconds after another one.
    public func offsetVirtualTime(_ time: RxTime, offset: Double) -> RxTime { time.addingTimeInterval(offset) }

    /// The order of two dates.
    public func compareVirtualTime(_ lhs: RxTime, _ rhs: RxTime) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
    }
}
