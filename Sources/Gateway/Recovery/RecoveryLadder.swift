/// Decides which steps are taken while an adapter is silent: one after another, until one helps.
///
/// The ladder is a value without timers: events return actions, and ``deadline`` is when to call
/// ``deadlinePassed(at:)``. It begins with the step that helped last time with the same symptom. Steps that could not
/// be executed are repeated after a new session. If no step of a round helps, the next round follows after a pause,
/// which doubles from 10 s to 15 minutes.
public struct RecoveryLadder: Sendable {
    /// What happened to the adapter.
    public enum Event: Hashable, Sendable {
        /// Nothing was received since a time, with this normal rate of advertisements per second.
        case silent(SilenceSymptom, since: Duration, rate: Double)
        /// An advertisement was received.
        case heard
        /// An advertisement was received from a device that a step has disconnected. It shows that the adapter
        /// receives, but not that the step has helped.
        case heardFreed
        /// The step in progress is executed, so advertisements may arrive from now on.
        case stepDone
        /// The step in progress could not be executed.
        case stepFailed(String)
        /// The other adapter that has taken over receives advertisements.
        case replaced
        /// Why the adapter cannot receive; nil when the obstacle is gone.
        case obstacle(ScanObstacle?)
    }

    /// What the driver does.
    public enum Action: Hashable, Sendable {
        /// Begin a step.
        case run(RecoveryStep)
        /// Give up a step that is in progress.
        case cancel(RecoveryStep)
        /// The silence is over. `endedAlone`: no step was in progress, and none has disturbed the adapter.
        case endSilence(Duration, endedAlone: Bool)
        /// Log, count and publish what happened.
        case report(RecoveryReport)
    }

    private enum Phase: Hashable, Sendable {
        case listening
        case trying(RecoveryStep, since: Duration, until: Duration, isDone: Bool)
        case pausing(until: Duration)
    }

    private struct Round: Sendable {
        var symptom: SilenceSymptom
        let since: Duration
        let rate: Double
        var number: Int
        var remaining: [RecoveryStep]
        /// The steps that could not be executed. They follow a new session, which a stalled bus needs first.
        var unfinished: [RecoveryStep] = []
        /// The step that has helped with the same symptom before, so that it needs less evidence.
        var known: RecoveryStep?
        var tried: Set<RecoveryStep> = []
        /// The step that helped, and the number of advertisements since.
        var helper: RecoveryStep?
        var heard = 0
    }

    private var phase = Phase.listening
    private var round: Round?
    private var memory = StepMemory()
    private static let pauses = (first: Duration.seconds(10), longest: Duration.seconds(900))
    /// How long steps that end connections wait while there are connections.
    private static let patienceWithLinks = Duration.seconds(300)
    /// Fewer devices that fall silent together do not prove that the scan has failed while links deliver values.
    private static let enoughSilentDevices = 3
    /// Fewer advertisements after a step do not prove that it has helped.
    private static let enough = 3

    /// The steps that are permitted and possible now.
    public var available: Set<RecoveryStep>
    /// Whether devices are connected over the adapter. Steps that end connections then wait for 5 minutes of silence.
    public var hasLinks = false
    /// When a value last arrived over a link of the adapter, which proves that the radio works; nil if none has.
    public var lastValue: Duration?
    /// How many devices without a link were received shortly before the silence.
    public var silentDevices = 0
    /// Why the adapter cannot receive; nil if no obstacle is known.
    public private(set) var obstacle: ScanObstacle?
    /// How often each step was tried and has helped.
    public private(set) var counts: [RecoveryStep: StepCount] = [:]

    /// Creates a ladder for an adapter that receives.
    public init(available: Set<RecoveryStep>) { self.available = available }

    /// Whether the adapter is silent, and no obstacle explains it.
    public var isRecovering: Bool { phase != .listening }

    /// The step in progress; nil if none is.
    public var step: RecoveryStep? { if case .trying(let step, _, _, _) = phase { step } else { nil } }

    /// When to call ``deadlinePassed(at:)``; nil if nothing is planned.
    public var deadline: Duration? {
        switch phase {
        case .listening: nil
        case .trying(_, _, let until, _), .pausing(let until): until
        }
    }

