import BluetoothValues
import TestTraits
import Testing

/// Formats of a program, which uses only the public interface.
struct OwnFormatTests {
    private static let address: SenderAddress = "54:48:E6:8F:80:A5"
    private static let key = DeviceKey([UInt8](repeating: 7, count: 16))
    private static let wall = AdvertisedSection.manufacturer(0x1234, [0x01, 0x66, 0x08, 0x51])

    @Test func `A decoder returns the readings of a registered format`() throws {
        var plain = SensorDecoder()
        #expect(plain.decode(Self.wall) == .unknown && !plain.recognises(Self.wall))
        var decoder = SensorDecoder(formats: [WallSensor.self])
        guard case .reading(let reading) = decoder.decode(Self.wall) else {
            Issue.record("There is no reading.")
            return
        }
        #expect(reading.format == .custom("wall") && reading.format.rawValue == "wall")
        #expect(reading.value(of: .temperature) == 21.5 && reading.value(of: .moisture) == 40.5)
        #expect(decoder.recognises(Self.wall))
        #expect(decoder.decode(.manufacturer(0x0499, [5, 1, 2])) != .unknown)
    }

    @Test func `A format of a program decodes to its type without registration`() throws {
        var decoder = SensorDecoder()
        #expect(try decoder.decode(as: WallSensor.self, Self.wall)?.temperature == 21.5)
        #expect(try decoder.decode(as: WallSensor.self, .manufacturer(0x1235, [0x01, 0, 0, 0])) == nil)
        #expect(throws: ValueDecodingError.self) {
            try decoder.decode(as: WallSensor.self, .manufacturer(0x1234, [0x01, 0]))
        }
    }

    @Test func `Impossible values and malformed bytes of an own format give no value`() {
        var decoder = SensorDecoder(formats: [WallSensor.self])
        guard case .reading(let reading) = decoder.decode(.manufacturer(0x1234, [0x01, 0, 0, 0xFE])) else {
            Issue.record("There is no reading.")
            return
        }
        #expect(reading.value(of: .moisture) == nil && reading.impossible.map(\.value) == [127])
        guard case .failure(let error) = decoder.decode(.manufacturer(0x1234, [0x01])) else {
            Issue.record("There is no failure.")
            return
        }
        #expect(error.subject == "wall")
    }

    @Test func `A format of a program is tried before those of the library`() {
        var decoder = SensorDecoder(formats: [OwnRuuvi.self])
        let section = AdvertisedSection.manufacturer(0x0499, [5, 1, 2])
        #expect(decoder.decode(section) == .reading(SensorReading(format: .custom("own-ruuvi"))))
    }

    @Test func `An own format keeps or refuses surplus bytes, as its type says`() {
        var decoder = SensorDecoder(formats: [SealedSensor.self, WallSensor.self])
        guard case .reading(let reading) = decoder.decode(SealedSensor.packet(7, isSealed: false, surplus: [0xAA])),
            case .failure(let error) = decoder.decode(.manufacturer(0x1234, [0x01, 0x66, 0x08, 0x51, 0xAA]))
        else {
            Issue.record("There is no reading, or no failure.")
            return
        }
        #expect(reading.packetCounter == 7 && reading.surplus == [0xAA])
        #expect(error.reason == .tooLong(allowed: 4))
    }

    @Test func `A secure counter of an own format is protected, also after a restart`() {
        func decoder() -> SensorDecoder {
            var keys = KeyStore()
            keys[Self.address] = Self.key
            var decoder = SensorDecoder(keys: keys, formats: [SealedSensor.self])
            decoder.restartProof = nil
            return decoder
        }
        var first = decoder()
        #expect(reason(first.decode(SealedSensor.packet(9), from: Self.address)) == nil)
        let replayed = ValueDecodingError.Reason.replayed(counter: 3, last: 9)
        #expect(reason(first.decode(SealedSensor.packet(3), from: Self.address)) == replayed)
        let counters = first.encryptedCounters
        #expect(counters.map(\.address) == [Self.address] && counters.map(\.format) == [.custom("sealed")])
        #expect(counters.map(\.value) == [9] && counters.first?.keyCheck != nil)
        var second = decoder()
        second.restore(counters)
        #expect(reason(second.decode(SealedSensor.packet(3), from: Self.address)) == replayed)
        #expect(reason(second.decode(SealedSensor.packet(10), from: Self.address)) == nil)
    }

    @Test func `After an own format with authentication, weaker formats are refused`() {
        var decoder = SensorDecoder(formats: [SealedSensor.self, WeakSensor.self])
        decoder.keys[Self.address] = Self.key
        let weak = AdvertisedSection.manufacturer(0x4322, [])
        #expect(reason(decoder.decode(weak, from: Self.address)) == nil)
        #expect(reason(decoder.decode(SealedSensor.packet(1), from: Self.address)) == nil)
        #expect(reason(decoder.decode(weak, from: Self.address)) == .downgraded)
        #expect(reason(decoder.decode(SealedSensor.packet(2, isSealed: false), from: Self.address)) == .downgraded)
    }

    @Test(.proves(.S128)) func `Plain values of an own format are refused from a device with a key`() {
        var decoder = SensorDecoder(formats: [WallSensor.self])
        #expect(reason(decoder.decode(Self.wall, from: Self.address)) == nil)
        decoder.keys[Self.address] = Self.key
        #expect(reason(decoder.decode(Self.wall, from: Self.address)) == .downgraded)
    }

    private func reason(_ result: SensorResult) -> ValueDecodingError.Reason? {
        guard case .failure(let error) = result else { return nil }
        return error.reason
    }

    @Test func `Names of formats are stable, and belong to one format each`() {
        for format in SensorFormat.allCases { #expect(SensorFormat(rawValue: format.rawValue) == format) }
        #expect(SensorFormat(rawValue: "wall") == nil)
        #expect(SensorFormat.custom("wall").isCustom && !SensorFormat.ruuvi.isCustom)
        #expect(SensorFormat.miBeacon.rawValue == "mibeacon" && SensorFormat.locationTracker.rawValue == "dult")
    }
}

