/// The detection of silence and the ladder of an adapter, as one value.
///
/// ``AdapterSupervisor`` executes its actions. It needs one timer: set it to ``deadline``, call
/// ``deadlinePassed(at:isScanning:)`` when it fires, and set it again.
public struct AdapterRecovery: Sendable {
    /// What the driver does.
    public enum Action: Hashable, Sendable {
        /// Begin a step, and pass its end to ``stepEnded(_:at:)``.
        case run(RecoveryStep)
        /// Give up a step that is in progress.
        case cancel(RecoveryStep)
        /// Log, count and publish what happened.
        case report(RecoveryReport)
    }

    private var detector: SilenceDetector
    private var ladder: RecoveryLadder

    /// Creates the state of an adapter that begins to scan.
    public init(_ settings: RecoverySettings, available: Set<RecoveryStep>, at now: Duration) {
        detector = SilenceDetector(settings, at: now)
        ladder = RecoveryLadder(available: available)
    }

    /// The steps that are permitted and possible now.
    public var available: Set<RecoveryStep> {
        get { ladder.available }
        set { ladder.available = newValue }
    }
    /// The number of advertisements so far.
    public var count: UInt64 { detector.count }
    /// The time of the last advertisement, or of the start.
    public var lastHeard: Duration { detector.lastHeard }
    /// The normal rate of independent advertisements per second.
    public var rate: Double { detector.rate }
    /// The silence that is normal in the present surroundings.
    public var allowedSilence: Duration { detector.allowedSilence }
    /// How often each step was tried and has helped.
    public var counts: [RecoveryStep: StepCount] { ladder.counts }
    /// The step in progress; nil if none is.
    public var step: RecoveryStep? { ladder.step }
    /// Whether the adapter is silent, and no obstacle explains it.
    public var isRecovering: Bool { ladder.isRecovering }
    /// Why the adapter cannot receive; nil if no obstacle is known.
    public var obstacle: ScanObstacle? { ladder.obstacle }

    /// When to call ``deadlinePassed(at:isScanning:)``; nil while an obstacle exists.
    public var deadline: Duration? { ladder.deadline ?? detector.deadline }

    /// Sets how many connections the adapter has, and whether one is being made.
    public mutating func setLinks(_ count: Int, isConnecting: Bool) {
        ladder.hasLinks = count > 0
        detector.isDisturbed = isConnecting
    }

    /// Records that a value arrived over a link of the adapter.
    public mutating func receivedValue(at now: Duration) { ladder.lastValue = now }

    /// Whether the steps that end connections wait, because links deliver values and only a few devices are silent.
    public func protectsLinks(at now: Duration) -> Bool { ladder.protectsLinks(at: now) }

    /// Sets how many devices without a link were received shortly before the present silence.
    public mutating func setSilentDevices(_ count: Int) { if !ladder.isRecovering { ladder.silentDevices = count } }

    /// Whether a silence is normal, because all devices that were heard lately are connected. There are no steps then.
    public private(set) var isSilenceExplained = false

    /// Sets whether a silence is normal. A recovery in progress continues.
    public mutating func setSilenceExplained(_ isExplained: Bool, at now: Duration) {
        guard isExplained != isSilenceExplained, !isExplained || !ladder.isRecovering else { return }
        isSilenceExplained = isExplained
        if isExplained { detector.pause() } else if obstacle == nil { detector.resume(at: now) }
    }

    /// Records an advertisement.
    ///
    /// - Parameter isFreed: Whether it is from a device that a step has disconnected.
    public mutating func heard(at now: Duration, isFreed: Bool = false) -> [Action] {
        detector.heard(at: now)
        return perform(ladder.handle(isFreed ? .heardFreed : .heard, at: now), at: now)
    }

    /// Continues when ``deadline`` has passed, and learns the rate of advertisements.
    ///
    /// Call it also if advertisements have postponed the deadline meanwhile, so that the rate is learned.
    ///
    /// - Parameter isScanning: Whether bluetoothd has started the scan.
    public mutating func deadlinePassed(at now: Duration, isScanning: Bool) -> [Action] {
        if ladder.isRecovering { return perform(ladder.deadlinePassed(at: now), at: now) }
        guard detector.check(at: now) else { return [] }
        let event = RecoveryLadder.Event.silent(
            isScanning ? .silentScan : .noScan, since: detector.lastHeard, rate: detector.rate)
        return perform(ladder.handle(event, at: now), at: now)
    }

    /// Continues after a step: it is executed, or it has failed for a reason.
    public mutating func stepEnded(_ reason: String? = nil, at now: Duration) -> [Action] {
        perform(ladder.handle(reason.map { .stepFailed($0) } ?? .stepDone, at: now), at: now)
    }

    /// Records that the substitute of this adapter receives advertisements.
    public mutating func replaced(at now: Duration) -> [Action] { perform(ladder.handle(.replaced, at: now), at: now) }

    /// Sets why the adapter cannot receive; nil when the obstacle is gone.
    public mutating func setObstacle(_ obstacle: ScanObstacle?, at now: Duration) -> [Action] {
        let before = ladder.obstacle
        let actions = ladder.handle(.obstacle(obstacle), at: now)
        if obstacle != nil { detector.pause() } else if before != nil, !isSilenceExplained { detector.resume(at: now) }
        return perform(actions, at: now)
    }

    private mutating func perform(_ actions: [RecoveryLadder.Action], at now: Duration) -> [Action] {
        guard !actions.isEmpty else { return [] }
        return actions.compactMap {
            switch $0 {
            case .run(let step): return .run(step)
            case .cancel(let step): return .cancel(step)
            case .report(let report): return .report(report)
            case .endSilence(let silence, let endedAlone):
                detector.resume(at: now, after: (silence, endedAlone))
                return nil
            }
        }
    }
}
