import Glibc

/// The clock of a bus: time since an arbitrary moment, independent of the wall clock.
///
/// ``Bus/schedule(after:_:)`` and the deadlines of calls use this clock. Retaining a clock does not keep its bus open.
public struct BusClock: Sendable {
    private let read: @Sendable () -> Duration

    /// Makes a clock from a function that returns the time. The time must never decrease.
    public init(_ read: @escaping @Sendable () -> Duration) { self.read = read }

    /// The present time. Only the difference of two times has a meaning.
    public var now: Duration { read() }

    /// The kernel's `CLOCK_MONOTONIC`, which stops while the computer is suspended.
    public static let monotonic = BusClock { .nanoseconds(Int64(clamping: MonotonicClock.now)) }
}

/// The kernel's monotonic clock, which the time-outs of `epoll_wait` also use.
enum MonotonicClock {
    /// Nanoseconds since a moment in the past.
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Returns the time at the end of a delay, rounded up; `UInt64.max`, which means never, on overflow.
    static func moment(after delay: Duration) -> UInt64 {
        let (due, isTooLate) = now.addingReportingOverflow(delay.wholeNanoseconds)
        return isTooLate ? .max : due
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded up; 0 if negative, `UInt64.max` if 292 years or longer.
    var wholeNanoseconds: UInt64 {
        guard self > .zero else { return 0 }
        // Excludes long durations first, because `components` traps if the seconds do not fit into 64 bits.
        guard self < .seconds(Int64.max / 1_000_000_000) else { return .max }
        let (seconds, attoseconds) = components
        return UInt64(seconds) * 1_000_000_000 + UInt64((attoseconds + 999_999_999) / 1_000_000_000)
    }
}
