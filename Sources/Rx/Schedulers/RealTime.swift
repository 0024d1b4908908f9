import Dispatch

extension DispatchTimeInterval {
    /// The interval in seconds; infinite for `.never`.
    var seconds: Double {
        switch self {
        case .seconds(let value): Double(value)
        case .milliseconds(let value): Double(value) / 1e3
        case .microseconds(let value): Double(value) / 1e6
        case .nanoseconds(let value): Double(value) / 1e9
        default: .infinity
        }
    }

    /// The interval, or none at all where it is negative.
    var clamped: DispatchTimeInterval {
        switch self {
        case .seconds(let value): .seconds(max(0, value))
        case .milliseconds(let value): .milliseconds(max(0, value))
        case .microseconds(let value): .microseconds(max(0, value))
        case .nanoseconds(let value): .nanoseconds(max(0, value))
        default: .never
        }
    }

    /// The nearest interval of nanoseconds, `.never` where it is too long to count (or no number).
    init(seconds: Double) {
        self = seconds < 9e9 ? .nanoseconds(Int((max(seconds, -9e9) * 1e9).rounded())) : .never
    }
}

/// Marks schedulers on libdispatch's queues and clock, where operators may wait and batch in leaner ways.
protocol RealTimeScheduler {}
