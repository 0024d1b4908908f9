public import FoundationEssentials
public import Rx

/// Maps ticks to dates: tick 0 is 1970, and one tick lasts `resolution` seconds.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
    private let resolution: Double

    init(resolution: Double) { self.resolution = resolution }

    /// The date of a tick.
    public func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
        Date(timeIntervalSince1970: Double(virtualTime) * resolution)
    }

    /// The tick nearest to a date.
    public func convertToVirtualTime(_ time: RxTime) -> Int { ticks(time.timeIntervalSince1970) }

    /// The seconds of that many ticks.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> Double {
        Double(virtualTimeInterval) * resolution
    }

    /// The number of ticks nearest to that many seconds.
    public func convertToVirtualTimeInterval(_ timeInterval: Double) -> Int { ticks(timeInterval) }

    /// The tick that many ticks after another one.
    public func offsetVirtualTime(_ time: Int, offset: Int) -> Int {
        let (sum, overflow) = time.addingReportingOverflow(offset)
        return overflow ? .max : sum
    }

    /// The order of two ticks.
    public func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
    }

    // Halves are rounded up, so that equal steps remain equal wherever they start.
    private func ticks(_ seconds: Double) -> Int {
        Int(exactly: (seconds / resolution + 0.5).rounded(.down)) ?? (seconds < 0 ? .min : .max)
    }
}
