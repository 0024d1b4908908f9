import Gateway
import Glibc
import SoakTesting

/// A model of an adapter with random faults, which `AdapterRecovery` lets receive again.
///
/// Each second with an advertisement is one event. The model has the one timer of a driver.
struct AdapterModel {
    private var dice: Dice
    private var now = Duration.zero
    private var recovery: AdapterRecovery
    private var timer: Duration?
    /// Whether the deadline may be earlier than the timer.
    private var hasActed = false
    /// The present faults with their ends.
    private var faults: [(fault: ModelFault, end: Duration)] = []
    private var nextFault: Duration
    private var step: (step: RecoveryStep, done: Duration)?
    private var scanBegan = Duration.zero
    private var usesManagement: Bool
    private let hasManagement: Bool
    private let available: Set<RecoveryStep>
    /// The number of advertisements per second, and how much it changes during a day.
    private let rate: (mean: Double, swing: Double)
    private var gapStart = Duration.zero
    /// The fault that the present silence began with.
    private var cause: ModelFault?
    private(set) var tally = ModelTally()
    /// The last reports and faults, and those before each gap above 60 s.
    private var history: [String] = []
    private(set) var findings: [String] = []

    /// Whether hours without a fault are left out, half an hour after the last one.
    private let skipsQuietTime: Bool
    private var skipped = Duration.zero
    private var quietSince = Duration.zero

    init(seed: UInt64, skipsQuietTime: Bool = true, hasFaults: Bool = true) {
        self.skipsQuietTime = skipsQuietTime
        dice = Dice(seed: seed)
        hasManagement = Bool.random(using: &dice)
        usesManagement = hasManagement
        var steps: Set<RecoveryStep> = [.restartScan, .newSession]
        if hasManagement { steps.insert(.otherSource) }
        if Int.random(in: 0..<10, using: &dice) > 0 { steps.insert(.powerCycle) }
        if Bool.random(using: &dice) { steps.insert(.reset) }
        available = steps
        let least = Double.random(in: 1...3, using: &dice)
        let swing = Double.random(in: 0...5, using: &dice)
        rate = (least + swing / 2, swing / 2)
        recovery = AdapterRecovery(RecoverySettings(), available: steps, at: .zero)
        nextFault = hasFaults ? .seconds(7200) : .longest
        tally.runs = 1
    }

    mutating func run(days: Int) {
        tally.days = days
        let end = Duration.seconds(days * 86_400)
        var advertisement = Duration.zero
        while now + skipped < end {
            if skipsQuietTime { skipQuietTime() }
            if advertisement <= now { advertisement = nextAdvertisement() }
            let finish = faults.isEmpty ? nil : faults.map(\.end).min()
            var next = min(advertisement, nextFault)
            if let timer { next = min(next, timer) }
            if let finish { next = min(next, finish) }
            if let step { next = min(next, step.done) }
            now = next
            if next == timer { timerFired() }
            if let step, next == step.done { finished(step.step) }
            if next == finish { endFaults() }
            if next == nextFault { beginFault() }
            if next == advertisement, isAudible { hear() }
            if hasActed || timer == nil, let deadline = recovery.deadline { timer = min(timer ?? deadline, deadline) }
            hasActed = false
        }
    }

    private mutating func skipQuietTime() {
        if !faults.isEmpty || recovery.isRecovering || step != nil { quietSince = now }
        guard now - quietSince > .seconds(1800), nextFault - now > .seconds(1800) else { return }
        let pause = nextFault - now - .seconds(1800)
        skipped += pause
        nextFault -= pause
    }

    // MARK: The radio

    /// The time of the next second with an advertisement.
    private mutating func nextAdvertisement() -> Duration {
        let phase = (now + skipped) / .seconds(86_400)
        let rate = rate.mean + rate.swing * sin(phase * 2 * .pi)
        let second = now.components.seconds + 1
        // Each second has one with the probability of a random process with this rate.
        let empty = Int64(log(1 - Double.random(in: 0..<1, using: &dice)) / -rate)
        return .milliseconds((second + empty) * 1000 + Int64.random(in: 0..<1000, using: &dice))
    }

    private func has(_ fault: ModelFault) -> Bool { faults.contains { $0.fault == fault } }

    private var isAudible: Bool {
        guard step == nil || step?.done == .longest, scanBegan <= now else { return false }
        if faults.isEmpty { return true }
        return faults.allSatisfy { fault, _ in
            switch fault {
            case .flapping: now - scanBegan < .seconds(20)
            case .socketDeaf, .allSocketsDeaf: !usesManagement
            default: false
            }
        }
    }

    /// Whether a permitted step can end the silence.
    private var isRecoverable: Bool { faults.allSatisfy { !$0.fault.remedies.isDisjoint(with: available) } }

    private mutating func hear() {
        tally.advertisements += 1
        note(gap: now - gapStart)
        gapStart = now
        let isAlarm = recovery.isRecovering
        perform(recovery.heard(at: now))
        if isAlarm || faults.isEmpty { cause = nil }
    }

