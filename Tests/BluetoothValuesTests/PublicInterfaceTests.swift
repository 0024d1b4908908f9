// Without @testable, so that the examples compile for users as well.
import BluetoothValues
import Testing

struct PublicInterfaceTests {
    @Test func `An advertisement of any format becomes a reading`() {
        var decoder = SensorDecoder()
        let section = AdvertisedSection.service(0xFCD2, [0x40, 0x02, 0xCA, 0x09, 0x03, 0xBF, 0x13])
        guard case .reading(let reading) = decoder.decode(section, from: "54:48:E6:8F:80:A5") else {
            Issue.record("no reading")
            return
        }
        #expect(reading.format == .bthome)
        #expect(reading.measurements.map(\.description) == ["temperature 25.06 °C", "humidity 50.55 %"])
    }

    @Test func `A value of one format is made, advertised and decoded`() throws {
        var tag = RuuviTag(temperature: 21.5, humidity: 40)
        tag.sequence = 7
        let section = try tag.section()
        var decoder = SensorDecoder()
        #expect(try decoder.decode(as: RuuviTag.self, section) == tag)
        #expect(try decoder.decode(as: BTHome.self, section) == nil)
        #expect(tag.reading.packetCounter == 7)
    }

    @Test func `An encrypted value needs the key and address of its sender`() throws {
        let key = try #require(DeviceKey("231d39c1d7cc1ab1aee224cd096db932"))
        let sender = Sender(address: "54:48:E6:8F:80:A5", key: key)
        let value = BTHome([try .temperature(21.5), .button(.doublePress)], counter: 1)
        var decoder = SensorDecoder()
        decoder.keys["54:48:E6:8F:80:A5"] = key
        let decoded = try decoder.decode(as: BTHome.self, value.section(from: sender), from: sender.address)
        #expect(decoded == value)
        #expect(decoded?.reading.events == [.button(index: 1, .doublePress)])
    }

    @Test func `A scenario makes a payload from the names of format and quantities`() throws {
        let format = try #require(SensorFormat(rawValue: "ruuvi"))
        let quantity = try #require(Quantity(rawValue: "temperature"))
        let value = try #require(try format.value(measuring: [SensorMeasurement(quantity, 21.5, .none)]))
        #expect(try value.section().identifier == RuuviTag.company)
        #expect(value.reading.value(of: .temperature) == 21.5)
    }

    @Test func `A characteristic is read as a Swift type or as a list of fields`() throws {
        let heart = try HeartRateMeasurement(decoding: [0x10, 0x5A, 0x00, 0x08, 0x00, 0x10])
        #expect(heart.beatsPerMinute == 90)
        #expect(heart.intervals == [2, 4])
        #expect(try heart.encoded() == [0x10, 0x5A, 0x00, 0x08, 0x00, 0x10])
        let structure = try #require(CharacteristicStructure.structure(of: 0x2A37))
        let record = try structure.decode([0x00, 0x5A])
        #expect(record["Heart Rate"]?.number == 90)
        #expect(record.entries.last?.unit.symbol == "bpm")
    }

    @Test func `Every unit and quantity has a stable name of its own`() {
        #expect(MeasurementUnit.allCases.allSatisfy { MeasurementUnit(rawValue: $0.rawValue) == $0 })
        #expect(Set(SensorFormat.allCases.map(\.rawValue)).count == SensorFormat.allCases.count)
        let symbols = MeasurementUnit.allCases.map(\.symbol).filter { !$0.isEmpty }
        #expect(Set(symbols).count == symbols.count)
    }

    @Test func `A time of a device counts seconds since 1970`() {
        #expect(ClockTime(year: 1970, month: 1, day: 1).secondsSince1970 == 0)
        #expect(ClockTime(year: 2000, month: 3, day: 1).secondsSince1970 == 951_868_800)
        #expect(
            ClockTime(year: 2024, month: 2, day: 29, hour: 23, minute: 59, second: 59).secondsSince1970 == 1_709_251_199
        )
        #expect(ClockTime().secondsSince1970 == nil)
        #expect(ClockTime(year: 2023, month: 2, day: 29).secondsSince1970 == nil)
        #expect(ClockTime(year: 2024, month: 4, day: 31).secondsSince1970 == nil)
        for time in [
            ClockTime(year: 2024, month: 2, day: 9, hour: .max), ClockTime(year: 2024, month: 2, day: 9, minute: .max),
            ClockTime(year: 2024, month: 2, day: 9, second: .min), ClockTime(year: .max, month: 2, day: 9),
        ] {
            #expect(time.secondsSince1970 == nil)
        }
        #expect(ClockTime(year: 2024, month: 2, day: 9).description == "2024-02-09T00:00:00")
    }
}
