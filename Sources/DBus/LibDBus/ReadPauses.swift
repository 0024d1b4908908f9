/// Decides when an event loop pauses before it reads, so that it reads several messages at once.
///
/// At high rates, waking up for each message costs more than the message. A loop therefore pauses while data arrives
/// quickly. It reads the first data after a quiet time at once, and each later message at most one interval late.
///
/// A pause is shorter if many messages arrive in it, because a full socket stops the sender.
struct ReadPauses {
    /// The time between two readings while data arrives quickly, in nanoseconds; 0: the loop never pauses.
    let interval: UInt64
    /// When data was last received, on the monotonic clock.
    private var latest: UInt64 = 0
    private var isFast = false
    private var isPausing = false
    /// The number of messages since the last decision, and the time of the data before it.
    private var messages = 0
    private var decided: UInt64 = 0

    // A socket of the usual size holds between 48 and 160 signals, depending on how a kernel accounts for memory. This
    // number is smaller, so that the pause after a full socket is shorter.
    /// The number of messages that a pause collects at most, at the present rate.
    private static let messagesPerPause: UInt64 = 40
    /// The longest time in nanoseconds between two messages that arrive quickly.
    private static let longestSpacing: UInt64 = 5_000_000

    /// The longest interval. Messages that wait longer than this would look lost.
    static let longest: Duration = .seconds(1)

    /// - Parameter interval: The time between two readings, at most ``longest``; zero or less: the loop never pauses.
    init(interval: Duration = .zero) {
        self.interval = UInt64(min(max(.zero, interval), Self.longest).wholeNanoseconds)
    }

    /// Returns the time until which the loop pauses; nil if it does not.
    ///
    /// The loop does not ask while messages that it has read wait for delivery, so a flood causes no pauses.
    mutating func begin() -> UInt64? {
        let (period, count) = (latest - decided, UInt64(messages))
        (decided, messages) = (latest, 0)
        guard isFast else { return nil }
        isPausing = true
        return latest + (count == 0 ? interval : min(interval, period * Self.messagesPerPause / count))
    }

    /// Records the end of a turn, and the number of messages that were delivered in it.
    ///
    /// Data is fast if it follows other data in less than half of the interval and less than 5 ms, and stays fast above
    /// half of that rate. At lower rates, a pause would save little, and delay messages.
    mutating func turnEnded(at now: UInt64, hasReceived: Bool, messages: Int) {
        self.messages += messages
        if hasReceived {
            let spacing = min(interval / 2, Self.longestSpacing)
            let isRepeated = isPausing && UInt64(self.messages) * 2 * spacing >= interval
            isFast = interval > 0 && (isRepeated || now - latest < spacing)
            latest = now
        } else if isPausing {
            isFast = false
        }
        isPausing = false
    }
}
