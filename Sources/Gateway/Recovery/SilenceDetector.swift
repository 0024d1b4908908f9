import Glibc

/// Learns how often an adapter receives advertisements, and decides when their absence is a fault.
///
/// The detector is a value without timers: the caller passes each advertisement to ``heard(at:)``, sets one timer to
/// ``deadline``, and calls ``check(at:)`` when it fires. All times are monotonic.
///
/// The rate is learned from seconds with and without an advertisement, so that a burst of one device counts once. A
/// silence is a fault when ``missingAdvertisements`` are missing at this rate: after 14 s at one advertisement per
/// second. The limits of ``RecoverySettings`` apply to the result.
public struct SilenceDetector: Sendable {
    /// The number of advertisements that have to be missing, if they arrive at random times.
    ///
    /// At one advertisement per second, this number lets about two silences a month count as faults by mistake.
    public static let missingAdvertisements = 14.0

    /// From this rate on, a silence is hardly ever normal.
    private static let dense = 0.9

    private struct Recovery: Sendable {
        let time: Duration
        var silence: Duration
        /// The part of the silence that is learned in any case, so that the detection adapts to regular pauses.
        var allowed: Duration
        /// The seconds with advertisements since.
        var occupied = 0
    }

    private let shortest: Duration
    private let longest: Duration
    private var slow = OccupancyAverage(seconds: 3600)
    private var fast = OccupancyAverage(seconds: 300)
    /// The time of the last advertisement, or of the start.
    private var last: Duration
    /// The second with the last advertisement; nil if none was received since the start.
    private var lastSecond: Int64?
    /// The seconds from this one are not learned yet.
    private var firstSecond: Int64
    private var occupied = 0
    /// The longest silence that ended without help, which decreases with time.
    private var naturalGap = Duration.zero
    private var gapMeasured: Duration
    /// The end of the last fault, until it is known whether it was one.
    private var recovery: Recovery?
    /// How often the allowed silence is doubled, because few advertisements followed the end of the last fault.
    private var doublings = 0
    private var isPaused = false

    /// Whether the adapter makes a connection now, so that its scan may pause.
    ///
    /// The allowed silence is then ``RecoverySettings/maximumSilence``.
    public var isDisturbed = false
    /// The number of advertisements since the detector was created.
    public private(set) var count: UInt64 = 0

    /// Creates a detector that has received nothing yet.
    public init(_ settings: RecoverySettings, at now: Duration) {
        shortest = max(.seconds(1), settings.minimumSilence)
        longest = max(shortest, settings.maximumSilence)
        last = now
        firstSecond = now.components.seconds
        gapMeasured = now
    }

    /// The time of the last advertisement, or of the start if none was received since.
    public var lastHeard: Duration { last }

    /// The learned number of seconds with advertisements, as the rate of independent advertisements per second.
    public var rate: Double {
        let (slow, fast) = (slow.rate, fast.rate)
        // A fall to less than the half counts at once, for example if all devices of a shop are switched off.
        return fast < slow / 2 ? fast : slow
    }

    /// The silence that is normal in the present surroundings.
    public var allowedSilence: Duration {
        guard !isDisturbed else { return longest }
        let rate = rate
        let expected = min(longest, .seconds(Self.missingAdvertisements / rate))
        // Regular pauses of a few devices are normal. With many devices they would only delay the detection.
        let gap = min(naturalGap * 5 / 4, rate >= Self.dense ? .milliseconds(14_500) : .seconds(30))
        return min(longest, max(shortest, expected, gap) * (1 << doublings))
    }

    /// When the silence becomes a fault; nil while paused. Each advertisement postpones it.
    public var deadline: Duration? { isPaused ? nil : last + allowedSilence }

    /// Records an advertisement.
    public mutating func heard(at now: Duration) {
        count &+= 1
        let gap = now - last
        last = now
        let second = now.components.seconds
        guard second != lastSecond, second >= firstSecond else { return }
        lastSecond = second
        occupied += 1
        if gap > naturalGap, !isPaused { naturalGap = gap }
    }

