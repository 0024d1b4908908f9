import Testing

@testable import BluetoothValues

struct CellarSensorTests {
    @Test func `A cellar sensor decodes, encodes and marks absent values`() throws {
        let value = try CellarSensor(.manufacturer(0x1234, [0x01, 0x66, 0x08, 0x51]))
        #expect(value.reading.measurements.map(\.description) == ["temperature 21.5 °C", "moisture 40.5 %"])
        #expect(try value.section() == .manufacturer(0x1234, [0x01, 0x66, 0x08, 0x51]))
        #expect(try CellarSensor(.manufacturer(0x1234, [0x01, 0x00, 0x80, 0xFF])) == CellarSensor())
        #expect(throws: ValueDecodingError.self) { try CellarSensor(.manufacturer(0x1234, [0x01])) }
    }

    @Test func `A cellar sensor survives encoding and decoding`() {
        let generator = FormatGenerator(CellarSensor.self, "cellar") { random in
            .manufacturer(0x1234, [0x01] + random.bytes(3))
        }
        var random = SplitMix(seed: 1)
        for _ in 0..<rounds { #expect(generator.roundTrip(&random) == "") }
    }
}
