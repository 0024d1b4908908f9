import BluetoothValues
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Formats of advertisements that the program around a gateway defines.
struct OwnFormatGatewayTests {
    private static let scenario = Scenario(peripherals: [
        SimulatedPeripheral("Counter", address: "C0:00:00:00:00:01") {
            SimulatedAdvertisement(
                every: .milliseconds(500), rssi: -50, name: "Counter", manufacturerData: [0x1234: [0x01, 0x2A]])
        }
    ])

    private func messages(_ formats: [any AdvertisementFormat.Type]) -> [String] {
        let stage = GatewayStage(Self.scenario, formats: formats)
        stage.run(for: .seconds(30))
        defer { _ = stage.stop() }
        return stage.messages.deliveries.map { String(decoding: $0.payload, as: UTF8.self) }
            .filter { $0.contains("\"format\"") }
    }

    @Test func `A gateway publishes the readings of a format that its program defines`() {
        #expect(messages([]).isEmpty)
        let texts = messages([Thermometer.self])
        #expect(texts.first?.contains("\"format\":\"own-thermometer\"") == true, "\(texts)")
        #expect(texts.first?.contains("\"tempc\":42") == true, "\(texts)")
    }
}

/// A format with a temperature in °C.
private struct Thermometer: AdvertisementFormat {
    static let format = SensorFormat.custom("own-thermometer")
    var temperature: Double

    static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == 0x1234
    }

    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        guard section.bytes.count == 2 else {
            throw ValueDecodingError("thermometer", .tooShort(needed: 2), bytes: section.bytes)
        }
        temperature = Double(section.bytes[1])
    }

    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        .manufacturer(0x1234, [0x01, UInt8(clamping: Int(temperature))])
    }

    var reading: SensorReading {
        var reading = SensorReading(format: Self.format)
        reading.measurements = [SensorMeasurement(.temperature, temperature, .celsius)]
        return reading
    }
}
