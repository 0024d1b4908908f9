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
        let (seconds, attoseconds) = delay.components
        guard delay > .zero else { return now }
        let (nanoseconds, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (due, isTooLate) = now.addingReportingOverflow(nanoseconds)
        let rest = UInt64(attoseconds / 1_000_000_000)
        return isTooLong || isTooLate || due > .max - rest ? .max : due + rest
    }
}
