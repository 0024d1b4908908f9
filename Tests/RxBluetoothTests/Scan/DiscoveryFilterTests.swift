import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The discovery filter that a scan sets in bluetoothd.
struct DiscoveryFilterTests {
    private static let heartRate = "0000180D-0000-1000-8000-00805F9B34FB"
    private static let battery = "0000180F-0000-1000-8000-00805F9B34FB"

    private static func advertiser(
        _ last: Int, _ services: [String] = [], data: [String: [UInt8]] = [:], rssi: Int = -50
    ) -> SimulatedPeripheral {
        SimulatedPeripheral("D\(last)", address: "C0:FF:EE:00:00:0\(last)") {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: rssi, services: services, serviceData: data, firstAfter: .zero)
        }
    }

    private static func stage() -> Stage {
        var scenario = Scenario(peripherals: [
            advertiser(1, ["180d"]), advertiser(2, ["180f"]), advertiser(3, data: ["180d": [1]]),
            advertiser(4, rssi: -80),
        ])
        // The library sends no services to a version that may crash from them (Q127).
        scenario.bluez = .v5_82
        return Stage(scenario)
    }

    private static func filters(_ stage: Stage) -> [String] {
        stage.simulation.calls.filter { $0.member == "SetDiscoveryFilter" }.map(\.withArguments)
    }

    private static func addresses(_ scan: Recording<ScannedPeripheral>) -> Set<String> {
        Set(scan.elements.map { String($0.peripheral.address.description.suffix(1)) })
    }

    private func scan(_ stage: Stage, _ service: BluetoothUUID, listed: Bool = true) -> Recording<ScannedPeripheral> {
        stage.record(
            stage.manager.scanForPeripherals(
                withServices: [service], options: ScanOptions(listedServicesOnly: listed)))
    }

    @Test(.proves(.S9, .S11, .Q37)) func `The filter of bluetoothd has the listed services of all scans`() {
        let stage = Self.stage()
        let hearts = scan(stage, 0x180D)
        stage.advance(1_000)
        #expect(Self.filters(stage).count == 1)
        #expect(Self.filters(stage)[0].contains(Self.heartRate))
        let batteries = scan(stage, 0x180F)
        stage.advance(1_000)
        #expect(Self.filters(stage).count == 2)
        #expect(Self.filters(stage)[1].contains(Self.heartRate) && Self.filters(stage)[1].contains(Self.battery))
        #expect(Self.addresses(hearts) == ["1"])
        #expect(Self.addresses(batteries) == ["2"])
        batteries.dispose()
        stage.advance(1_000)
        #expect(Self.filters(stage).count == 3)
        #expect(!Self.filters(stage)[2].contains(Self.battery))
        #expect(stage.count("StartDiscovery") == 1)
        #expect(stage.count("StopDiscovery") == 0)
    }

    @Test(.proves(.S9, .Q44)) func `A scan for service data removes the service filter of bluetoothd`() {
        let stage = Self.stage()
        let listed = scan(stage, 0x180D)
        let both = scan(stage, 0x180D, listed: false)
        stage.advance(1_000)
        #expect(Self.filters(stage).last?.contains("UUIDs") == false)
        #expect(Self.addresses(listed) == ["1"])
        #expect(Self.addresses(both) == ["1", "3"])
        both.dispose()
        stage.advance(100)
        #expect(Self.filters(stage).last?.contains(Self.heartRate) == true)
        // When the last scan ends, the library sets no other filter, but clears it (Q125).
        let calls = Self.filters(stage).count
        listed.dispose()
        stage.advance(100)
        #expect(Self.filters(stage).count == calls + 1)
        #expect(stage.simulation.calls.last?.arguments == [.properties([:])])
        stage.expectSettled()
    }

    @Test(.proves(.S9, .Q43), .covers(.rssiFilter)) func `The filter of bluetoothd has the lowest RSSI of all scans`() {
        let stage = Self.stage()
        let near = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(filters: [ScanFilter(minimumRSSI: -60)])))
        stage.advance(1_000)
        #expect(Self.filters(stage).last?.contains("-60") == true)
        #expect(Self.addresses(near) == ["1", "2", "3"])
        let far = stage.record(
            stage.manager.scanForPeripherals(
                options: ScanOptions(filters: [ScanFilter(minimumRSSI: -90), ScanFilter(minimumRSSI: -70)])))
        stage.advance(1_000)
        #expect(Self.filters(stage).last?.contains("-90") == true)
        #expect(Self.addresses(far) == ["1", "2", "3", "4"])
        #expect(Self.addresses(near) == ["1", "2", "3"])
        let all = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(Self.filters(stage).last?.contains("-127") == true)
        #expect(Self.addresses(all) == ["1", "2", "3", "4"])
    }
}
