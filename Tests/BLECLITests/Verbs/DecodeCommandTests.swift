import Glibc
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The verb `decode`, and the readings and keys of `scan`.
struct DecodeCommandTests {
    private static let ruuvi = "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F"
    private static let encrypted = "41A47266C95F730011223378237214"
    private static let key = "231d39c1d7cc1ab1aee224cd096db932"

    private func decode(_ arguments: String...) throws -> String {
        try #require(try BLECLI.parseVerb(["decode"] + arguments) as? DecodeCommand).text()
    }

    @Test func `Decodes the value of a characteristic`() throws {
        #expect(try decode("2A37", "105A00080010") == "Heart Rate 90 bpm, RR-interval 2, 4 s")
        #expect(try decode("Battery Level", "0x55") == "85 %")
        #expect(try decode("2A6E", "64:09") == "24.04 °C")
        #expect(try decode("2A00", "1B5B324A") == "\"\\u{1B}[2J\"")
    }

    @Test func `Decodes advertisements of manufacturers and services`() throws {
        #expect(
            try decode("--manufacturer", "0499", Self.ruuvi).hasPrefix(
                "ruuvi (RuuviTag): temperature 24.3 °C, humidity 53.49 %"))
        #expect(
            try decode("--service-data", "FCD2", "4002ca0903bf13")
                == "bthome: temperature 25.06 °C, humidity 50.55 %")
        #expect(try decode("--manufacturer", "0x004C", "1001").hasPrefix("apple-continuity"))
        let secret = try decode(
            "--service-data", "FCD2", Self.encrypted, "--address", "54:48:E6:8F:80:A5", "--key",
            "54:48:E6:8F:80:A5=" + Self.key)
        #expect(secret.contains("temperature 25.06 °C"))
    }

    @Test(arguments: [
        ("2900", "0300", "reliable writes, writable description"), ("2902", "0100", "notifications on"),
        ("2903", "0100", "broadcasts on"),
        (
            "2904", "0400AD27010601",
            "format uint8, exponent 0, unit percent, name space 1 (Bluetooth SIG), description 0x0106"
        ),
        (
            "2904", "0EFE2F27010000",
            "format sint16, exponent -2, unit degree Celsius, name space 1 (Bluetooth SIG), description 0x0000"
        ),
        // The list of values in the findings of a user expects the degree Celsius here. In the assigned numbers, 0x2727
        // is the coulomb, and the degree Celsius is 0x272F. The bytes are equal in both orders.
        (
            "2904", "04002727010601",
            "format uint8, exponent 0, unit coulomb, name space 1 (Bluetooth SIG), description 0x0106"
        ),
        ("2905", "13001600", "handles @0013, @0016"), ("2906", "00006400", "from 0000 to 6400"),
        ("2907", "192A", "characteristic 2a19"), ("2908", "0102", "report 1, output"), ("2909", "08", "8"),
        ("2A05", "0100FFFF", "services between the handles @0001 and @ffff have changed"),
        ("2A4A", "11010003", "Version Sub-minor 1, Version Minor 1, Version Major 1, Country Code 0, Features 3"),
        ("2A08", "EA070B1B0C1E00", "2026-11-27 12:30:00"),
        ("2A2B", "ea070b1b0c1e00058000", "2026-11-27 12:30:00.5, Friday"),
        ("2A85", "c2070c1f", "1986-12-31"), ("2A85", "c2070000", "1986"), ("2A85", "00000c1f", "--12-31"),
        ("2A0F", "0804", "UTC+2:00, daylight saving time +1 h"), ("2A0E", "EA", "UTC-5:30"),
        ("2A0D", "FF", "daylight saving time not known"),
        ("2A38", "01", "chest"), ("2A38", "09", "9"),
        ("2A37", "103eb103de", "Heart Rate 62 bpm, RR-interval 0.9228515625 s; surplus bytes de"),
        ("2A37", "08486400", "Heart Rate 72 bpm, Energy Expended 100 kJ"),
        ("2A9C", "0002d200a00f", "Body Fat Percentage 21 %, Impedance 400 Ω"),
        ("2AD6", "000064000100", "Minimum Resistance Level 0, Maximum Resistance Level 10, Minimum Increment 0.1"),
        ("2ACC", "0300000004000000", "Fitness Machine Features 3, Target Setting Features 4"),
        ("2ADA", "08C800", "Op Code 8, Target Power 200 W"), ("2AC9", "01", "1"),
        ("2B2A", "00112233445566778899aabbccddeeff", "00112233445566778899aabbccddeeff"),
    ]) func `Decodes descriptors and values with words`(uuid: String, bytes: String, text: String) throws {
        #expect(try decode(uuid, bytes) == text)
        #expect(try JSONSchema().violations(of: decode(uuid, bytes, "--json"), as: "decoding") == [])
    }

    @Test func `A trainer with two bytes for its resistance is decoded, and says what was chosen`() throws {
        let bike = """
            Instantaneous Speed 25.58 km/h, Average Speed 21 km/h, Instantaneous Cadence 71 /min, \
            Average Cadence 62 /min, Total Distance 330 m, Resistance Level 20, Instantaneous Power 199 W, \
            Average Power 104 W, Heart Rate 0 bpm
            """
        #expect(try decode("2AD2", "FE02FE0934088E007C004A01001400C700680000") == bike)
        let standing = """
            Instantaneous Speed 0 km/h, Instantaneous Cadence 0 /min, Resistance Level 20, Instantaneous Power 0 W, \
            Heart Rate 0 bpm
            """
        #expect(try decode("2AD2", "6402000000001400000000") == standing)
        let chosen = "20; Resistance Level was taken as 2 bytes; 1 byte fits as well; surplus bytes 00"
        #expect(try decode("2AD2", "2100140000") == chosen)
        let narrow = "Resistance Level 20, Heart Rate 60 bpm; Resistance Level was taken as 1 byte; 2 bytes fit as well"
        #expect(try decode("2AD2", "2102143C00") == narrow + "; surplus bytes 00")
        let json = try decode("2AD2", "2100140000", "--json")
        #expect(json.contains(#""remarks":["Resistance Level was taken as 2 bytes; 1 byte fits as well"]"#))
    }

    @Test func `A PnP ID has its vendor, product and version`() throws {
        let text = try decode("2A50", "01d1000100000b")
        #expect(text.hasPrefix("vendor 0x00d1 from the company list"))
        #expect(text.hasSuffix(", product 1, version 11.0.0"))
        #expect(try decode("2A50", "026D0426B21001").hasPrefix("vendor 0x046d from the list of USB, product 45606, "))
    }

    @Test(arguments: [
        ("2B1D", "ble-cli does not know how "), ("FFD1", "ble-cli does not know how FFD1 stores its values. "),
        ("6E400003-B5A3-F393-E0A9-E50E24DCCA9E", " is not a UUID of the Bluetooth SIG. "),
        ("2A29", "The bytes are no text in UTF-8."),
    ]) func `Bytes without a meaning have the true reason`(uuid: String, text: String) {
        let error = #expect(throws: CLIError.self) { try decode(uuid, "FFFE") }
        #expect(error?.text.contains(text) == true, "\(String(describing: error?.text))")
    }

    @Test func `Numbers that a sensor cannot have measured are details and no values`() throws {
        let bytes = ["--manufacturer", "68c2", "c533022c", "--name", "TP357 (0A01)"]
        let text = try #require(try BLECLI.parseVerb(["decode"] + bytes) as? DecodeCommand).text()
        #expect(text.contains("impossible temperature (-1500 °C)"))
        #expect(!text.contains("temperature -1500"))
        let json = try #require(try BLECLI.parseVerb(["decode"] + bytes + ["--json"]) as? DecodeCommand).text()
        #expect(try JSONSchema().violations(of: json, as: "decoding") == [])
        #expect(json.contains("\"impossible\":[{\"quantity\":\"temperature\",\"value\":-1500,"))
    }

    @Test func `Buttons and dimmers are counted from 1`() throws {
        #expect(try decode("--service-data", "FCD2", "403a003a01") == "bthome: button 2 press")
        #expect(try decode("--service-data", "FCD2", "403afe") == "bthome: button 1 hold")
        #expect(try decode("--service-data", "FCD2", "403c0103") == "bthome: dimmer 1 -3 steps")
        let json = try decode("--service-data", "FCD2", "403a003a01", "--json")
        #expect(json.contains("\"index\":2"))
    }

    @Test func `Plain values of any format are refused for a device with a key`() {
        for arguments in [["--manufacturer", "EC88", "00030d1e6400"], ["--manufacturer", "0499", Self.ruuvi]] {
            let error = #expect(throws: CLIError.self) {
                let key = ["--address", "54:48:E6:8F:80:A5", "--key", "54:48:E6:8F:80:A5=" + Self.key]
                return try #require(try BLECLI.parseVerb(["decode"] + arguments + key) as? DecodeCommand).text()
            }
            #expect(error?.text.contains("it is not encrypted, although the device has a key") == true)
        }
    }

    @Test func `Measurements have at most five decimals, and all of them in JSON`() throws {
        let bytes = "000800004e67915c0b04"
        let text = try decode("--manufacturer", "06D5", bytes)
        #expect(text.hasPrefix("sensirion (Sensirion): temperature 25.61952 °C, humidity 36.1593 %, "))
        #expect(try decode("--manufacturer", "06D5", bytes, "--json").contains("25.6195162890058"))
    }

    @Test(
        arguments: [
            ([], "is encrypted: give --address, and --key or --keys."),
            (["--address", "54:48:E6:8F:80:A5"], "is encrypted: give --key or --keys."),
            (
                ["--address", "54:48:E6:8F:80:A5", "--key", "54:48:E6:8F:80:A6=" + key],
                "have no key of 54:48:E6:8F:80:A5. Add it."
            ),
        ])
    func `The error of an encrypted advertisement names the missing option`(options: [String], text: String) {
        let error = #expect(throws: CLIError.self) {
            try #require(
                try BLECLI.parseVerb(["decode", "--service-data", "FCD2", Self.encrypted] + options) as? DecodeCommand
            ).text()
        }
        #expect(error?.text.hasSuffix(text) == true)
    }

    @Test func `The schema describes the output of decode`() throws {
        let schema = try JSONSchema()
        let value = try decode("2A37", "105A00080010", "--json")
        #expect(schema.violations(of: value, as: "decoding") == [])
        #expect(ParsedJSON(value)?["decoded"]?["number"]?.number == 90)
        let reading = try decode("--manufacturer", "0499", Self.ruuvi, "--json")
        #expect(schema.violations(of: reading, as: "decoding") == [])
        #expect(ParsedJSON(reading)?["reading"]?["format"]?.string == "ruuvi")
        for bytes in ["4000053a01", "4000053c0102", "4000052101", "44000701643a01", "40f001020304"] {
            let line = try decode("--service-data", "FCD2", bytes, "--json")
            #expect(schema.violations(of: line, as: "decoding") == [], "\(line)")
        }
    }

    @Test(arguments: ["", "4", "40ff", "41", "gg", "4002ca0903bf1", String(repeating: "40", count: 600)])
    func `Malformed bytes end with a reading or one line of error`(digits: String) {
        do {
            #expect(!(try decode("--service-data", "FCD2", digits)).contains("\n"))
        } catch let error as CLIError {
            #expect(error.code == .usage)
            #expect(!error.text.contains("\n"))
        } catch {
            Issue.record(error)
        }
    }

    @Test func `A file of keys must belong to its owner alone, and errors contain no key`() throws {
        let path = "/tmp/ble-cli-keys-\(getpid())"
        let file = unsafe open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
        defer { unsafe unlink(path) }
        let text = "# sensors\n54:48:E6:8F:80:A5=\(Self.key)\n"
        #expect(unsafe write(file, text, text.utf8.count) == text.utf8.count)
        let arguments = [
            "decode", "--service-data", "FCD2", Self.encrypted, "--address", "54:48:E6:8F:80:A5", "--keys", path,
        ]
        let command = try #require(try BLECLI.parseVerb(arguments) as? DecodeCommand)
        #expect(try command.text().contains("temperature 25.06 °C"))
        #expect(fchmod(file, 0o640) == 0)
        let refused = #expect(throws: CLIError.self) { try command.text() }
        #expect(refused?.code == .usage)
        #expect(refused?.text.contains("chmod 600") == true)
        close(file)
        for wrong in ["54:48:E6:8F:80:A5", "54:48:E6:8F:80:A5=\(Self.key)00", "x=\(Self.key)", "=", ""] {
            let error = #expect(throws: CLIError.self) {
                try decode("2A19", "55", "--key", wrong, "--manufacturer", "0499")
            }
            #expect(error?.code == .usage)
            #expect(error?.text.contains("231d") == false)
            let key = #expect(throws: CLIError.self) { try decode("--manufacturer", "0499", "05", "--key", wrong) }
            #expect(key?.text.contains("ADDRESS=HEX") == true)
            #expect(key?.text.contains("231d") == false)
        }
    }

    /// A simulation of a sensor for each way in which a scan shows an advertisement.
    private var harness: CommandHarness {
        func sensor(_ number: Int, _ manufacturer: [UInt16: [UInt8]], _ service: [String: [UInt8]])
            -> SimulatedPeripheral
        {
            SimulatedPeripheral("Sensor \(number)", address: "C0:FF:EE:00:00:1\(number)") {
                SimulatedAdvertisement(
                    every: .milliseconds(100), rssi: -50, name: "Sensor \(number)", manufacturerData: manufacturer,
                    serviceData: service, firstAfter: .zero)
            }
        }
        let bytes = { (text: String) in (try? HexBytes.parse(text)) ?? [] }
        return CommandHarness(
            Scenario(peripherals: [
                sensor(1, [0x0499: bytes(Self.ruuvi)], [:]), sensor(2, [:], ["fcd2": bytes(Self.encrypted)]),
                sensor(3, [0x0059: [1]], [:]),
            ]))
    }

    @Test func `A scan prints readings, and the reason of a refused one`() {
        let outcome = harness.run(ScanVerb(), .limited(.seconds(1)))
        #expect(outcome.lines.contains { $0.contains("{ruuvi (RuuviTag): temperature 24.3 °C, ") })
        #expect(outcome.lines.contains { $0.contains("{bthome: it is encrypted; add the key of the device}") })
        #expect(outcome.lines.contains { $0.contains("Sensor 3") && !$0.contains("{") })
    }

    @Test func `A scan with --json has the reading of each advertisement`() throws {
        let schema = try JSONSchema()
        let outcome = harness.run(ScanVerb(), .limited(.seconds(1), json: true))
        #expect(!outcome.lines.isEmpty)
        for line in outcome.lines { #expect(schema.violations(of: line, as: "sighting") == []) }
        let objects = outcome.lines.compactMap { ParsedJSON($0) }
        let reading = try #require(objects.first { $0["address"]?.string == "C0:FF:EE:00:00:11" }?["reading"])
        #expect(reading["format"]?.string == "ruuvi")
        let refused = try #require(objects.first { $0["address"]?.string == "C0:FF:EE:00:00:12" })
        #expect(refused["readingError"]?.string?.hasPrefix("Decoding bthome failed: ") == true)
    }

    @Test func `A scan decodes encrypted advertisements with their key`() throws {
        let address = "54:48:E6:8F:80:A5"
        let payload = try HexBytes.parse(Self.encrypted)
        let lines = try ["\(address)=\(Self.key)", "\(address)=\(String(repeating: "0", count: 32))"].map { key in
            let command = try #require(try BLECLI.parseVerb(["scan", "--key", key]) as? ScanCommand)
            let sensor = SimulatedPeripheral("Sensor", address: address) {
                SimulatedAdvertisement(
                    every: .milliseconds(100), rssi: -50, name: "Sensor",
                    serviceData: ["fcd2": payload])
            }
            return CommandHarness(around: sensor).run(try command.verb(), .limited(.seconds(1))).lines
        }
        #expect(lines[0].contains { $0.contains("{bthome: temperature 25.06 °C, humidity 50.55 %}") })
        #expect(lines[1].contains { $0.contains("{bthome: the key does not match") })
    }

    @Test func `The live table shows readings`() {
        let harness = CommandHarness(
            Scenario(peripherals: [
                SimulatedPeripheral("Tag", address: "C0:FF:EE:00:00:11") {
                    SimulatedAdvertisement(
                        every: .milliseconds(100), rssi: -50, name: "Tag",
                        manufacturerData: [0x0499: (try? HexBytes.parse(Self.ruuvi)) ?? []])
                }
            ]), terminal: TerminalSize(columns: 400, rows: 24))
        let outcome = harness.run(ScanVerb(), .limited(.seconds(1)))
        #expect(outcome.lines.contains { $0.contains("READING") })
        #expect(
            outcome.lines.contains {
                guard let value = $0.firstRange(of: "temperature 24.3 °C"), let model = $0.firstRange(of: "(RuuviTag)")
                else {
                    return false
                }
                return value.upperBound <= model.lowerBound
            }, "\(outcome.lines)")
    }

    @Test func `Write encodes a typed value, also for a handle`() throws {
        let strap = Target.address("C0:FF:EE:00:00:01")
        let harness = CommandHarness()
        let written = harness.run(
            WriteVerb(target: strap, characteristic: .uuid(0x2A39), value: [], typed: "reset"), .asJSON)
        #expect(written.code == .done, "\(written.errors)")
        #expect(try #require(ParsedJSON(written.lines.first ?? ""))["value"]?.string == "01")
        #expect(harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A39))).lines == ["01  1"])
        let handle = try #require(ParsedJSON(written.lines.first ?? "")?["handle"]?.string)
        let number = try #require(AttributeHandle.parse(handle))
        let wrong = harness.run(
            WriteVerb(target: strap, characteristic: .handle(number), value: [], typed: "rest"))
        #expect(wrong.code == .usage)
        #expect(wrong.errors.count == 1)
    }
}
