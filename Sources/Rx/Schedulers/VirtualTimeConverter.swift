public import FoundationEssentials

/// Maps a virtual clock to dates and seconds.
public protocol VirtualTimeConverterType: Sendable {
    /// A point on the virtual clock.
    associatedtype VirtualTimeUnit
    /// A distance on the virtual clock.
    associatedtype VirtualTimeIntervalUnit

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
