import Rx
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Thermometers with a value in the company identifier, of which bluetoothd collects an entry for each value.
struct CollectedValueTests {
    private static let address = "C0:00:00:00:00:01"

    @Test(
        arguments: [
            ("TP357 (0A01)", [0x00, 0x27, 0x02, 0x2C], [0xF1C2, 0xFFC2, 0xE0C2, 0xF3C2], [24.1, 25.5, 22.4, 24.3]),
            (
                "sps", [0xC7, 0x12, 0x00, 0xC8, 0x3D, 0x56, 0x06], [2044, 2101, 1995, 2050],
                [20.44, 21.01, 19.95, 20.5]
            ),
        ] as [(name: String, bytes: [UInt8], companies: [UInt16], temperatures: [Double])])
    func `The newest value is published, whether it is higher or lower`(
        name: String, bytes: [UInt8], companies: [UInt16], temperatures: [Double]
    ) throws {
        func advertisement(_ company: UInt16) -> SimulatedAdvertisement {
            SimulatedAdvertisement(
                every: .seconds(1), rssi: -60, name: name, manufacturerData: [company: bytes], firstAfter: .zero)
        }
        let stage = GatewayStage(
            Scenario(seed: 5) {
                SimulatedPeripheral(name, address: Self.address) { advertisement(companies[0]) }
                // Without the library's filter, bluetoothd keeps the entries of earlier packets.
                Fault("Adapter1.SetDiscoveryFilter", .error("org.bluez.Error.Failed"))
            })
        // Equal packets are then no results, and after 10 s without one the adapter would count as silent.
        stage.run(for: .seconds(5))
        let manager = try #require(stage.gateway.adapters.supervisors.first?.manager)
        let entries = Guarded(0)
        let scan = manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))
            .subscribe(onNext: { found in entries.withLock { $0 = found.advertisementData.manufacturerData.count } })
        defer { scan.dispose() }
        for index in companies.indices.dropFirst() {
            stage.simulation.bluez.advertise(advertisement(companies[index]), from: Self.address)
            stage.time.advance(by: .seconds(5))
            #expect(entries.withLock { $0 } == index + 1)
            let text = stage.messages("home/attic/BTtoMQTT/").last?.text ?? "no message"
            #expect(text.contains("\"tempc\":\(temperatures[index]),"), "\(text)")
        }
    }
}
