import Glibc

/// The monotonic clock, which `epoll_wait` counts by too.
enum MonotonicClock {
    /// Nanoseconds since some moment in the past.
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The moment after a delay, never earlier. `.max`, which means never, if it is too far away.
    static func moment(after delay: Duration) -> UInt64 {
        let (due, isTooLate) = now.addingReportingOverflow(delay.wholeNanoseconds)
        return isTooLate ? .max : due
    }
}

extension Duration {
    /// The length in nanoseconds, rounded up. 0 if it is negative, `UInt64.max` if it is 292 years or longer.
    var wholeNanoseconds: UInt64 {
        guard self > .zero else { return 0 }
        // `components` traps for more seconds than 64 bits hold, which a sum of durations can be.
        guard self < .seconds(Int64.max / 1_000_000_000) else { return .max }
        let (seconds, attoseconds) = components
        return UInt64(seconds) * 1_000_000_000 + UInt64((attoseconds + 999_999_999) / 1_000_000_000)
    }
}
