/// The clock of a bus: time since an arbitrary moment, which setting the wall clock does not change.
///
/// ``Bus/schedule(after:_:)`` and the deadlines of calls run on it. Holding a clock does not keep its bus open.
public struct BusClock: Sendable {
    private let read: @Sendable () -> Duration

    /// Makes a clock from a function that returns its time. That time never decreases.
    public init(_ read: @escaping @Sendable () -> Duration) { self.read = read }

    /// The time now. Only the difference of two times means something.
    public var now: Duration { read() }

    /// The kernel's `CLOCK_MONOTONIC`, which stands still while the computer is suspended.
    public static let monotonic = BusClock { .nanoseconds(Int64(clamping: MonotonicClock.now)) }
}
