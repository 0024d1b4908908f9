package import Dispatch
import FoundationEssentials

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

    /// The interval, or zero if it is negative.
    var nonNegative: DispatchTimeInterval {
        switch self {
        case .seconds(let value): .seconds(max(0, value))
        case .milliseconds(let value): .milliseconds(max(0, value))
        case .microseconds(let value): .microseconds(max(0, value))
        case .nanoseconds(let value): .nanoseconds(max(0, value))
        default: .never
        }
    }

    /// Creates the nearest interval of nanoseconds, or `.never` if the number is too large or NaN.
    package init(seconds: Double) {
        self = seconds < 9e9 ? .nanoseconds(Int((max(seconds, -9e9) * 1e9).rounded())) : .never
    }
}

/// A scheduler on the queues and the clock of libdispatch.
///
/// Some operators work more cheaply on it: `observe(on:)` delivers several events in one step, and `timeout` moves a
/// deadline instead of a timer.
package protocol RealTimeScheduler: SchedulerType {
    /// Seconds since an arbitrary moment.
    ///
    /// Setting the wall clock does not change the value. The clock stops while the machine is suspended.
    var uptime: Double { get }
}

extension RealTimeScheduler {
    package var uptime: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}

/// Measures elapsed time on a scheduler: by its monotonic clock if it has one, otherwise by its `now`.
package struct ElapsedClock: Sendable {
    private let scheduler: any SchedulerType
    private let realTime: (any RealTimeScheduler)?

    package init(_ scheduler: any SchedulerType) {
        self.scheduler = scheduler
        realTime = scheduler as? any RealTimeScheduler
    }

    /// Seconds since an arbitrary moment.
    package var seconds: Double { realTime?.uptime ?? scheduler.now.timeIntervalSince1970 }

    /// The value of `seconds` as a duration of whole microseconds.
    package var time: Duration { .microseconds(Int64((min(max(seconds, -9e12), 9e12) * 1e6).rounded())) }
}