    /// Handles an event.
    public mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .silent(let symptom, let since, let rate): return silent(symptom, since, rate, now)
        case .heard: return heard(now)
        case .heardFreed: return heard(now, isFreed: true)
        case .stepDone:
            guard let round, case .trying(let step, let since, _, false) = phase else { return [] }
            phase = .trying(step, since: since, until: now + Self.confirmation(round.rate), isDone: true)
            if round.symptom == .noScan, !round.tried.contains(.otherSource), !round.remaining.contains(.otherSource) {
                // The scan has begun, so its source can be the reason why the adapter is still silent.
                self.round?.remaining.insert(.otherSource, at: 0)
            }
            return []
        case .stepFailed(let reason):
            guard case .trying(let step, let since, _, _) = phase else { return [] }
            round?.unfinished.append(step)
            return [.report(.ended(step, .failed(reason), after: now - since))] + next(now)
        case .replaced:
            guard let round, case .trying(.otherAdapter, let since, _, _) = phase else { return [] }
            return finish(.otherAdapter, round.symptom, since, now) + next(now)
        case .obstacle(let obstacle): return changed(obstacle, now)
        }
    }

    /// Continues when ``deadline`` has passed.
    public mutating func deadlinePassed(at now: Duration) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        guard case .trying(let step, let since, _, let isDone) = phase else { return next(now) }
        let took = now - since
        if isDone {
            if let symptom = round?.symptom { memory.failed(step, symptom) }
            if step == .newSession { retryUnfinished() }
            return [.report(.ended(step, .noAdvertisements, after: took))] + next(now)
        }
        round?.unfinished.append(step)
        let reason = "not finished within \(step.limit.components.seconds) s"
        return [.cancel(step), .report(.ended(step, .failed(reason), after: took))] + next(now)
    }

    /// The time in which advertisements show that a step has helped: four of them are due, or 3 to 15 s.
    static func confirmation(_ rate: Double) -> Duration { min(.seconds(15), max(.seconds(3), .seconds(4 / rate))) }

    private mutating func silent(
        _ symptom: SilenceSymptom, _ since: Duration, _ rate: Double, _ now: Duration
    ) -> [Action] {
        guard phase == .listening, obstacle == nil else { return [] }
        var actions: [Action] = [.report(.silent(symptom, since: since, rate: rate))]
        var begun = Round(symptom: symptom, since: since, rate: rate, number: 1, remaining: [])
        if let last = round, let helper = last.helper {
            // The last step did not help for long, so the next step follows instead of the same again.
            actions.append(.report(.relapsed(helper)))
            memory.failed(helper, last.symptom)
            begun.remaining = last.remaining.filter(symptom.steps.contains)
            begun.tried = last.tried
            begun.number = last.number
        }
        if begun.remaining.isEmpty {
            begun.remaining = memory.ordered(symptom.steps, for: symptom, at: now)
            begun.known = begun.remaining.first
        }
        round = begun
        return actions + next(now)
    }

    private mutating func heard(_ now: Duration, isFreed: Bool = false) -> [Action] {
        guard var round else { return [] }
        if case .listening = phase {
            round.heard += 1
            self.round = round.heard < Self.enough ? round : nil
            return []
        }
        let silence = now - round.since
        var actions: [Action] = []
        var helper: RecoveryStep?
        if case .trying(let step, let since, _, _) = phase {
            if step == .otherAdapter {
                actions = [.cancel(step), .report(.ended(step, .cancelled, after: now - since))]
            } else if isFreed {
                actions = [.report(.ended(step, .noAdvertisements, after: now - since))]
            } else {
                helper = step
                actions = finish(step, round.symptom, since, now)
            }
        }
        actions.append(.report(.recovered(after: silence, by: helper)))
        actions.append(
            .endSilence(silence, endedAlone: helper == nil && round.tried.isDisjoint(with: [.powerCycle, .reset])))
        phase = .listening
        round.helper = helper
        round.heard = 1
        self.round = helper == nil ? nil : round
        return actions
    }

    private mutating func finish(
        _ step: RecoveryStep, _ symptom: SilenceSymptom, _ since: Duration, _ now: Duration
    ) -> [Action] {
        counts[step, default: StepCount()].helped += 1
        memory.helped(step, symptom, at: now)
        return [.report(.ended(step, .helped, after: now - since))]
    }

    private mutating func changed(_ obstacle: ScanObstacle?, _ now: Duration) -> [Action] {
        guard obstacle != self.obstacle else { return [] }
        self.obstacle = obstacle
        guard let obstacle else { return [.report(.ready)] }
        var actions: [Action] = []
        if case .trying(let step, let since, _, _) = phase {
            actions = [.cancel(step), .report(.ended(step, .cancelled, after: now - since))]
        }
        phase = .listening
        round = nil
        return actions + [.report(.waiting(obstacle))]
    }

    private mutating func retryUnfinished() {
        guard let steps = round?.unfinished else { return }
        round?.remaining.insert(contentsOf: steps.filter { $0 != .newSession }, at: 0)
        round?.unfinished = []
    }

    /// Begins the next step that is possible and justified, or a pause.
    private mutating func next(_ now: Duration) -> [Action] {
        guard var round else { return [] }
        let protectsLinks = protectsLinks(at: now)
        let possible = round.remaining.filter { available.contains($0) && !(protectsLinks && $0.endsConnections) }
        if let step = possible.first(where: { earliest($0, round) <= now }) {
            round.remaining.removeAll { $0 == step }
            round.tried.insert(step)
            self.round = round
            counts[step, default: StepCount()].tried += 1
            phase = .trying(step, since: now, until: now + step.limit, isDone: false)
            return [.report(.began(step, round: round.number)), .run(step)]
        }
        if let time = possible.map({ earliest($0, round) }).min() {
            phase = .pausing(until: min(time, now + .seconds(3600)))
            return []
        }
        let pause = min(Self.pauses.longest, Self.pauses.first * (1 << min(10, round.number - 1)))
        let action = Action.report(.exhausted(round: round.number, pause: pause))
        round.number += 1
        round.unfinished = []
        if round.tried.contains(.otherSource) { round.symptom = .silentScan }
        round.remaining = memory.ordered(round.symptom.steps, for: round.symptom, at: now)
        self.round = round
        phase = .pausing(until: now + pause)
        return [action]
    }

    /// Whether no step may end connections: they deliver values, and only a few devices have fallen silent.
    func protectsLinks(at now: Duration) -> Bool {
        guard hasLinks, silentDevices < Self.enoughSilentDevices, let lastValue else { return false }
        return now < lastValue + Self.patienceWithLinks
    }

    /// When a step is justified: enough advertisements are missing, and connections have had their time.
    private func earliest(_ step: RecoveryStep, _ round: Round) -> Duration {
        let evidence = step == round.known ? min(10, step.requiredEvidence) : step.requiredEvidence
        let silence = Duration.seconds(min(86_400, evidence / max(1e-9, round.rate)))
        return round.since + (hasLinks && step.endsConnections ? max(silence, Self.patienceWithLinks) : silence)
    }
}
