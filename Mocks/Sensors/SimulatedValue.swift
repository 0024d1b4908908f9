/// A measured value of a simulated sensor: constant, or changing over time.
///
/// The unit is the one that the format uses, for example °C. A number literal is a constant value.
public enum SimulatedValue: Hashable, Sendable {
    /// The same value all the time.
    case constant(Double)
    /// Values in turn, each for one measuring interval. An empty list counts as 0.
    case steps([Double])
    /// A value that goes from one limit to the other and back again in each period.
    case sweep(from: Double, to: Double, period: Duration)

    /// The values that must be in the range of the format.
    var limits: [Double] {
        switch self {
        case .constant(let value): [value]
        case .steps(let values): values.isEmpty ? [0] : values
        case .sweep(let start, let end, _): [start, end]
        }
    }

    /// Whether the value changes over time.
    var isChanging: Bool { Set(limits).count > 1 }

    /// Returns the value of a sample, which was taken at a time after the beginning.
    package func value(_ sample: Int, at time: Duration) -> Double {
        switch self {
        case .constant(let value): return value
        case .steps(let values): return values.isEmpty ? 0 : values[sample % values.count]
        case .sweep(let start, let end, let period):
            guard period > .zero else { return start }
            let turns = time / period
            let part = turns - turns.rounded(.down)
            return start + (end - start) * (part < 0.5 ? 2 * part : 2 - 2 * part)
        }
    }
}

extension SimulatedValue: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// Makes a constant value.
    public init(floatLiteral value: Double) { self = .constant(value) }

    /// Makes a constant value.
    public init(integerLiteral value: Int) { self = .constant(Double(value)) }
}
