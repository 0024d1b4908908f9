import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Checks the output of the verbs with `--json` against `docs/ble-cli.schema.json`.
struct JSONSchemaTests {
    private static let address = "C0:FF:EE:00:00:09"
    private static let target = Target.address("C0:FF:EE:00:00:09")

    /// A simulation of a device with data for every key of the JSON objects.
    private static var harness: CommandHarness {
        CommandHarness(
            Scenario(
                peripherals: Scenario.everyday.peripherals + [
                    SimulatedPeripheral("Full\u{1B}", address: address) {
                        SimulatedAdvertisement(
                            every: .milliseconds(100), rssi: -50, name: "Full\u{1B}", txPower: 4,
                            services: ["181a", "12345678"],
                            manufacturerData: [0x004C: [1], 0xFFFE: []], serviceData: ["181a": [1]], appearance: 0x0300)
                        SimulatedService("181a") {
                            SimulatedCharacteristic(
                                "2a6e", .read([0x2E, 0x09]), .write,
                                .notify(every: .milliseconds(100)) { [UInt8($0 % 256), 0] },
                                descriptors: [.userDescription("Room")])
                            SimulatedCharacteristic("2a19", .read { _ in .error(0x81) })
                            SimulatedCharacteristic("2a29", .read([]), .writeWithoutResponse)
                            SimulatedCharacteristic("6e400003-b5a3-f393-e0a9-e50e24dcca9e", .read([0xFF, 0xFE]))
                        }
                    }
                ]))
    }

    private static let advertisement = Advertisement(
        localName: "x", services: [0x180F], manufacturerData: [0xFFFF: [1]], serviceData: [0x181A: [1]],
        interval: .milliseconds(100)...(.milliseconds(100)))

    private static let verbs: [(verb: any Verb, definition: String)] = [
        (AdaptersVerb(), "adapter"), (DiagnoseVerb(), "diagnosis"), (ScanVerb(), "sighting"),
        (ScanVerb(showsAll: true), "sighting"), (ConnectVerb(target: target), "tree"),
        (ConnectVerb(target: .address("C0:FF:EE:00:00:01")), "tree"),
        (ReadVerb(target: target, characteristic: .uuid(0x2A6E)), "value"),
        (ReadVerb(target: target, characteristic: .uuid(0x2A29)), "value"),
        (ReadVerb(target: target, characteristic: .uuid("6E400003-B5A3-F393-E0A9-E50E24DCCA9E")), "value"),
        (NotifyVerb(target: target, characteristic: .uuid(0x2A6E), count: 2), "value"),
        (WriteVerb(target: target, characteristic: .uuid(0x2A6E), value: [1, 2]), "write"),
        (WriteVerb(target: target, characteristic: .uuid(0x2A29), value: []), "write"),
        (PairVerb(target: target), "pairing"), (ForgetVerb(target: target), "forgetting"),
        (InfoVerb(target: target), "info"), (DisconnectVerb(target: target), "disconnection"),
        (TrustVerb(target: target, isTrusted: true), "trust"), (PowerVerb(isOn: true), "power"),
        (AdaptersVerb(watches: true), "adapterChange"),
        (AdvertiseVerb(advertisement: advertisement, length: .seconds(1)), "advertising"),
        (CloneVerb(target: target), "clone"), (DevicesVerb(), "sighting"),
        (AdvertiseVerb(advertisement: Advertisement(), length: .seconds(1)), "advertising"),
    ]

