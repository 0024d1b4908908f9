import BluetoothValues
import RxBluetoothMocks
import ScenarioFiles
import Testing

/// Tests of sensors in scenario files.
struct SensorFileTests {
    private static let head = """
        peripherals:
          - name: One
            address: C0:00:00:00:00:01
            advertisement:
              interval: 1 s
              rssi: -60

        """

    private func sensor(_ lines: String) throws -> SimulatedSensor? {
        let indented = lines.split(separator: "\n").map { "      " + $0 + "\n" }.joined()
        return try ScenarioFile.read(Self.head + indented, file: "f").peripherals[0].advertisement?.sensor
    }

    /// What the sensor sends first.
    private func first(_ lines: String, key: String? = nil) throws -> SensorReading {
        let sensor = try #require(try sensor(lines))
        let (section, name) = try #require(sensor.firstPayload(from: "C0:00:00:00:00:01"))
        var decoder = SensorDecoder()
        decoder.keys["C0:00:00:00:00:01"] = key.flatMap { DeviceKey($0) }
        guard case .reading(let reading) = decoder.decode(section, from: "C0:00:00:00:00:01", name: name) else {
            throw ValueDecodingError("any format", .reservedIdentifier(0), bytes: section.bytes)
        }
        return reading
    }

    @Test func `A format has the values of its keys`() throws {
        let tag = try first("ruuvi: { temperature: 21.5, humidity: 40 }")
        #expect(tag.format == .ruuvi)
        #expect(tag.measurements.map(\.description).prefix(2) == ["temperature 21.5 °C", "humidity 40 %"])
        let home = try first("bthome: { temperature: 21.5, battery-level: 90, moisture: true, door: off }")
        #expect(home.measurements.map(\.description) == ["batteryLevel 90 %", "temperature 21.5 °C"])
        #expect(home.states == [SensorState(.door, false), SensorState(.moisture, true)])
        #expect(try first("bthome: { moisture: 12.5 }").value(of: .moisture) == 12.5)
        let key = "231d39c1d7cc1ab1aee224cd096db932"
        let closed = try first("bthome: { temperature: 21.5, key: \(key) }", key: key)
        #expect(closed.isEncrypted)
        let air = try first("ruuvi: { particles2-5: 2.1, carbon-dioxide: 500 }")
        #expect(air.value(of: .carbonDioxide) == 500)
    }

    @Test func `A BTHome button is pressed, and a Tilt has a colour`() throws {
        #expect(try first("bthome: { button: double-press }").events == [.button(index: 1, .doublePress)])
        let sensor = try #require(try sensor("bthome: { battery-level: 90, button: [press, none, long-press] }"))
        #expect(sensor.format == .bthome)
        #expect(try first("bthome: { button: [none, press] }").events == [])
        let tilt = try first("tilt: { color: blue, temperature: 68, specific-gravity: 1.05 }")
        #expect(tilt.identifiers.map(\.text) == ["blue"])
        #expect(try first("tilt: { temperature: 68, specific-gravity: 1.05 }").identifiers.map(\.text) == ["red"])
    }

    @Test func `Beacons have their identifiers`() throws {
        let beacon = try first("ibeacon: { uuid: 74278bda-b644-4520-8f0c-720eaf059935, major: 1, minor: 7 }")
        #expect(beacon.identifiers.map(\.text) == ["74278BDA-B644-4520-8F0C-720EAF059935", "1", "7"])
        #expect(beacon.value(of: .calibratedPower) == -59)
        let other = try first("altbeacon: { company: 0x118, identifier: \(String(repeating: "0a", count: 20)) }")
        #expect(other.format == .altBeacon)
        #expect(try first("eddystone: { url: 'https://example.org/', power: -18 }").texts == ["https://example.org/"])
        let uid = try first("eddystone: { namespace: 00112233445566778899, instance: 000000000007 }")
        #expect(uid.identifiers.map(\.text) == ["00112233445566778899", "000000000007"])
        #expect(try first("eddystone: { ephemeral: 0102030405060708 }").identifiers.count == 1)
        #expect(try first("eddystone: { voltage: 3, temperature: 21.5 }").value(of: .temperature) == 21.5)
    }

    @Test(arguments: SensorFormat.allCases.filter { !$0.quantities.isEmpty })
    func `Every format that consists of measurements is known by its name`(format: SensorFormat) throws {
        let error = #expect(throws: ScenarioFileError.self) { try sensor("\(format.rawValue): { nonsense: 1 }") }
        #expect(error?.line == 7)
        #expect(error?.problem == "unknown key “nonsense” of \(format.rawValue)")
    }

