import RxBluetoothMocks
import ScenarioFiles
import Testing

/// Tests of the errors for wrong files: the line, the problem and the expected content.
struct ScenarioFileErrorTests {
    private static let head = """
        peripherals:
          - name: Tag
            address: C0:00:00:00:00:01

        """

    /// Returns the text of a service with a number of attributes, indented by `indent`.
    private static func service(_ attributes: Int, _ indent: String) -> String {
        "\(indent)- uuid: fff0\n\(indent)  characteristics:\n"
            + String(
                repeating: "\(indent)    - { uuid: fff1, properties: [read] }\n", count: (attributes - 1) / 2)
    }

    @Test func `Too many attributes are an error at the line of the services`() throws {
        // GAP and GATT have 9 attributes, this service 65,525, and an empty service 1: together the limit of 65,535.
        let most = Self.head + "    services:\n" + Self.service(65_525, "      ")
        let scenario = try ScenarioFile.read(most + "      - uuid: fff2\n", file: "f")
        #expect(scenario.peripherals[0].services.count == 2)
        for (text, line) in [
            (most + "      - uuid: fff2\n      - uuid: fff3\n", 5),
            (
                Self.head + "events:\n  - at: 1 s\n    change-services: C0:00:00:00:00:01\n    services:\n"
                    + Self.service(65_527, "      "), 8
            ),
        ] {
            let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.read(text, file: "f") }
            #expect(
                error?.description
                    == "f:\(line): “Tag” has 65536 attributes; expected: at most 65535, one for each handle")
        }
    }

    @Test func `Reading ends at the first attribute without a handle`() {
        // The service is in line 5, so its first characteristic is in line 7, and the 32,768th has no handle.
        let services = Self.head + "    services:\n" + Self.service(65_537, "      ")
        let descriptors =
            Self.head + "    services:\n" + Self.service(65_533, "      ")
            + "          - { uuid: fff2, properties: [read], descriptors: [\n"
            + "            { uuid: 2901 },\n            { uuid: heart }] }\n"
        for (text, line) in [(services + "      - uuid: heart\n", 32_774), (descriptors, 32_774)] {
            let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.read(text, file: "f") }
            #expect(
                error?.description
                    == "f:\(line): “Tag” has more than 65535 attributes; expected: at most 65535, one for each handle")
        }
    }

    static let cases: [(text: String, error: String)] = [
        ("seed: 1\ncolour: red\n", "f:2: unknown key “colour” of the scenario; expected: one of seed, packet-loss,"),
        (
            head + "    advertisment: {}\n",
            "f:4: unknown key “advertisment” of a peripheral; expected: one of name, address, address-type, advertisement,"
        ),
        (
            head + "    channels:\n      - psm: 128\n      - { psm: 0x80 }\n",
            "f:6: duplicate PSM 128; expected: each PSM once"
        ),
        (
            head + "    channels:\n      - { psm: 128, answer: all }\n",
            "f:5: invalid value “all” of answer; expected: one of echo, nothing, refusal"
        ),
        (
            head + "  - name: Other\n    address: c0:00:00:00:00:01\n",
            "f:4: duplicate address C0:00:00:00:00:01, first in line 2; expected: a different address"
        ),
        (
            head + "    advertisement:\n      interval: -5 ms\n      rssi: -60\n",
            "f:5: invalid value “-5 ms” of interval; expected: a time above 0"
        ),
        (
            head + "    advertisement:\n      interval: 5\n      rssi: -60\n",
            "f:5: invalid value “5” of interval; expected: a time above 0, such as 250 ms"
        ),
        (
            head + "    advertisement:\n      interval: 5 ms\n      rssi: 40\n",
            "f:6: invalid value “40” of rssi; expected: a whole number from -127 to 20"
        ),
        (
            head + "    advertisement:\n      rssi: 4\n",
            "f:5: advertisement has no key interval; expected: the key interval"
        ),
        (
            head + "    services:\n      - uuid: 180d\n        characteristics:\n          - uuid: 2a37\n"
                + "            properties: [read]\n            value: " + String(repeating: "ab", count: 513) + "\n",
            "f:9: value has 513 bytes; expected: at most 512 bytes"
        ),
        (
            head + "    services:\n      - uuid: 180d\n        characteristics:\n          - uuid: 2a37\n"
                + "            properties: [reed]\n",
            "f:8: invalid value “reed” of a property; expected: one of read, write,"
        ),
        (head + "    services:\n      - uuid: heart\n", "f:5: invalid value “heart” of uuid; expected: a UUID of 16,"),
        (
            head.replacing("C0:00", with: "C0"),
            "f:3: invalid value “C0:00:00:00:01” of address; expected: an address such"
        ),
        ("quirks: [Q72, Q5]\n", "f:1: invalid value “Q5” of a quirk; expected: one of Q2, Q7,"),
        ("faults:\n  - method: Connect\n", "f:2: a fault has no effect; expected: one of late, never,"),
        (
            "faults:\n  - method: Connect\n    never: true\n    late: 1 s\n",
            "f:2: a fault has the effects late, never; expected: one of"
        ),
        (
            "faults:\n  - method: Connect\n    error: Failed\n",
            "f:3: invalid value “Failed” of error; expected: an error name such as org.bluez.Error.Failed"
        ),
        (
            "faults:\n  - method: Connect\n    calls: first 0\n    never: true\n",
            "f:3: invalid value “first 0” of calls; expected: all, 3, first 3 or from 3"
        ),
        ("events:\n  - power: off\n", "f:2: an event has no key at; expected: the key at"),
        (
            head + "events:\n  - at: 1 s\n    drop-link: C0:00:00:00:00:02\n",
            "f:6: no peripheral has the address C0:00:00:00:00:02; expected: the address of a peripheral"
        ),
        (
            head + "events:\n  - at: 1 s\n    drop-link: C0:00:00:00:00:01\n    reason: boredom\n",
            "f:7: invalid value “boredom” of reason; expected: one of unknown, timeout,"
        ),
        (
            head + "events:\n  - at: 1 s\n    open-channel: C0:00:00:00:00:01\n    psm: 256\n",
            "f:7: invalid value “256” of psm; expected: a whole number from 1 to 255"
        ),
        (
            "events:\n  - at: 1 s\n    power: off\n    rssi: -5\n",
            "f:4: rssi cannot be combined with power; expected: only keys of power"
        ),
        (
            "events:\n  - at: 1 s\n    explode: true\n",
            "f:3: unknown key “explode” of an event; expected: one of at, drop-link,"
        ),
        (
            head + "events:\n  - at: 1 s\n    notify: C0:00:00:00:00:01\n    characteristic: 2a37\n    value: 01\n",
            "f:7: invalid value “2a37” of characteristic; expected: the UUID of a characteristic of C0:00:00:00:00:01"
        ),
        (
            head + "events:\n  - at: 1 s\n    rotate-address: C0:00:00:00:00:01\n    to: C0:00:00:00:00:01\n",
            "f:7: the address C0:00:00:00:00:01 is in use; expected: an address that nothing else uses"
        ),
        (
            head + "    pairing: { method: passkey-shown, passkey: 1000000 }\n",
            "f:4: invalid value “1000000” of passkey; expected: a whole number from 0 to 999999"
        ),
        (
            head + "    pairing: { passkey: 1 }\n",
            "f:4: passkey without a method that uses it; expected: another method"
        ),
        (head + "    pairing: { method: handshake }\n", "f:4: invalid value “handshake” of method; expected: one of"),
        (
            head.replacing("C0:00", with: "\u{FF23}0:00"),
            "f:3: invalid value “\u{FF23}0:00:00:00:00:01” of address; expected: an address such"
        ),
        (
            head + "    services:\n      - uuid: \u{FF11}80d\n",
            "f:5: invalid value “\u{FF11}80d” of uuid; expected: a UUID of 16,"
        ),
        (
            head + "    advertisement: { interval: 1 s, rssi: -1, manufacturer-data: { 76: '', 0x4C: '' } }\n",
            "f:4: duplicate company 76; expected: each company once"
        ),
        (
            head + "    advertisement: { interval: 1 s, rssi: -1, manufacturer-data: { 76: +f } }\n",
            "f:4: invalid value “+f” of manufacturer-data; expected: hexadecimal bytes, such as 0d 48"
        ),
        ("bluez: 5.90\n", "f:1: invalid value “5.90” of bluez; expected: one of 5.66, 5.82, 5.87"),
        (
            "features: [telepathy]\n",
            "f:1: invalid value “telepathy” of a feature; expected: one of handle, claimed-services,"
        ),
        (
            "adapters:\n  - { name: a }\n  - { name: b }\n",
            "f:3: duplicate address 00:1A:7D:DA:71:01; expected: a different address for each adapter"
        ),
        (
            "events:\n  - { at: 1 s, rival: dance }\n",
            "f:2: invalid value “dance” of rival; expected: scan, connect, disconnect, remove, power-off or power-on"
        ),
        (
            "events:\n  - { at: 1 s, rival: remove }\n", "f:2: an event has no key with; expected: the key with"
        ),
        ("seed: 1\nseed: 2\n", "f:2: duplicate key: seed; expected: each key once"),
        ("seed: [1\n", "f:2: "),
        ("peripherals: 7\n", "f:1: peripherals is not a list; expected: a list"),
        ("- 7\n", "f:1: the scenario has no keys; expected: the keys seed,"),
        ("", "f: the file is empty; expected: a scenario"),
    ]

    @Test(arguments: cases)
    func `An error names the file, the line, the problem and what is expected`(_ one: (text: String, error: String))
        throws
    {
        let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.read(one.text, file: "f") }
        let text = try #require(error).description
        #expect(text.hasPrefix(one.error), "\(text)")
        #expect(text.contains("; expected: "))
    }

    @Test func `A missing file is an error`() {
        let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.load("/nowhere/hall.yaml") }
        #expect(
            error?.description == "/nowhere/hall.yaml: no such file; expected: a readable file in YAML")
    }
}