    @Test(arguments: verbs.indices)
    func `The schema describes the output of each verb with all its keys`(index: Int) throws {
        let schema = try JSONSchema()
        let harness = Self.harness
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let (verb, definition) = Self.verbs[index]
        let outcome = harness.run(verb, .limited(.seconds(5), json: true))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(!outcome.lines.isEmpty)
        for line in outcome.lines { #expect(schema.violations(of: line, as: definition) == []) }
    }

    private static let failing: [(verb: any Verb, code: String, exitCode: ExitCode)] = [
        (ReadVerb(target: .part("absent"), characteristic: .uuid(0x2A19)), "not-found", .notFound),
        (ReadVerb(target: target, characteristic: .uuid(0x2A37)), "not-found", .notFound),
        (ReadVerb(target: target, characteristic: .uuid(0x2A19)), "att-error", .failed),
        (ReadVerb(target: .part("c0:ff"), characteristic: .uuid(0x2A19)), "usage", .usage),
        (
            WriteVerb(target: .address("C0:FF:EE:00:00:05"), characteristic: .handle(0x000B), value: [1]),
            "not-permitted",
            .failed
        ),
        (NotifyVerb(target: target, characteristic: .uuid(0x2A6E), count: 1_000), "timed-out", .timedOut),
        (ConnectVerb(target: .address("C0:FF:EE:00:00:03")), "timed-out", .timedOut),
        (ForgetVerb(target: .part("absent")), "not-found", .notFound),
    ]

    @Test(arguments: failing.indices)
    func `The schema describes errors on standard error`(index: Int) throws {
        let (verb, code, exitCode) = Self.failing[index]
        let outcome = Self.harness.run(verb, .limited(.seconds(5), json: true))
        #expect(outcome.code == exitCode)
        #expect(outcome.errors.count == 1)
        let line = try #require(outcome.errors.first)
        #expect(try JSONSchema().violations(of: line, as: "error") == [])
        #expect(ParsedJSON(line)?["error"]?["code"]?.string == code)
        #expect(ParsedJSON(line)?["exitCode"]?.number == Int(exitCode.rawValue))
    }

    @Test func `The schema describes a diagnosis without adapters and an incomplete tree`() throws {
        let schema = try JSONSchema()
        let diagnosis = CommandHarness(starting: false).run(DiagnoseVerb(), .asJSON)
        #expect(schema.violations(of: diagnosis.lines.first ?? "", as: "diagnosis") == [])
        #expect(schema.violations(of: diagnosis.errors.first ?? "", as: "error") == [])
        let adapters = CommandHarness(starting: false).run(AdaptersVerb(), .asJSON)
        #expect(schema.violations(of: adapters.errors.first ?? "", as: "error") == [])
        let harness = Self.harness
        harness.simulation.bluez.setConnection(SimulatedConnection(roundTrip: .milliseconds(500)), of: Self.address)
        let tree = harness.run(
            ConnectVerb(target: Self.target), .asJSON, meanwhile: [(2_500, { $0.stop(.interrupted) })])
        #expect(schema.violations(of: tree.lines.first ?? "", as: "tree") == [])
    }

    @Test func `The schema describes the details of a connected device`() throws {
        let harness = Self.harness
        harness.run(ReadVerb(target: Self.target, characteristic: .uuid(0x2A6E), keepsLink: true))
        let outcome = harness.run(InfoVerb(target: Self.target), .asJSON)
        #expect(try JSONSchema().violations(of: outcome.lines.first ?? "", as: "info") == [])
        let info = try #require(ParsedJSON(outcome.lines.first ?? ""))
        #expect(info["connected"]?.bool == true && info["mtu"]?.number == 517 && info["link"]?["rssi"] != nil)
    }

    @Test func `The schema describes notes and log lines`() throws {
        let schema = try JSONSchema()
        let harness = CommandHarness()
        let simulation = harness.simulation
        let scan = harness.run(
            ScanVerb(reconnects: true), .limited(.seconds(10), json: true),
            meanwhile: [(2_000, { _ in simulation.bluez.crash() }), (4_000, { _ in simulation.bluez.start() })])
        #expect(scan.errors.count == 2)
        for line in scan.errors { #expect(schema.violations(of: line, as: "note") == []) }
        let output = RecordingOutput()
        Messages(output: output, isJSON: true).log("debug", "An event.", [("device", "1"), ("isAccepted", "true")])
        #expect(schema.violations(of: output.takeLines().first ?? "", as: "log") == [])
    }

    @Test func `All keys are in lowerCamelCase`() throws {
        let schema = try JSONSchema()
        for (name, definition) in schema.definitions {
            #expect(name.wholeMatch(of: #/[a-z][A-Za-z0-9]*/#) != nil)
            for key in Self.keys(of: definition) { #expect(key.wholeMatch(of: #/[a-z][A-Za-z0-9]*/#) != nil, "\(key)") }
        }
    }

    private static func keys(of schema: JSONValue) -> [String] {
        (schema.members["properties"].map { Array($0.members.keys) } ?? [])
            + schema.members.values.flatMap { keys(of: $0) + $0.items.flatMap(keys) }
    }

    @Test func `The schema check detects invalid objects`() throws {
        let schema = try JSONSchema()
        let good = #"{"time":"2026-03-14T15:09:26.535Z","note":"x"}"#
        #expect(schema.violations(of: good, as: "note") == [])
        for bad in [
            #"{"time":"2026-03-14T15:09:26.535Z"}"#, #"{"time":"now","note":"x"}"#,
            #"{"time":"2026-03-14T15:09:26.535Z","note":1}"#, #"{"time":"2026-03-14T15:09:26.535Z","note":"x","y":1}"#,
            "[]",
            "x",
        ] { #expect(schema.violations(of: bad, as: "note") != [], "\(bad)") }
    }
}