/// A format with two values, one of which can be impossible.
private struct WallSensor: AdvertisementFormat {
    static let format = SensorFormat.custom("wall")
    var temperature: Double
    var moisture: Double

    static func matches(_ section: AdvertisedSection, name: String?) -> Bool { section.identifier == 0x1234 }

    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard bytes.count >= 4 else { throw ValueDecodingError("wall", .tooShort(needed: 4), bytes: bytes) }
        guard bytes.count == 4 else { throw ValueDecodingError("wall", .tooLong(allowed: 4), bytes: bytes) }
        temperature = Double(Int(bytes[1]) | Int(bytes[2]) << 8) / 100
        moisture = Double(bytes[3]) / 2
    }

    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection { .manufacturer(0x1234, []) }

    var reading: SensorReading {
        var reading = SensorReading(format: Self.format)
        reading.measurements = [
            SensorMeasurement(.temperature, temperature, .celsius), SensorMeasurement(.moisture, moisture, .percent),
        ]
        return reading
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

/// A format that says whether it is encrypted, and has a counter.
private struct SealedSensor: AdvertisementFormat {
    static let format = SensorFormat.custom("sealed")
    static let isAuthenticated = true
    static let hasSecureCounter = true
    var counter: UInt8
    var isSealed: Bool

    static func packet(_ counter: UInt8, isSealed: Bool = true, surplus: [UInt8] = []) -> AdvertisedSection {
        .manufacturer(0x4321, [counter, isSealed ? 1 : 0] + surplus)
    }

    static func matches(_ section: AdvertisedSection, name: String?) -> Bool { section.identifier == 0x4321 }
    static func allowsSurplus(_ section: AdvertisedSection) -> Bool { true }

    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard bytes.count >= 2 else { throw ValueDecodingError("sealed", .tooShort(needed: 2), bytes: bytes) }
        guard bytes.count == 2 else { throw ValueDecodingError("sealed", .tooLong(allowed: 2), bytes: bytes) }
        counter = bytes[0]
        isSealed = bytes[1] == 1
    }

    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        Self.packet(counter, isSealed: isSealed)
    }

    var reading: SensorReading {
        var reading = SensorReading(format: Self.format)
        reading.measurements = [SensorMeasurement(.count, Double(counter), .none)]
        reading.packetCounter = UInt32(counter)
        reading.isEncrypted = isSealed
        return reading
    }
}

/// A format whose encryption proves nothing.
private struct WeakSensor: AdvertisementFormat {
    static let format = SensorFormat.custom("weak")
    static func matches(_ section: AdvertisedSection, name: String?) -> Bool { section.identifier == 0x4322 }
    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {}
    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection { .manufacturer(0x4322, []) }

    var reading: SensorReading {
        var reading = SensorReading(format: Self.format)
        reading.measurements = [SensorMeasurement(.count, 1, .none)]
        reading.isEncrypted = true
        return reading
    }
}
