import Foundation
import Testing

/// Every behaviour on every ground: what is seen there is what bluetoothd 5.66 shows, or a difference that is listed.
///
/// The two grounds of the simulation are for `make test`, bluetoothd itself is for `make test-bluez`. While one works on
/// some behaviours, `RXBLUETOOTH_BEHAVIOUR` may name part of their names; no others are tried then.
struct ConformanceTests {
    @Test(.enabled(if: !LabGround.isHere, "The simulation needs no lab."), arguments: Behaviour.wanted)
    func `The simulation in process shows the recorded transcript`(behaviour: Behaviour) async throws {
        try await check(behaviour, .loopback) { LoopbackGround() }
    }

    @Test(.enabled(if: !LabGround.isHere, "The simulation needs no lab."), arguments: Behaviour.wanted)
    func `The simulation on a private bus shows the recorded transcript`(behaviour: Behaviour) async throws {
        try await check(behaviour, .privateBus) { try PrivateBusGround() }
    }

    @Test(.enabled(if: LabGround.isHere, "bluetoothd is in the lab: make test-bluez"), arguments: Behaviour.wanted)
    func `bluetoothd shows the recorded transcript`(behaviour: Behaviour) async throws {
        try await check(behaviour, .bluez) { LabGround(keeping: behaviour.link) }
    }

    @Test func `The conformance table has one row for each behaviour`() throws {
        let rows = try Table().rows.map(\.name)
        #expect(rows == Behaviour.all.map(\.name), "make conformance writes docs/conformance.md anew")
        #expect(Set(rows).count == rows.count)
    }

    private func check(
        _ behaviour: Behaviour, _ name: GroundName, _ ground: @escaping @Sendable () throws -> any Ground
    ) async throws {
        let beginning = ContinuousClock.now
        var seen = try await perform(behaviour, on: name, ground)
        // In a busy virtual machine an answer may overtake the call that was to be beside it. It is tried three times there.
        var tries = 1
        let isRecorded = !behaviour.transcript.isEmpty
        while name == .bluez, isRecorded, seen != behaviour.transcript, behaviour.differences[name] == nil, tries < 3 {
            seen = try await perform(behaviour, on: name, ground)
            tries += 1
        }
        let finding = Finding(of: behaviour, on: name, seen: seen, in: ContinuousClock.now - beginning)
        try finding.write()
        if let difference = behaviour.differences[name] {
            #expect(!finding.isSame, "This difference is gone; take it off the list: \(difference.reason)")
            #expect(
                finding.seen == difference.transcript,
                "The difference is another one now; seen was:\n\(finding.seen.joined(separator: "\n"))")
        } else {
            #expect(finding.isSame, "\(finding.comparison)")
        }
        let cell = try Table().rows.first { $0.name == behaviour.name }?.cells[name]
        #expect(cell == finding.word, "make conformance writes docs/conformance.md anew")
    }

    /// Programs block, so each has a thread of its own.
    private func perform(
        _ behaviour: Behaviour, on name: GroundName, _ ground: @escaping @Sendable () throws -> any Ground
    ) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: .init {
                        let trial = Trial(on: try ground())
                        if let link = behaviour.link { trial.connect(link) }
                        behaviour.program(trial)
                        return trial.end(expecting: name == .bluez ? behaviour.transcript : [])
                    })
            }
        }
    }
}