    private mutating func note(gap: Duration) {
        guard let cause else { return }
        if gap > .seconds(60) { findings.append("a gap of \(gap): " + history.joined(separator: "; ")) }
        tally.longestGap[cause] = max(gap, tally.longestGap[cause] ?? .zero)
    }

    // MARK: Faults

    private mutating func beginFault() {
        let pause = -log(1 - Double.random(in: 0..<1, using: &dice)) * 12 * 3600
        nextFault = now + .seconds(max(1, pause))
        // A second fault soon after the first, sometimes.
        if Int.random(in: 0..<8, using: &dice) == 0 { nextFault = now + .seconds(Int.random(in: 1...90, using: &dice)) }
        let fault = ModelFault.allCases.randomElement(using: &dice) ?? .untilDiscovery
        guard isRecoverable, !has(fault), !fault.needsManagement || hasManagement else { return }
        // After a fault that no step ends, the pauses are long, so a second fault would be found late.
        guard faults.isEmpty || fault.obstacle != nil || !fault.remedies.isDisjoint(with: available) else { return }
        let lasts = Duration.seconds(Int.random(in: fault.obstacle == nil ? 1800...14_400 : 5...14_400, using: &dice))
        tally.faults[fault, default: 0] += 1
        remember("\(fault)")
        faults.append((fault, now + lasts))
        cause = cause ?? fault
        gapStart = now
        if fault.obstacle != nil { updateObstacle() }
    }

    private mutating func endFaults() {
        let wasRecoverable = isRecoverable
        let ended = faults.filter { $0.end <= now }.map(\.fault)
        faults.removeAll { $0.end <= now }
        if !wasRecoverable { gapStart = now }
        // A new adapter, or one that was off, has no fault of its controller. The scan resumes by itself.
        if ended.contains(where: { $0.obstacle != nil || $0 == .untilPlugIn }) {
            let isOther = ended.contains(.unplugged) || ended.contains(.untilPlugIn)
            cure(
                isOther || ended.contains(.blocked) ? .reset : ended.contains(.poweredOff) ? .powerCycle : .restartScan)
            scanBegan = now + .milliseconds(Int.random(in: 50...3000, using: &dice))
            if ended.contains(.untilPlugIn) { perform(recovery.setObstacle(.noAdapter, at: now)) }
        }
        updateObstacle()
    }

    private mutating func updateObstacle() {
        // A stalled connection reports no change.
        guard !has(.busStalled) else { return }
        let before = recovery.obstacle
        perform(recovery.setObstacle(faults.compactMap(\.fault.obstacle).first, at: now))
        if before != nil, recovery.obstacle == nil { gapStart = now }
    }

    /// Ends the faults for which a step is a remedy.
    private mutating func cure(_ step: RecoveryStep) {
        faults.removeAll { !$0.fault.isLasting && $0.fault.remedies.contains(step) }
    }

    // MARK: Steps

    private mutating func timerFired() {
        timer = nil
        perform(recovery.deadlinePassed(at: now, isScanning: !has(.refusing)))
    }

    private mutating func perform(_ actions: [AdapterRecovery.Action]) {
        guard !actions.isEmpty else { return }
        hasActed = true
        for action in actions {
            if case .report(let report) = action { remember("\(report)") }
            switch action {
            case .report(.silent): cause = cause ?? faults.first?.fault
            case .run(let step): begin(step)
            case .cancel: step = nil
            case .report(.recovered(_, let helper)):
                if let cause { tally.helped[cause, default: [:]][helper, default: 0] += 1 }
                step = nil
            case .report(.ended(let ended, let result, _)):
                step = nil
                // A driver returns to D-Bus.
                if ended == .otherSource, result != .helped { usesManagement = false }
            default: break
            }
        }
    }

    private mutating func remember(_ text: String) {
        history = history.suffix(12) + ["\(now) \(text)"]
    }

    private mutating func begin(_ step: RecoveryStep) {
        if cause == nil { tally.falseAlarms[step, default: 0] += 1 }
        let range =
            switch step {
            case .restartScan, .otherSource, .otherAdapter: 50...1000
            case .newSession: 300...2000
            case .powerCycle: 1000...4000
            case .reset: 1500...6000
            }
        let isPossible = step == .newSession || !has(.busStalled)
        let took = Duration.milliseconds(Int.random(in: range, using: &dice))
        self.step = (step, isPossible ? now + took : .longest)
    }

    private mutating func finished(_ step: RecoveryStep) {
        self.step = nil
        if step == .otherSource { usesManagement.toggle() }
        cure(step)
        if step == .newSession { updateObstacle() }
        // A discovery that is refused does not end the step.
        guard !has(.refusing) else {
            self.step = (step, .longest)
            return
        }
        scanBegan = now
        perform(recovery.stepEnded(at: now))
    }
}

extension Duration {
    fileprivate static let longest = Duration.seconds(1 << 40)
}
