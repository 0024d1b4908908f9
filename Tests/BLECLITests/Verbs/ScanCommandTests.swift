import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@testable import ble_cli

struct ScanCommandTests {
    private static let keys: Set<String> = [
        "time", "adapter", "address", "addressType", "name", "alias", "rssi", "txPower", "appearance", "flags",
        "manufacturerData", "companies", "serviceData", "services", "connectable", "cached", "reading", "readingError",
    ]

    @Test func `Prints one JSON object per device, and stops the scan at the time limit`() throws {
        let harness = CommandHarness()
        let outcome = harness.run(ScanVerb(), .limited(.seconds(2), json: true))
        #expect(outcome.code == .done)
        #expect((2...2.1).contains(outcome.time ?? 0))
        #expect(outcome.errors.isEmpty)
        let objects = try outcome.lines.map { try #require(ParsedJSON($0)) }
        #expect(Set(objects.compactMap { $0["address"]?.string }).count == 5)
        for object in objects { #expect(object.keys == Self.keys) }
        #expect(harness.calls("StartDiscovery") == 1)
        #expect(harness.calls("StopDiscovery") == 1)

        let beacon = try #require(objects.first { $0["name"]?.string == "Door beacon" })
        #expect(beacon["manufacturerData"]?["004c"]?.string?.hasPrefix("0215") == true)
        #expect(beacon["companies"]?["004c"]?.string == "Apple, Inc.")
        #expect(beacon["txPower"]?.isNull == true)
        #expect(beacon["connectable"]?.isNull == true)
        #expect(beacon["cached"]?.bool == false)
        #expect((-69 ... -59).contains(try #require(beacon["rssi"]?.number)))
        let thermometer = try #require(objects.first { $0["name"]?.string == "Thermometer" })
        #expect(thermometer["serviceData"]?["181A"]?.string == "2e09")
        #expect(thermometer["services"]?.items.map(\.string) == ["181A"])
        #expect(thermometer["addressType"]?.string == "random")
        #expect(thermometer["txPower"]?.number == 4)
        #expect(thermometer["appearance"]?.number == 0x0300)
        #expect(thermometer["adapter"]?.string == "hci0")
        #expect(objects.contains { $0["flags"]?.string == "06" })
    }

    @Test func `Prints the first device within 0.3 s`() {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .asJSON, for: 0)
        harness.advance(290)
        #expect(!harness.output.takeLines().isEmpty)
    }

    @Test func `Prints every advertisement with --all`() {
        let few = CommandHarness().run(ScanVerb(), .limited(.seconds(5), json: true))
        let all = CommandHarness().run(ScanVerb(showsAll: true), .limited(.seconds(5), json: true))
        #expect(few.lines.count == 5)
        #expect(all.lines.count > 50)
    }

    @Test func `A note at the end counts what the output was too slow for`() throws {
        let bus = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        // While this clock does not advance, the output is blocked.
        let queue = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Simulation(.everyday, scheduler: bus)
        let (output, errors) = (RecordingOutput(), RecordingOutput())
        let messages = Messages(output: errors)
        let makeManager: @Sendable (PairingPolicy) -> BluetoothManager = { _ in
            BluetoothManager(configuration: .init(scheduler: queue), bus: simulation.connect())
        }
        let context = CommandContext(
            manager: makeManager(PairingPolicy()), scheduler: queue, output: output, options: .limited(.seconds(20)),
            messages: messages, keptLinks: MemoryKeptLinks(), closingLinks: MemoryClosingLinks(),
            makeManager: makeManager)
        let runner = CommandRunner(context, messages: messages) { _ in }
        runner.start(ScanVerb(showsAll: true))
        func advance(_ seconds: Int) {
            for _ in 0..<seconds * 100 {
                bus.advanceBy(10)
                queue.advanceBy(10)
            }
        }
        advance(5)
        bus.advanceBy(120_000)
        advance(20)
        let note = try #require(errors.takeLines().last)
        #expect(
            note.wholeMatch(
                of: /ble-cli: [0-9]{3,4} advertisements are left out, because the output was too slow for them\./)
                != nil,
            "\(note)")
        // A blocked reader may receive fewer lines, and each of them is whole.
        #expect(output.takeLines().count > 100)
    }

