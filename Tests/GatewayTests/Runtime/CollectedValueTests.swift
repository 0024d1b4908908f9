import RxBluetoothMocks
import Testing

@testable import Gateway

/// Thermometers with a value in the company identifier.
struct CollectedValueTests {
    /// Tenths of a degree, whose lower byte is a part of the company identifier.
    private static func thermometer(_ tenths: UInt8) -> SimulatedAdvertisement {
        SimulatedAdvertisement(
            every: .seconds(1), rssi: -60, name: "TP357 (0A01)",
            manufacturerData: [UInt16(tenths) << 8 | 0xC2: [0x00, 0x27, 0x02, 0x2C]], firstAfter: .zero)
    }

    @Test func `The newest value is published, whether it is higher or lower`() {
        let address = "C0:00:00:00:00:01"
        let scenario = Scenario(seed: 5) {
            SimulatedPeripheral("TP357 (0A01)", address: address) { Self.thermometer(0xF1) }
        }
        let stage = GatewayStage(scenario)
        stage.run(for: .seconds(60))
        for tenths in [0xFF, 0xE0, 0xF3] as [UInt8] {
            stage.simulation.bluez.advertise(Self.thermometer(tenths), from: address)
            stage.time.advance(by: .seconds(120))
            let text = stage.messages("home/attic/BTtoMQTT/").last?.text ?? "no message"
            #expect(text.contains("\"tempc\":\(Double(tenths) / 10),"), "\(text)")
        }
    }
}
