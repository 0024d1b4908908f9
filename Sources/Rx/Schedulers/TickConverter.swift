public import FoundationEssentials

/// Maps ticks to dates: tick 0 is the beginning of 1970, and a tick lasts `resolution` seconds.
public struct TickConverter: VirtualTimeConverterType {
    private let resolution: Double

    package init(resolution: Double) { self.resolution = resolution }

    /// Returns the date of a tick.
    public func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
        Date(timeIntervalSince1970: Double(virtualTime) * resolution)
    }

    /// Returns the tick nearest to a date.
    public func convertToVirtualTime(_ time: RxTime) -> Int { ticks(time.timeIntervalSince1970) }

    /// Converts a number of ticks to seconds.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> Double {
        Double(virtualTimeInterval) * resolution
    }

    /// Converts seconds to the nearest number of ticks.
    public func convertToVirtualTimeInterval(_ timeInterval: Double) -> Int { ticks(timeInterval) }

    /// Returns the tick that is `offset` ticks after the given tick; the nearest `Int` on overflow.
    public func offsetVirtualTime(_ time: Int, offset: Int) -> Int {
        let (sum, overflow) = time.addingReportingOverflow(offset)
        return overflow ? (offset < 0 ? .min : .max) : sum
    }

    /// Returns the order of two ticks.
    public func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
    }

    // Rounds halves up, also below zero, so that times at equal distances become ticks at equal distances.
    private func ticks(_ seconds: Double) -> Int {
        Int(exactly: (seconds / resolution + 0.5).rounded(.down)) ?? (seconds < 0 ? .min : .max)
    }
}