    @Test func `A list has at most 10,000 numbers, and the error is at the list`() throws {
        let list = { (count: Int) in "[" + Array(repeating: "20", count: count).joined(separator: ",") + "]" }
        #expect(try sensor("ruuvi:\n  temperature: \(list(10_000))") != nil)
        let error = #expect(throws: ScenarioFileError.self) {
            try sensor("ruuvi:\n  humidity: 40\n  temperature: \(list(10_001))")
        }
        #expect(error?.description == "f:9: temperature has 10001 numbers; expected: at most 10000")
    }

    @Test func `The number out of range is found between lists that fit`() {
        let error = #expect(throws: ScenarioFileError.self) {
            try sensor("ruuvi:\n  humidity: [40, 50]\n  temperature:\n    - 20\n    - 500\n  pressure: [1000, 1001]")
        }
        #expect(error?.line == 11)
        #expect(error?.problem == "invalid value “500” of temperature")
    }

    static let cases: [(text: String, error: String)] = [
        ("ruuvi: { temprature: 21 }", "f:7: unknown key “temprature” of ruuvi; expected: one of acceleration-x,"),
        (
            "bthome: { button: pres }",
            "f:7: invalid value “pres” of button; expected: one of none, press, double-press, triple-press, long-press,"
        ),
        ("tilt: { color: brown }", "f:7: invalid value “brown” of color; expected: one of red, green, black, purple,"),
        ("ruuvi: { color: red }", "f:7: unknown key “color” of ruuvi; expected: one of acceleration-x,"),
        ("ruuvi: {}", "f:7: ruuvi has no values; expected: one of acceleration-x,"),
        ("ruuvi: 21", "f:7: ruuvi has no keys; expected: the keys acceleration-x,"),
        ("ruvi: { temperature: 21 }", "f:7: unknown key “ruvi” of advertisement; expected: one of interval, rssi,"),
        (
            "ruuvi:\n  humidity: 40\n  temperature: 500",
            "f:9: invalid value “500” of temperature; expected: a value in the range of ruuvi"
        ),
        (
            "ruuvi:\n  temperature:\n    - 20\n    - 500",
            "f:10: invalid value “500” of temperature; expected: a value in the range of ruuvi"
        ),
        (
            "ruuvi:\n  temperature:\n    from: 20\n    to: 500\n    period: 1 s",
            "f:10: invalid value “500” of to; expected: a value in the range of ruuvi"
        ),
        ("ruuvi: { temperature: hot }", "f:7: invalid value “hot” of temperature; expected: a number, such as 21.5"),
        ("ruuvi: { temperature: nan }", "f:7: invalid value “nan” of temperature; expected: a number"),
        ("ruuvi: { temperature: [] }", "f:7: temperature has no values; expected: a list of numbers"),
        (
            "ruuvi: { temperature: { from: 1, to: 2 } }",
            "f:7: temperature has no key period; expected: the key period"
        ),
        (
            "ruuvi: { temperature: { from: 1, to: 2, period: 0 s } }",
            "f:7: invalid value “0 s” of period; expected: a time above 0"
        ),
        ("ruuvi: { temperature: 1, every: soon }", "f:7: invalid value “soon” of every; expected: a time above 0"),
        (
            "ruuvi:\n  temperature: 1\n  voltage: 3\n  carbon-dioxide: 500",
            "f:10: carbon-dioxide cannot be combined with the other keys of ruuvi; expected: values of one packet"
        ),
        ("ruuvi: { temperature: 1 }\ngovee: { temperature: 1 }", "f:8: advertisement has several formats;"),
        ("govee: { temperature: 1 }", "f:7: govee has no key humidity; expected: the key humidity"),
        (
            "bthome: { temperature: 1, key: 231d39c1d7cc1ab1aee224cd096db9 }",
            "f:7: key is not a key; expected: 32 hexadecimal digits"
        ),
        (
            "bthome: { temperature: 1, key: 231d39c1d7cc1ab1aee224cd }",
            "f:7: key has the wrong length; expected: a key of another length"
        ),
        (
            "ruuvi: { temperature: 1, key: 231d39c1d7cc1ab1aee224cd096db932 }",
            "f:7: key cannot be combined with the other keys of ruuvi"
        ),
        ("victron: { voltage: 12 }", "f:7: victron has no key key; expected: the key key"),
        ("bthome: { door: 5 }", "f:7: invalid value “5” of door; expected: true or false"),
        ("ibeacon: { major: 1 }", "f:7: ibeacon has no key uuid; expected: the key uuid"),
        ("ibeacon: { uuid: 180d }", "f:7: invalid value “180d” of uuid; expected: a UUID of 128 bits"),
        (
            "ibeacon: { uuid: 74278bda-b644-4520-8f0c-720eaf059935, minor: 65536 }",
            "f:7: invalid value “65536” of minor; expected: a whole number from 0 to 65535"
        ),
        ("altbeacon: { company: 1, identifier: 01 }", "f:7: identifier has 1 bytes; expected: 20 bytes"),
        ("eddystone: { url: 'ftp://x' }", "f:7: invalid value “ftp://x” of url; expected: a URL that begins with"),
        ("eddystone: { namespace: 00 }", "f:7: namespace has 1 bytes; expected: 10 bytes"),
        ("find-my: {}", "f:7: unknown key “find-my” of advertisement; expected: one of interval,"),
    ]

    @Test(arguments: cases)
    func `An error names the line of the value, and never a key`(_ one: (text: String, error: String)) throws {
        let error = #expect(throws: ScenarioFileError.self) { try sensor(one.text) }
        let text = try #require(error).description
        #expect(text.hasPrefix(one.error), "\(text)")
        #expect(!text.contains("231d39"))
    }

    @Test func `A sensor is not connectable unless the file says so`() throws {
        func advertisement(_ lines: String) throws -> SimulatedAdvertisement? {
            try ScenarioFile.read(Self.head + lines, file: "f").peripherals[0].advertisement
        }
        #expect(try advertisement("      ruuvi: { temperature: 1 }\n")?.isConnectable == false)
        #expect(try advertisement("      ruuvi: { temperature: 1 }\n      connectable: true\n")?.isConnectable == true)
        #expect(try advertisement("")?.isConnectable == true)
    }
}
