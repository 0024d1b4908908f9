import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Scans with a bluetoothd that crashes from a discovery filter with services.
struct ServiceFilterCrashTests {
    private static func stage(_ version: SimulatedBlueZ.Version, _ quirks: Set<Quirk> = []) -> Stage {
        var scenario = Scenario(peripherals: [
            SimulatedPeripheral("Strap", address: "C0:FF:EE:00:00:01") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, services: ["180d"], firstAfter: .zero)
            },
            SimulatedPeripheral("Other", address: "C0:FF:EE:00:00:02") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, services: ["180f"], firstAfter: .zero)
            },
        ])
        scenario.bluez = version
        scenario.quirks.formUnion(quirks)
        return Stage(scenario)
    }

    private func scan(_ stage: Stage, resumes: Bool = false) -> Recording<ScannedPeripheral> {
        stage.record(
            stage.manager.scanForPeripherals(
                withServices: [0x180D],
                options: ScanOptions(allowsDuplicates: true, resumes: resumes, listedServicesOnly: true)))
    }

    private static func filters(_ stage: Stage) -> [String] {
        stage.simulation.calls.filter { $0.member == "SetDiscoveryFilter" }.map(\.withArguments)
    }

    @Test(.proves(.S141, .Q127), arguments: SimulatedBlueZ.Version.allCases)
    func `A scan for listed services runs for a minute on each version`(version: SimulatedBlueZ.Version) {
        let stage = Self.stage(version)
        let states = stage.record(stage.manager.state)
        let scan = scan(stage)
        stage.advance(60_000)
        #expect(scan.isLive && scan.elements.count > 500)
        #expect(Set(scan.elements.map(\.peripheral.address)) == ["C0:FF:EE:00:00:01"])
        #expect(states.elements == [.poweredOn])
        let sendsServices = Self.filters(stage).contains { $0.contains("UUIDs") }
        #expect(sendsServices == (version != .v5_87))
    }

    @Test(.proves(.S141, .Q127)) func `After two crashes from one filter, the scan goes on without it and says so`() {
        // A version that is not known to crash, but does.
        let stage = Self.stage(.v5_82, [.Q127])
        let events = stage.record(stage.manager.events)
        let states = stage.record(stage.manager.state)
        let scan = scan(stage, resumes: true)
        stage.advance(60_000)
        #expect(states.elements.count { $0 == .daemonUnavailable } == 2)
        #expect(events.elements.count { $0.kind == .serviceFilterAvoided } == 1)
        #expect(Self.filters(stage).map { $0.contains("UUIDs") } == [true, true, false])
        #expect(scan.isLive && scan.elements.count > 300)
        #expect(Set(scan.elements.map(\.peripheral.address)) == ["C0:FF:EE:00:00:01"])
    }

    @Test(.proves(.S141)) func `A bluetoothd of unknown version gets no filter for services`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(
            on: stage,
            .adapter.setting(
                ScriptedDaemon.Objects.adapterPath, "org.bluez.Adapter1", ["Modalias": .string("usb:v05ACp828Dd0101")]))
        daemon.always("SetDiscoveryFilter") { call in
            let text = (try? call.message.read { (body) throws(DBusError) in try body.values() }).map { "\($0)" }
            #expect(text?.contains("UUIDs") == false)
            call.reply()
        }
        daemon.always("StartDiscovery")
        let scan = scan(stage)
        stage.advance(100)
        #expect(daemon.count("SetDiscoveryFilter") == 1 && daemon.count("StartDiscovery") == 1)
        #expect(scan.isLive)
    }
}