    @Test func `With --passive, scans without discovery`() {
        let harness = CommandHarness()
        let outcome = harness.run(ScanVerb(isPassive: true), .limited(.seconds(2), json: true))
        #expect(outcome.code == .done && !outcome.lines.isEmpty)
        #expect(harness.calls("RegisterMonitor") == 1 && harness.calls("StartDiscovery") == 0)
    }

    /// Tenths of a degree, whose lower byte is a part of the company identifier.
    private static func thermometer(_ tenths: UInt8) -> SimulatedAdvertisement {
        SimulatedAdvertisement(
            every: .milliseconds(100), rssi: -60, name: "TP357 (0A01)",
            manufacturerData: [UInt16(tenths) << 8 | 0xC2: [0x00, 0x27, 0x02, 0x2C]], firstAfter: .zero)
    }

    @Test func `With --passive, prints the newest value of a thermometer`() throws {
        let address = "C0:00:00:00:00:01"
        let harness = CommandHarness(around: SimulatedPeripheral("", address: address) { Self.thermometer(0xF0) })
        let simulation = harness.simulation
        // The name is in the scan response, which a passive scan does not request.
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let outcome = harness.run(
            ScanVerb(showsAll: true, isPassive: true), .limited(.seconds(3), json: true),
            meanwhile: [
                (1000, { _ in simulation.bluez.advertise(Self.thermometer(0xF7), from: address) }),
                (2000, { _ in simulation.bluez.advertise(Self.thermometer(0xF3), from: address) }),
            ])
        let sent = ["24", "24.7", "24.3"]
        var printed: [String] = []
        for line in outcome.lines where line.contains(#""quantity":"temperature""#) {
            let values = sent.filter { line.contains(#""quantity":"temperature","value":\#($0),"#) }
            #expect(values.count == 1, "\(line)")
            if let value = values.first, value != printed.last { printed.append(value) }
        }
        #expect(printed == sent, "\(outcome.lines)")
    }

    @Test(arguments: [false, true])
    func `A sensor that counts again is printed with its last packet number`(json: Bool) throws {
        let address = "C0:FF:EE:00:00:01"
        let sender = Sender(address: SenderAddress(address), key: DeviceKey("231d39c1d7cc1ab1aee224cd096db932"))
        func advertisement(_ counter: UInt32) throws -> SimulatedAdvertisement {
            let bytes = try BTHome([.battery(50)], counter: counter).section(from: sender).bytes
            return SimulatedAdvertisement(
                every: .seconds(20), rssi: -60, serviceData: ["fcd2": bytes], firstAfter: .zero)
        }
        let old = try advertisement(154_554)
        let harness = CommandHarness(around: SimulatedPeripheral("", address: address) { old })
        let simulation = harness.simulation
        // Four packets over 6 s prove that the device counts again.
        let events: [(time: Int, event: @Sendable (CommandRunner) -> Void)] = try (0..<4).map { index in
            let next = try advertisement(148 + UInt32(index))
            return (
                time: 4_000 + 2_000 * index, event: { _ in simulation.bluez.advertise(next, from: address) }
            )
        }
        var verb = ScanVerb(showsAll: true)
        verb.keys["C0:FF:EE:00:00:01"] = sender.key
        let outcome = harness.run(verb, .limited(.seconds(12), json: json), meanwhile: events)
        let text = json ? #""restartedAfter":154554"# : "counts again after packet 154554"
        #expect(outcome.lines.count >= 5)
        #expect(outcome.lines.filter { $0.contains(text) }.count == 1, "\(outcome.lines)")
    }

    @Test func `Prints only devices with one of the services`() throws {
        let outcome = CommandHarness().run(
            ScanVerb(conditions: ScanConditions(services: [0x180D, 0xFFD0])), .limited(.seconds(2)))
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.contains { $0.contains("Heart rate strap") })
        #expect(outcome.lines.contains { $0.contains("Twin sensor") })
    }

    @Test func `In a pipe, prints a line for each new device and each new name`() {
        let harness = CommandHarness(
            around: SimulatedPeripheral("Lamp", address: "C0:FF:EE:00:00:09") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lamp")
            })
        let simulation = harness.simulation
        let outcome = harness.run(
            ScanVerb(), .limited(.seconds(3)),
            meanwhile: [
                (
                    1000,
                    { _ in
                        let renamed = SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: "Lamp 2")
                        simulation.bluez.advertise(renamed, from: "C0:FF:EE:00:00:09")
                    }
                )
            ])
        #expect(outcome.lines == ["C0:FF:EE:00:00:09   -50 dBm  Lamp", "C0:FF:EE:00:00:09   -60 dBm  Lamp 2"])
    }

    @Test(arguments: [false, true])
    func `A signal ends the command after the scan is stopped`(isJSON: Bool) {
        let harness = CommandHarness()
        let outcome = harness.run(ScanVerb(), isJSON ? .asJSON : .init(), meanwhile: [(700, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(outcome.errors.isEmpty)
        #expect(harness.calls("StopDiscovery") == 1)
    }

    @Test func `A closed output ends the command without an error, and stops the scan`() {
        let harness = CommandHarness()
        harness.output.close(after: 1)
        let outcome = harness.run(ScanVerb(), .asJSON)
        #expect(outcome.code == .done)
        #expect(outcome.lines.count == 1)
        #expect(outcome.errors.isEmpty)
        #expect(harness.calls("StopDiscovery") == 1)
    }

    @Test func `Fails immediately if bluetoothd is not running`() {
        let outcome = CommandHarness(starting: false).run(ScanVerb())
        #expect(outcome.code == .unavailable)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("bluetoothd is not running. Start it:") == true)
        #expect(outcome.lines.isEmpty)
        #expect((outcome.time ?? 9) < 0.1)
    }

    @Test func `Fails if bluetoothd ends during the scan`() {
        let harness = CommandHarness()
        let simulation = harness.simulation
        let outcome = harness.run(ScanVerb(), meanwhile: [(1000, { _ in simulation.bluez.crash() })])
        #expect(outcome.code == .unavailable)
        #expect(outcome.errors.count == 1)
    }

    @Test func `With --reconnect, continues after a crash of bluetoothd, and prints notes`() {
        let harness = CommandHarness()
        let simulation = harness.simulation
        let outcome = harness.run(
            ScanVerb(reconnects: true), .limited(.seconds(20), json: true),
            meanwhile: [
                (2000, { _ in simulation.bluez.crash() }), (10_000, { _ in simulation.bluez.start() }),
            ])
        #expect(outcome.code == .done)
        #expect(
            outcome.errors.map { ParsedJSON($0)?["note"]?.string } == [
                "Waiting: bluetoothd is not running.", "Bluetooth is available again; continuing.",
            ])
        // The scan prints every device before the crash and again after the restart.
        #expect(outcome.lines.filter { $0.contains("C0:FF:EE:00:00:01") }.count >= 2)
        #expect(harness.calls("StartDiscovery") == 2)
        #expect(harness.calls("StopDiscovery") == 1)
    }

    @Test func `With --known, prints the remembered devices first`() throws {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1), json: true), for: 2)
        let outcome = harness.run(ScanVerb(includesKnown: true), .limited(.milliseconds(10), json: true))
        let objects = try outcome.lines.map { try #require(ParsedJSON($0)) }
        #expect(objects.contains { $0["cached"]?.bool == true })
    }

    @Test func `With --known, a connected device is not called remembered`() {
        let harness = CommandHarness()
        harness.run(
            ReadVerb(target: .part("thermometer"), characteristic: .uuid(0x2A6E), keepsLink: true), for: 5)
        let outcome = harness.run(ScanVerb(includesKnown: true), .limited(.milliseconds(50)))
        let line = outcome.lines.first { $0.contains("Thermometer") }
        #expect(line?.hasSuffix("(connected)") == true, "\(outcome.lines)")
        #expect(outcome.lines.contains { $0.hasSuffix("(remembered)") }, "\(outcome.lines)")
    }

    @Test func `With --all, prints every advertisement on a terminal, too`() {
        let outcome = CommandHarness(terminal: TerminalSize(columns: 80, rows: 24))
            .run(ScanVerb(showsAll: true), .limited(.seconds(5)))
        #expect(outcome.lines.count > 50)
        #expect(outcome.lines.allSatisfy { $0.hasPrefix("C0:FF:EE:00:00:0") })
        #expect(!outcome.lines.contains { $0.withoutColours.contains("\u{1B}") })
    }

    @Test func `Prints all companies and the data of each service`() throws {
        let peripheral = SimulatedPeripheral("Multi", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -50, name: "Multi", services: ["180f", "181a"],
                manufacturerData: [0x004C: [1, 2], 0x0006: [3], 0xFFFE: [4]],
                serviceData: ["181a": [0x2E, 0x09], "fd6f": [0xAA]])
        }
        let line = try #require(CommandHarness(around: peripheral).run(ScanVerb(), .limited(.seconds(1))).lines.first)
        #expect(line.contains("[Microsoft; Apple, Inc.; company 0xfffe]"))
        #expect(line.hasSuffix("Battery Service, Environmental Sensing = 2e09, FD6F = aa"))
        let json = CommandHarness(around: peripheral).run(ScanVerb(), .limited(.seconds(1), json: true))
        let companies = try #require(ParsedJSON(json.lines.first ?? "")?["companies"])
        #expect(companies.keys == ["0006", "004c", "fffe"])
        #expect(companies["fffe"]?.isNull == true)
    }

    /// From 5.82 on, bluetoothd lists the services that have only data, in its own order.
    @Test(arguments: [["fe9f"], ["fe9f", "181a"], ["181a", "fe9f"]])
    func `Services are in the same order with each version of bluetoothd`(listed: [String]) {
        let result = ScannedPeripheral(
            peripheral: Peripheral(address: "C0:FF:EE:00:00:09"),
            advertisementData: AdvertisementData(
                serviceData: [0x181A: [0x10, 0x27]], serviceUUIDs: listed.compactMap { BluetoothUUID($0) }))
        #expect(result.displayServices == "FE9F, Environmental Sensing = 1027")
    }

    @Test(arguments: ["Heart Rate", "heart rate", " 180D ", "0x180d"])
    func `Accepts the name of a service`(text: String) throws {
        let outcome = CommandHarness().run(
            ScanVerb(conditions: ScanConditions(services: [try ServiceArgument.parse(text)])), .limited(.seconds(2)))
        #expect(outcome.lines.count == 1)
        #expect(outcome.lines.first?.contains("Heart rate strap") == true)
    }

    @Test(arguments: ["Hart Rate", "Heart Rate Measurement", "", "12"])
    func `Rejects an invalid service, and prints the accepted forms`(text: String) throws {
        #expect { try ServiceArgument.parse(text) } throws: { error in
            guard let failure = error as? CLIError else { return false }
            return failure.code == .usage && failure.text.contains("“Heart Rate”")
        }
    }

    @Test(arguments: [true, false])
    func `With --verbose, scan prints no key`(json: Bool) {
        var verb = ScanVerb(showsAll: true)
        verb.keys["C0:FF:EE:00:00:01"] = DeviceKey("00112233445566778899aabbccddeeff")
        var options = CommandContext.Options.limited(.seconds(2), json: json)
        options.isVerbose = true
        let outcome = CommandHarness().run(verb, options, for: 3)
        #expect(!outcome.lines.isEmpty && !outcome.errors.isEmpty)
        #expect(!(outcome.lines + outcome.errors).contains { $0.contains("112233") })
    }
}