    /// Learns the rate, and returns whether the silence is a fault.
    ///
    /// If it is, the detector pauses until ``resume(at:after:)``.
    public mutating func check(at now: Duration) -> Bool {
        guard !isPaused else { return false }
        forgetGap(at: now)
        let isSilent = now >= last + allowedSilence
        learn()
        judgeRecovery(at: isSilent ? last : now, isSilent: isSilent)
        isPaused = isSilent
        return isSilent
    }

    /// Stops the detection, for example because the adapter is switched off.
    public mutating func pause() {
        guard !isPaused else { return }
        learn()
        isPaused = true
    }

    /// Starts the detection again, at the end of a pause or of a fault.
    ///
    /// - Parameter fault: The length of the silence; nil after a pause. With `endedAlone`, it did not end because of a
    ///   step, so it may have been normal, and is learned.
    public mutating func resume(at now: Duration, after fault: (silence: Duration, endedAlone: Bool)? = nil) {
        isPaused = false
        last = now
        firstSecond = now.components.seconds
        lastSecond = nil
        occupied = 0
        guard let fault else { return }
        recovery = Recovery(time: now, silence: fault.silence, allowed: min(fault.silence, shortest))
        guard fault.endedAlone else { return }
        recovery?.silence = .zero
        recovery?.allowed = .zero
        naturalGap = max(naturalGap, fault.silence)
        learn(silence: fault.silence)
    }

    private mutating func learn(silence: Duration) {
        // A longer silence would hide the rate that was learned before, for example at the end of a weekend.
        slow.add(occupied: 0, of: Int(min(silence, .seconds(900)) / .seconds(1)))
        // It shows less about the rate after it, for which the fast average is.
        fast.add(occupied: 0, of: Int(min(silence, .seconds(120)) / .seconds(1)))
    }

    /// Learns the seconds until the last advertisement. A silence after it may be the beginning of a fault.
    private mutating func learn() {
        guard let lastSecond else { return }
        let count = lastSecond + 1 - firstSecond
        slow.add(occupied: occupied, of: Int(count))
        fast.add(occupied: occupied, of: Int(count))
        recovery?.occupied += occupied
        firstSecond = lastSecond + 1
        occupied = 0
        self.lastSecond = nil
    }

    /// Halves the longest natural gap each hour.
    private mutating func forgetGap(at now: Duration) {
        let passed = now - gapMeasured
        guard passed >= .seconds(60) else { return }
        gapMeasured = now
        naturalGap = naturalGap * exp2(-(passed / .seconds(3600)))
    }

    /// Decides whether a silence was a fault, by the advertisements after it.
    ///
    /// If there are fewer than before the silence, the surroundings have changed: the silence is learned, and longer
    /// ones are allowed.
    private mutating func judgeRecovery(at now: Duration, isSilent: Bool) {
        guard let recovery else { return }
        let seconds = (now - recovery.time) / .seconds(1)
        guard isSilent || seconds >= 60 else { return }
        self.recovery = nil
        let expected = min(slow.share, fast.share) * seconds
        if Double(recovery.occupied) >= max(3, expected / 2) {
            doublings = 0
            learn(silence: recovery.allowed)
        } else {
            if isSilent { doublings = min(2, doublings + 1) }
            learn(silence: recovery.silence)
        }
    }
}

/// The share of seconds with an advertisement, as an average in which older seconds count less.
struct OccupancyAverage: Sendable {
    private let seconds: Double
    // Ten assumed seconds, so that the first silence is not judged by nothing. They allow 30 s.
    private var weight = 10.0
    private var occupied = 3.7

    init(seconds: Double) { self.seconds = seconds }

    var share: Double { occupied / weight }

    /// The rate at which random advertisements leave this share of seconds empty.
    var rate: Double { max(1e-6, -log(max(1e-9, 1 - share))) }

    mutating func add(occupied count: Int, of total: Int) {
        guard total > 0 else { return }
        let kept = exp(-Double(total) / seconds)
        let added = (1 - kept) * seconds
        weight = weight * kept + added
        occupied = occupied * kept + added * min(1, Double(count) / Double(total))
    }
}
