import Testing

@testable import Gateway

@Suite struct RecoveryLadderTests {
    private static let all = Set(RecoveryStep.allCases)
    private var ladder = RecoveryLadder(available: all)

    /// Makes the ladder silent at a time, at one advertisement per second.
    private func silence(
        _ ladder: inout RecoveryLadder, at now: Int, _ symptom: SilenceSymptom = .silentScan, rate: Double = 1
    ) -> [RecoveryLadder.Action] {
        ladder.handle(.silent(symptom, since: .seconds(now - 14), rate: rate), at: .seconds(now))
    }

    /// Executes each step at once, and lets none help. Returns the steps until the round ends, and when it ended.
    private func climb(_ ladder: inout RecoveryLadder, _ actions: [RecoveryLadder.Action]) -> ([RecoveryStep], Duration)
    {
        var (steps, pending) = ([RecoveryStep](), actions)
        var now = Duration.zero
        for _ in 0..<20 {
            steps += pending.compactMap { if case .run(let step) = $0 { step } else { nil } }
            guard ladder.step != nil, let deadline = ladder.deadline else { break }
            now = deadline - (ladder.step?.limit ?? .zero)
            _ = ladder.handle(.stepDone, at: now)
            now = ladder.deadline ?? now
            pending = ladder.deadlinePassed(at: now)
        }
        return (steps, now)
    }

    /// Returns the step after a silence at a time, and lets it help at once if `helps` is true.
    private func firstStep(
        _ ladder: inout RecoveryLadder, at now: Int, _ symptom: SilenceSymptom = .silentScan
    ) -> RecoveryStep? {
        for _ in 0..<3 { _ = ladder.handle(.heard, at: .seconds(now - 14)) }
        _ = silence(&ladder, at: now, symptom)
        return ladder.step
    }

    @Test func `A round takes all steps from the gentlest to the strongest within 45 s`() {
        var ladder = ladder
        let (steps, end) = climb(&ladder, silence(&ladder, at: 15))
        #expect(steps == RecoveryStep.allCases)
        #expect(end <= .seconds(60), "\(end)")
        #expect(ladder.counts.values.allSatisfy { $0.tried == 1 && $0.helped == 0 })
    }

    @Test func `Steps that are not possible are skipped`() {
        var ladder = RecoveryLadder(available: [.restartScan, .newSession])
        #expect(climb(&ladder, silence(&ladder, at: 15)).0 == [.restartScan, .newSession])
        var idle = RecoveryLadder(available: [])
        #expect(climb(&idle, silence(&idle, at: 15)).0.isEmpty)
        #expect(idle.deadline != nil)
    }

    @Test func `The other source is tried only when the scan has started`() {
        var ladder = ladder
        _ = silence(&ladder, at: 60, .noScan)
        _ = ladder.handle(.stepFailed("refused"), at: .seconds(71))
        _ = ladder.handle(.stepFailed("refused"), at: .seconds(72))
        #expect(ladder.step == .powerCycle)
        _ = ladder.handle(.stepDone, at: .seconds(73))
        _ = ladder.deadlinePassed(at: .seconds(80))
        #expect(ladder.step == .otherSource)
        for time in 81..<84 { _ = ladder.handle(.stepFailed("refused"), at: .seconds(time)) }
        _ = ladder.deadlinePassed(at: ladder.deadline ?? .zero)
        #expect(climb(&ladder, [.run(.restartScan)]).0 == RecoveryStep.allCases)
    }

    @Test func `Steps that could not be executed are repeated after a new session`() {
        var ladder = ladder
        _ = silence(&ladder, at: 60)
        #expect(ladder.deadlinePassed(at: .seconds(64)).contains(.cancel(.restartScan)))
        #expect(ladder.step == .newSession)
        _ = ladder.handle(.stepDone, at: .seconds(65))
        _ = ladder.deadlinePassed(at: .seconds(69))
        #expect(ladder.step == .restartScan)
        _ = ladder.handle(.stepFailed("refused"), at: .seconds(70))
        #expect(ladder.step == .otherSource)
    }

