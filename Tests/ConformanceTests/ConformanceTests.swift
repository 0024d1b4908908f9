import Foundation
import Testing

/// Compares each behaviour with the transcript of bluetoothd 5.66, or with a listed difference.
///
/// Each behaviour runs on three grounds: a ground is a bus with the simulation or with bluetoothd. `make test` uses the
/// two grounds of the simulation, and `make test-bluez` uses bluetoothd. The variable `RXBLUETOOTH_BEHAVIOUR` selects
/// behaviours by parts of their names, separated by `|`.
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
        let rows = try ConformanceTable().rows.map(\.name)
        #expect(rows == Behaviour.all.map(\.name), "The table is out of date: make conformance writes it.")
        #expect(Set(rows).count == rows.count)
    }

    private func check(
        _ behaviour: Behaviour, _ name: GroundName, _ ground: @escaping @Sendable () throws -> any Ground
    ) async throws {
        let beginning = ContinuousClock.now
        var seen = try await perform(behaviour, on: name, ground)
        // On bluetoothd there are three attempts: in a busy virtual machine, a reply can arrive before a concurrent
        // call is sent.
        var tries = 1
        let isRecorded = !behaviour.transcript.isEmpty
        while name == .bluez, isRecorded, seen != behaviour.transcript, behaviour.differences[name] == nil, tries < 3 {
            seen = try await perform(behaviour, on: name, ground)
            tries += 1
        }
        let result = ConformanceResult(of: behaviour, on: name, seen: seen, in: ContinuousClock.now - beginning)
        try result.write()
        if let difference = behaviour.differences[name] {
            #expect(!result.isSame, "The ground no longer differs; remove the listed difference: \(difference.reason)")
            #expect(
                result.seen == difference.transcript,
                "The listed difference has changed. The new transcript:\n\(result.seen.joined(separator: "\n"))")
        } else {
            #expect(result.isSame, "\(result.comparison)")
        }
        let cell = try ConformanceTable().rows.first { $0.name == behaviour.name }?.cells[name]
        #expect(cell == result.word, "The table is out of date: make conformance writes it.")
    }

    /// Runs a behaviour's program on a new thread, because the program blocks. Returns the transcript.
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
