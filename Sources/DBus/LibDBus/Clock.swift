import Glibc

/// The monotonic clock, which `epoll_wait` counts by too.
enum Clock {
    /// Nanoseconds since some moment in the past.
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The moment after a delay; what is too far away is never.
    static func moment(after delay: Duration) -> UInt64 {
        guard delay > .zero else { return now }
        // `components` traps for more seconds than 64 bits hold, which a sum of durations can be.
        guard delay < .seconds(Int64.max / 1_000_000_000) else { return .max }
        let (seconds, attoseconds) = delay.components
        let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        let (due, isTooLate) = now.addingReportingOverflow(nanoseconds)
        return isTooLate ? .max : due
    }
}
