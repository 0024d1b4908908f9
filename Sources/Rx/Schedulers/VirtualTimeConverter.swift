public import FoundationEssentials

/// Maps a virtual clock to dates and seconds.
public protocol VirtualTimeConverterType: Sendable {
    /// A point on the virtual clock.
    associatedtype VirtualTimeUnit
    /// A distance on the virtual clock.
    associatedtype VirtualTimeIntervalUnit

    /// Returns the date of a virtual time.
    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime
    /// Returns the virtual time of a date.
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit
    /// Converts a virtual distance to seconds.
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> Double
    /// Converts seconds to a virtual distance.
    func convertToVirtualTimeInterval(_ timeInterval: Double) -> VirtualTimeIntervalUnit
    /// Returns the virtual time that is `offset` after the given time.
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit
    /// Returns the order of two virtual times.
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// The order of two virtual times.
public enum VirtualTimeComparison: Sendable {
    /// The first time is before the second time.
    case lessThan
    /// The two times are the same.
    case equal
    /// The first time is after the second time.
    case greaterThan
}
