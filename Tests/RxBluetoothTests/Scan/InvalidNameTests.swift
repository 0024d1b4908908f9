import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Names that are not UTF-8, which the versions of bluetoothd convert in different ways.
struct InvalidNameTests {
    private static func stage(_ version: SimulatedBlueZ.Version) -> Stage {
        var advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, firstAfter: .zero)
        advertisement.name = [0x41, 0xFF, 0x42]
        var scenario = Scenario(peripherals: [
            SimulatedPeripheral("Other", address: "C0:FF:EE:00:00:01") { advertisement }
        ])
        scenario.bluez = version
        return Stage.withSockets(scenario).0
    }

    @Test(.proves(.Q57), arguments: SimulatedBlueZ.Version.allCases)
    func `Packets have the same name with each version; bluetoothd 5.87 cuts it`(version: SimulatedBlueZ.Version) {
        let cut = version == .v5_87 ? "A" : "A B"
        for (source, name) in [(ScanSource.dbus, cut), (.management, "A B")] {
            let stage = Self.stage(version)
            var options = ScanOptions(allowsDuplicates: true)
            options.source = source
            let scan = stage.record(stage.manager.scanForPeripherals(options: options))
            stage.advance(1_000)
            #expect(scan.elements.last?.advertisementData.localName == name)
        }
    }
}
