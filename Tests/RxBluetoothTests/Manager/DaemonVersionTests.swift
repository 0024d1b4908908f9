import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The version of bluetoothd.
struct DaemonVersionTests {
    private static func stage(_ version: SimulatedBlueZ.Version) -> Stage {
        var scenario = Scenario(peripherals: [])
        scenario.bluez = version
        return Stage(scenario)
    }

    @Test(.proves(.S140), arguments: SimulatedBlueZ.Version.allCases)
    func `The manager emits the version of bluetoothd first`(version: SimulatedBlueZ.Version) {
        let stage = Self.stage(version)
        let versions = stage.record(stage.manager.daemonVersion.map { $0?.description })
        stage.advance(10)
        #expect(versions.elements == [version.description])
    }

    @Test(.proves(.S140)) func `The version is nil without bluetoothd, and is read again from the next one`() {
        let stage = Stage(starting: false)
        let versions = stage.record(stage.manager.daemonVersion)
        let events = stage.record(stage.manager.events)
        stage.advance(10)
        #expect(versions.elements == [nil])
        let old = ScriptedDaemon(on: stage, .adapter(modalias: "usb:v1D6Bp0246d0552"))
        stage.advance(10)
        old.crash()
        stage.advance(10)
        let new = ScriptedDaemon(on: stage, .adapter(modalias: "usb:v1D6Bp0246d0557"))
        stage.advance(10)
        withExtendedLifetime(new) {}
        #expect(versions.elements == [nil, BlueZVersion(5, 82), nil, BlueZVersion(5, 87)])
        let known = events.elements.compactMap { event -> BlueZVersion? in
            if case .daemonVersionKnown(let version) = event.kind { version } else { nil }
        }
        #expect(known == [BlueZVersion(5, 82), BlueZVersion(5, 87)])
        #expect(events.elements.contains { $0.description == "bluetoothd has shown its version. version=5.87" })
    }

    @Test func `The version stays known when the last adapter is unplugged`() {
        let stage = Self.stage(.v5_87)
        let versions = stage.record(stage.manager.daemonVersion)
        stage.advance(10)
        stage.simulation.bluez.removeAdapter()
        stage.advance(1_000)
        #expect(versions.elements == [BlueZVersion(5, 87)])
    }

    @Test(arguments: [nil, "", "usb:v05ACp828Dd0101", "bluetooth:v0131p0202d0552"])
    func `An absent or foreign modalias leaves the version unknown`(modalias: String?) {
        let stage = Stage(starting: false)
        _ = ScriptedDaemon(on: stage, .adapter(modalias: modalias))
        let versions = stage.record(stage.manager.daemonVersion)
        stage.advance(10)
        #expect(versions.elements == [nil])
    }

    @Test func `A version that an adapter shows later is emitted`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter(modalias: nil))
        let versions = stage.record(stage.manager.daemonVersion)
        stage.advance(10)
        daemon.adapterChanges(["Modalias": .string("usb:v1D6Bp0246d0549")])
        stage.advance(10)
        #expect(versions.elements == [nil, BlueZVersion(5, 73)])
    }

    // MARK: The diagnosis

    private func diagnose(_ version: SimulatedBlueZ.Version) throws -> Diagnosis {
        let stage = Self.stage(version)
        let asked = stage.record(stage.manager.diagnose())
        stage.advance(100)
        return try #require(asked.elements.first)
    }

    @Test(.proves(.S140), arguments: SimulatedBlueZ.Version.allCases)
    func `A diagnosis names the version`(version: SimulatedBlueZ.Version) throws {
        let diagnosis = try diagnose(version)
        #expect(diagnosis.daemonVersion?.description == version.description)
        #expect(diagnosis.description.contains("\nbluetoothd \(version) runs as "))
    }

    @Test(.proves(.S140, .Q127)) func `A diagnosis lists known problems of the version after other findings`() throws {
        let diagnosis = try diagnose(.v5_87)
        #expect(diagnosis.cause == .idle && diagnosis.findings.dropFirst().allSatisfy { $0.cause == .knownProblem })
        let finding = try #require(diagnosis.findings.first { $0.text.contains("filter for services") })
        #expect(finding.text == "bluetoothd 5.87 may crash when a program scans with a filter for services.")
        #expect(finding.advice != nil && !finding.cause.isObstacle)
        #expect(try !diagnose(.v5_82).findings.contains { $0.text.contains("filter for services") })
    }

    @Test(
        .proves(.Q131, .Q132, .Q133, .Q137),
        arguments: [
            (SimulatedBlueZ.Version.v5_87, "notifications are being turned on"), (.v5_82, "a notification socket"),
            (.v5_82, "a passive scan for manufacturer data"), (.v5_87, "removes a connected device"),
        ])
    func `A diagnosis warns of a crash that the library cannot prevent`(
        version: SimulatedBlueZ.Version, words: String
    ) throws {
        let finding = try #require(try diagnose(version).findings.first { $0.text.contains(words) })
        #expect(finding.cause == .knownProblem && finding.advice != nil)
    }
}

extension ScriptedDaemon.Objects {
    /// An adapter with this device identifier; nil for none.
    fileprivate static func adapter(modalias: String?) -> Self {
        adapter.setting(adapterPath, "org.bluez.Adapter1", modalias.map { ["Modalias": .string($0)] } ?? [:])
    }
}
