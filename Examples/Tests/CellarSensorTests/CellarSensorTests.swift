import BluetoothValues
import Testing

struct CellarSensorTests {
    @Test func `A cellar sensor decodes, encodes and marks absent values`() throws {
        let value = try CellarSensor(.manufacturer(0x1234, [0x01, 0x66, 0x08, 0x51]))
        #expect(value.reading.measurements.map(\.description) == ["temperature 21.5 °C", "moisture 40.5 %"])
        #expect(try value.section() == .manufacturer(0x1234, [0x01, 0x66, 0x08, 0x51]))
        #expect(try CellarSensor(.manufacturer(0x1234, [0x01, 0x00, 0x80, 0xFF])) == CellarSensor())
        #expect(throws: ValueDecodingError.self) { try CellarSensor(.manufacturer(0x1234, [0x01])) }
    }

    @Test func `Each payload of a cellar sensor survives decoding and encoding`() throws {
        for bits in UInt16.min...UInt16.max {
            let high = UInt8(bits >> 8)
            let section = AdvertisedSection.manufacturer(0x1234, [0x01, UInt8(bits & 0xFF), high, high])
            #expect(try CellarSensor(section).section() == section)
        }
    }
}
