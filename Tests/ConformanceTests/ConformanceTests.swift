import Foundation
import RxBluetoothMocks
import TestTraits
import Testing

/// Compares each behaviour with the transcript of bluetoothd, or with a listed difference.
///
/// Each behaviour runs on three grounds: a ground is a bus with the simulation or with bluetoothd. `make test` uses the
/// two grounds of the simulation, with each version of BlueZ, and `make test-bluez` uses bluetoothd. The variable
/// `RXBLUETOOTH_BEHAVIOUR` selects behaviours by parts of their names, separated by `|`.
struct ConformanceTests {
    @Test(
        .enabled(if: !LabGround.isHere, "The simulation needs no lab."), arguments: Behaviour.wanted, Version.allCases)
    func `The simulation in process shows the recorded transcript`(
        behaviour: Behaviour, version: Version
    ) async throws {
        try await check(behaviour, version, .loopback) { LoopbackGround(version) }
    }

    @Test(
        .enabled(if: !LabGround.isHere, "The simulation needs no lab."), arguments: Behaviour.wanted, Version.allCases)
    func `The simulation on a private bus shows the recorded transcript`(
        behaviour: Behaviour, version: Version
    ) async throws {
        try await check(behaviour, version, .privateBus) { try PrivateBusGround(version) }
    }

    @Test(
        .enabled(if: LabGround.isHere, "bluetoothd is in the lab: make test-bluez"), .failsOnDaemonCrash,
        arguments: Behaviour.wanted)
    func `bluetoothd shows the recorded transcript`(behaviour: Behaviour) async throws {
        try await check(behaviour, LabGround.version, .bluez) { LabGround(keeping: behaviour.link) }
    }

    @Test func `The conformance table has one row for each behaviour`() throws {
        let rows = try ConformanceTable().rows
        #expect(rows.map(\.name) == Behaviour.all.map(\.name), "The table is out of date: make conformance writes it.")
        #expect(Set(rows.map(\.name)).count == rows.count)
        for (row, behaviour) in zip(rows, Behaviour.all) {
            let missing = row.cells.filter { $0.value == "not run" }.keys
            #expect(Set(missing) == Set(behaviour.exclusions.keys), "\(row.name)")
        }
    }

    private func check(
        _ behaviour: Behaviour, _ version: Version, _ name: GroundName,
        _ ground: @escaping @Sendable () throws -> any Ground
    ) async throws {
        guard behaviour.exclusions[version] == nil else { return }
        let transcript = behaviour.transcript(on: version)
        let expected = behaviour.differences[name]?.transcript(on: version) ?? transcript
        var seen = try await perform(behaviour, on: name, expecting: expected, ground)
        // On bluetoothd there are three attempts: in a busy virtual machine, a reply can arrive before a concurrent
        // call is sent.
        var tries = 1
        while name == .bluez, !expected.isEmpty, seen != expected, tries < 3 {
            seen = try await perform(behaviour, on: name, expecting: expected, ground)
            tries += 1
        }
        let result = ConformanceResult(of: behaviour, version, on: name, seen: seen)
        try result.write()
        if let difference = behaviour.differences[name], expected != transcript {
            #expect(!result.isSame, "The ground no longer differs; remove the listed difference: \(difference.reason)")
            #expect(
                result.seen == expected,
                "The listed difference has changed. The new transcript:\n\(result.seen.joined(separator: "\n"))")
        } else {
            #expect(result.isSame, "\(result.comparison)")
        }
        let differs = try ConformanceTable().differs(behaviour, version, on: name)
        #expect(differs == !result.isSame, "The table is out of date: make conformance writes it.")
    }

    /// Runs a behaviour's program on a new thread, because the program blocks. Returns the transcript.
    private func perform(
        _ behaviour: Behaviour, on name: GroundName, expecting expected: [String],
        _ ground: @escaping @Sendable () throws -> any Ground
    ) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: .init {
                        let trial = Trial(on: try ground())
                        if let link = behaviour.link { trial.connect(link) }
                        behaviour.program(trial)
                        return trial.end(expecting: name == .bluez ? expected : [])
                    })
            }
        }
    }
}
