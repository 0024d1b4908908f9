import RxBluetoothMocks
import Testing

@testable import Gateway

/// Numbers that a thermometer cannot have measured, from reports of users.
struct ImpossibleValueTests {
    @Test(
        arguments: [
            // −1500 °C and 51 %, and then 24 °C and 200 %.
            (0x68C2, [0xC5, 0x33, 0x02, 0x2C], published: "\"hum\":51", impossible: "tempc"),
            (0xF0C2, [0x00, 0xC8, 0x02, 0x2C], published: "\"tempc\":24,", impossible: "\"hum\""),
        ] as [(UInt16, [UInt8], published: String, impossible: String)])
    func `An impossible number is counted, and the others are published`(
        company: UInt16, data: [UInt8], published: String, impossible: String
    ) {
        let scenario = Scenario(seed: 5) {
            SimulatedPeripheral("TP357 (0A01)", address: "C0:00:00:00:00:01") {
                SimulatedAdvertisement(
                    every: .seconds(1), rssi: -60, name: "TP357 (0A01)", manufacturerData: [company: data])
            }
        }
        let stage = GatewayStage(scenario)
        stage.run(for: .seconds(60))
        let texts = stage.messages("home/attic/BTtoMQTT/").map(\.text)
        #expect(texts.contains { $0.contains("\"format\":\"thermopro\"") && $0.contains(published) }, "\(texts)")
        #expect(!texts.contains { $0.contains(impossible) }, "\(texts)")
        let counter = stage.gateway.metrics().split(separator: "\n").first { $0.contains("values_impossible") }
        #expect(counter?.hasSuffix(" 0") == false)
    }

    @Test func `Possible numbers are not counted`() {
        let stage = GatewayStage(.strap())
        stage.run(for: .seconds(60))
        #expect(!stage.messages("home/attic/BTtoMQTT/").isEmpty)
        let counter = stage.gateway.metrics().split(separator: "\n").first { $0.contains("values_impossible") }
        #expect(counter?.hasSuffix(" 0") == true)
    }
}