    @Test func `Pauses between rounds double up to 15 minutes`() {
        var ladder = RecoveryLadder(available: [.restartScan])
        var pauses: [Duration] = []
        var actions = silence(&ladder, at: 15)
        for _ in 0..<10 {
            let (_, end) = climb(&ladder, actions)
            let next = ladder.deadline ?? end
            pauses.append(next - end)
            actions = ladder.deadlinePassed(at: next)
        }
        #expect(pauses == [10, 20, 40, 80, 160, 320, 640, 900, 900, 900].map { .seconds($0) })
    }

    @Test func `An advertisement ends the round and is attributed to the step`() {
        var ladder = ladder
        _ = silence(&ladder, at: 15)
        _ = ladder.handle(.stepDone, at: .seconds(16))
        let actions = ladder.handle(.heard, at: .seconds(17))
        #expect(
            actions == [
                .report(.ended(.restartScan, .helped, after: .seconds(2))),
                .report(.recovered(after: .seconds(16), by: .restartScan)),
                .endSilence(.seconds(16), endedAlone: false),
            ])
        #expect(!ladder.isRecovering && ladder.deadline == nil)
        #expect(ladder.counts[.restartScan]?.helped == 1)
    }

    @Test func `The next silence begins with the step that helped, much later with the first`() {
        var ladder = ladder
        _ = silence(&ladder, at: 25)
        for _ in 0..<3 { _ = ladder.handle(.stepFailed("refused"), at: .seconds(35)) }
        #expect(ladder.step == .powerCycle)
        _ = ladder.handle(.heard, at: .seconds(40))
        #expect(firstStep(&ladder, at: 100) == .powerCycle)
        _ = ladder.handle(.heard, at: .seconds(101))
        #expect(firstStep(&ladder, at: 200, .noScan) == .restartScan)
        _ = ladder.handle(.heard, at: .seconds(201))
        #expect(firstStep(&ladder, at: 10 * 86_400) == .restartScan)
    }

    @Test func `A remembered step does not begin all rounds, so that gentler ones are tried`() {
        var ladder = RecoveryLadder(available: [.restartScan, .newSession])
        _ = silence(&ladder, at: 15)
        _ = ladder.handle(.stepFailed("refused"), at: .seconds(15))
        _ = ladder.handle(.heard, at: .seconds(16))
        var first: [RecoveryStep?] = []
        for number in 1...9 {
            first.append(firstStep(&ladder, at: 100 * number))
            _ = ladder.handle(.heard, at: .seconds(100 * number + 1))
        }
        #expect(first.prefix(7).allSatisfy { $0 == .newSession } && first[7] == .restartScan)
    }

    @Test func `A step that helps for one advertisement is followed by the next step`() {
        var ladder = ladder
        _ = silence(&ladder, at: 15)
        _ = ladder.handle(.stepDone, at: .seconds(15))
        _ = ladder.handle(.heard, at: .seconds(16))
        let actions = silence(&ladder, at: 30)
        #expect(actions.contains(.report(.relapsed(.restartScan))))
        #expect(ladder.step == .newSession)
    }

    @Test func `An obstacle ends recovery, and is no silence`() {
        var ladder = ladder
        _ = silence(&ladder, at: 15)
        let actions = ladder.handle(.obstacle(.poweredOff), at: .seconds(16))
        #expect(
            actions == [
                .cancel(.restartScan), .report(.ended(.restartScan, .cancelled, after: .seconds(1))),
                .report(.waiting(.poweredOff)),
            ])
        #expect(ladder.deadline == nil && silence(&ladder, at: 40).isEmpty)
        #expect(ladder.handle(.obstacle(nil), at: .seconds(50)) == [.report(.ready)])
        #expect(!silence(&ladder, at: 70).isEmpty)
    }

    @Test func `A step that takes too long is cancelled and followed by the next`() {
        var ladder = ladder
        _ = silence(&ladder, at: 15)
        #expect(ladder.deadlinePassed(at: .seconds(18)).isEmpty)
        let actions = ladder.deadlinePassed(at: .seconds(19))
        #expect(actions.first == .cancel(.restartScan) && actions.last == .run(.newSession))
    }

    @Test func `In quiet surroundings strong steps wait until advertisements are missing`() throws {
        var ladder = ladder
        // One advertisement in 5 minutes: only the scan is restarted after a minute.
        let actions = ladder.handle(.silent(.silentScan, since: .zero, rate: 1 / 300), at: .seconds(60))
        #expect(climb(&ladder, actions).0 == [.restartScan])
        let next = try #require(ladder.deadline)
        #expect(next == .seconds(1500))
        let ended = ladder.handle(.heard, at: .seconds(300))
        #expect(ended.last == .endSilence(.seconds(300), endedAlone: true))
    }

    @Test func `While devices are connected, steps that end connections wait`() throws {
        var ladder = ladder
        ladder.hasLinks = true
        let (steps, _) = climb(&ladder, silence(&ladder, at: 14))
        #expect(steps == [.restartScan, .otherSource, .otherAdapter])
        #expect(try #require(ladder.deadline) == .seconds(300))
    }

    @Test func `No step ends connections while they deliver values and few devices are silent`() throws {
        var ladder = ladder
        ladder.hasLinks = true
        ladder.silentDevices = 2
        var actions = silence(&ladder, at: 14)
        for number in 1...20 {
            ladder.lastValue = .seconds(900 * number)
            let (steps, _) = climb(&ladder, actions)
            #expect(steps == [.restartScan, .otherSource, .otherAdapter])
            actions = ladder.deadlinePassed(at: try #require(ladder.deadline))
        }
        // No value was received for 5 minutes.
        ladder.lastValue = .zero
        actions = ladder.deadlinePassed(at: .seconds(86_400))
        let (steps, _) = climb(&ladder, actions)
        #expect(steps.contains(.powerCycle))
    }

    @Test func `Steps end connections that deliver values if three devices are silent together`() throws {
        var ladder = ladder
        ladder.hasLinks = true
        ladder.silentDevices = 3
        ladder.lastValue = .seconds(300)
        _ = climb(&ladder, silence(&ladder, at: 14))
        let actions = ladder.deadlinePassed(at: try #require(ladder.deadline))
        #expect(actions.last == .run(.newSession), "\(actions)")
    }

    @Test func `An advertisement of a freed device ends the round without a success of the step`() {
        var ladder = ladder
        _ = silence(&ladder, at: 15)
        _ = ladder.handle(.stepDone, at: .seconds(16))
        let actions = ladder.handle(.heardFreed, at: .seconds(17))
        #expect(
            actions == [
                .report(.ended(.restartScan, .noAdvertisements, after: .seconds(2))),
                .report(.recovered(after: .seconds(16), by: nil)),
                .endSilence(.seconds(16), endedAlone: true),
            ])
        #expect(!ladder.isRecovering && ladder.counts[.restartScan]?.helped == 0)
    }

    @Test func `Another adapter that receives ends the step, and the silence continues`() {
        var ladder = RecoveryLadder(available: [.otherAdapter])
        _ = silence(&ladder, at: 15)
        let actions = ladder.handle(.replaced, at: .seconds(16))
        #expect(actions.first == .report(.ended(.otherAdapter, .helped, after: .seconds(1))))
        #expect(ladder.isRecovering && ladder.counts[.otherAdapter]?.helped == 1)
        let recovered = ladder.handle(.heard, at: .seconds(17))
        #expect(recovered.contains(.report(.recovered(after: .seconds(16), by: nil))))
    }
}
