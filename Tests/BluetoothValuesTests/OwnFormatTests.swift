import BluetoothValues
import Testing

/// Formats of a program, which uses only the public interface.
struct OwnFormatTests {
    private static let cellar = AdvertisedSection.manufacturer(0x1234, [0x01, 0x66, 0x08, 0x51])

    @Test func `A decoder returns the readings of a registered format`() throws {
        var plain = SensorDecoder()
        #expect(plain.decode(Self.cellar) == .unknown && !plain.recognises(Self.cellar))
        var decoder = SensorDecoder(formats: [CellarSensor.self])
        guard case .reading(let reading) = decoder.decode(Self.cellar) else {
            Issue.record("There is no reading.")
            return
        }
        #expect(reading.format == .custom("cellar") && reading.format.rawValue == "cellar")
        #expect(reading.value(of: .temperature) == 21.5 && reading.value(of: .moisture) == 40.5)
        #expect(decoder.recognises(Self.cellar))
        #expect(decoder.decode(.manufacturer(0x0499, [5, 1, 2])) != .unknown)
    }

    @Test func `A format of a program decodes to its type without registration`() throws {
        var decoder = SensorDecoder()
        #expect(try decoder.decode(as: CellarSensor.self, Self.cellar)?.temperature == 21.5)
        #expect(try decoder.decode(as: CellarSensor.self, .manufacturer(0x1235, [0x01, 0, 0, 0])) == nil)
        #expect(throws: ValueDecodingError.self) {
            try decoder.decode(as: CellarSensor.self, .manufacturer(0x1234, [0x01, 0]))
        }
    }

    @Test func `Impossible values and malformed bytes of an own format give no value`() {
        var decoder = SensorDecoder(formats: [CellarSensor.self])
        guard case .reading(let reading) = decoder.decode(.manufacturer(0x1234, [0x01, 0, 0, 0xFE])) else {
            Issue.record("There is no reading.")
            return
        }
        #expect(reading.value(of: .moisture) == nil && reading.impossible.map(\.value) == [127])
        guard case .failure(let error) = decoder.decode(.manufacturer(0x1234, [0x01])) else {
            Issue.record("There is no failure.")
            return
        }
        #expect(error.subject == "cellar")
    }

    @Test func `A format of a program is tried before those of the library`() {
        var decoder = SensorDecoder(formats: [OwnRuuvi.self])
        let section = AdvertisedSection.manufacturer(0x0499, [5, 1, 2])
        #expect(decoder.decode(section) == .reading(SensorReading(format: .custom("own-ruuvi"))))
    }

    @Test func `Names of formats are stable, and belong to one format each`() {
        for format in SensorFormat.allCases { #expect(SensorFormat(rawValue: format.rawValue) == format) }
        #expect(SensorFormat(rawValue: "cellar") == nil)
        #expect(SensorFormat.custom("cellar").isCustom && !SensorFormat.ruuvi.isCustom)
        #expect(SensorFormat.miBeacon.rawValue == "mibeacon" && SensorFormat.locationTracker.rawValue == "dult")
    }
}

/// A format that replaces one of the library.
private struct OwnRuuvi: AdvertisementFormat {
    static let format = SensorFormat.custom("own-ruuvi")
    static func matches(_ section: AdvertisedSection, name: String?) -> Bool { section.identifier == 0x0499 }
    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {}
    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection { .manufacturer(0x0499, []) }
    var reading: SensorReading { SensorReading(format: Self.format) }
}
