import ArgumentParser
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The verbs `power` and `advertise`, and `adapters --watch`.
struct AdapterControlCommandTests {
    private let two = Scenario(
        adapters: [SimulatedAdapter(), SimulatedAdapter(address: "00:1A:7D:DA:71:02", name: "spare", powered: false)],
        peripherals: [])

    // MARK: power

    @Test func `Switches the adapter of --adapter on and off`() throws {
        let harness = CommandHarness(two)
        var options = CommandContext.Options()
        options.adapter = .named("hci1")
        #expect(harness.run(PowerVerb(isOn: true), options).lines == ["hci1 is on."])
        #expect(harness.run(AdaptersVerb()).lines.filter { $0.contains("  on   ") }.count == 2)
        options.json = true
        let off = try #require(ParsedJSON(harness.run(PowerVerb(isOn: false), options).lines.first ?? ""))
        #expect(off["adapter"]?.string == "hci1" && off["powered"]?.bool == false)
        options.adapter = .named("hci7")
        #expect(harness.run(PowerVerb(isOn: true), options).code == .notFound)
    }

    @Test func `An adapter that rfkill blocks is an error with what to do`() {
        let harness = CommandHarness()
        harness.simulation.bluez.setBlocked(true)
        let outcome = harness.run(PowerVerb(isOn: true))
        #expect(outcome.code == .unavailable && outcome.lines.isEmpty)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("rfkill unblock bluetooth") == true)
    }

    @Test func `An adapter that hangs ends at the time limit with a typed error`() {
        let harness = CommandHarness()
        harness.simulation.bluez.add(Fault("Properties.Set", .never))
        let outcome = harness.run(PowerVerb(isOn: false), .limited(.seconds(3)))
        #expect(outcome.code == .timedOut && outcome.errors.count == 1)
        #expect((3...7).contains(outcome.time ?? 0))
        #expect(CommandHarness(starting: false).run(PowerVerb(isOn: true)).code == .unavailable)
    }

    @Test(arguments: ["up", "", "onoff"]) func `Another state than on or off is a usage error`(text: String) {
        #expect(throws: CLIError.self) { try PowerCommand.parse([text]).verb() }
    }

    // MARK: adapters

    @Test func `With --watch, prints the adapters and then each change`() throws {
        let harness = CommandHarness(two)
        let bluez = harness.simulation.bluez
        let outcome = harness.run(
            AdaptersVerb(watches: true), .limited(.seconds(20)),
            meanwhile: [
                (2_000, { _ in bluez.setPower(false) }), (4_000, { _ in bluez.removeAdapter(1) }),
                (6_000, { _ in bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:02"), as: 1) }),
            ])
        #expect(outcome.code == .done && outcome.errors.isEmpty)
        #expect(outcome.lines.prefix(2).map { $0.prefix(4) } == ["hci0", "hci1"])
        #expect(outcome.lines.contains("hci0   00:1A:7D:DA:71:01  off  idle      simulation"))
        #expect(outcome.lines.contains("hci1   00:1A:7D:DA:71:02  removed"))
        // A change that is not part of the line, such as the choice of the adapter, prints nothing.
        #expect(zip(outcome.lines, outcome.lines.dropFirst()).allSatisfy { $0 != $1 })
        #expect(outcome.lines.last?.hasPrefix("hci1   00:1A:7D:DA:71:02  ") == true)
        #expect((20...21).contains(outcome.time ?? 0))
    }

    @Test func `With --watch, a bluetoothd that is not running is a note`() throws {
        let harness = CommandHarness(starting: false)
        let bluez = harness.simulation.bluez
        let outcome = harness.run(
            AdaptersVerb(watches: true), .limited(.seconds(20), json: true),
            meanwhile: [
                (2_000, { _ in bluez.start() }), (4_000, { _ in bluez.crash() }), (6_000, { $0.stop(.interrupted) }),
            ])
        #expect(outcome.code == .interrupted)
        let changes = try outcome.lines.map { try #require(ParsedJSON($0)) }
        #expect(changes.map { $0["change"]?.string } == ["added", "removed"])
        #expect(changes.allSatisfy { $0["adapter"]?["name"]?.string == "hci0" })
        #expect(
            try outcome.errors.map { try #require(ParsedJSON($0))["note"]?.string } == [
                "Waiting: bluetoothd is not running.", "Bluetooth is available again; continuing.",
                "Waiting: bluetoothd is not running.",
            ])
    }

    @Test func `A bluetoothd that hangs is not said to be missing`() {
        for verb in [AdaptersVerb(), AdaptersVerb(watches: true), ScanVerb(reconnects: true)] as [any Verb] {
            let harness = CommandHarness()
            harness.simulation.bluez.add(Fault("ObjectManager.GetManagedObjects", .never))
            let outcome = harness.run(verb, .limited(.seconds(15)))
            let text = outcome.errors.first ?? ""
            #expect(text.contains("does not reply"), "\(text)")
            #expect(!text.contains("not running"))
        }
    }

    // MARK: advertise

    private func advertise(_ arguments: String...) throws -> any Verb { try AdvertiseCommand.parse(arguments).verb() }

    @Test func `Advertises until the interrupt, and unregisters the advertisement`() throws {
        let harness = CommandHarness()
        let verb = try advertise("--name", "Test\u{1B}", "--service", "180F", "--manufacturer", "0xffff=0102")
        let outcome = harness.run(verb, meanwhile: [(5_000, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(outcome.lines == ["hci0 advertises as “Test\\u{1B}”."])
        #expect(harness.calls("RegisterAdvertisement") == 1 && harness.calls("UnregisterAdvertisement") == 1)
    }

    @Test func `With --for, ends by itself; with --json, prints what is advertised`() throws {
        let harness = CommandHarness()
        let verb = try advertise(
            "--service-data", "181a=2e09", "--interval", "100ms", "--for", "5s", "--connectable", "--manufacturer",
            "4c=02")
        let outcome = harness.run(verb, .asJSON)
        #expect(outcome.code == .done && (5...6).contains(outcome.time ?? 0))
        let object = try #require(ParsedJSON(outcome.lines.first ?? ""))
        #expect(object["serviceData"]?["181A"]?.string == "2e09")
        #expect(object["manufacturerData"]?["004c"]?.string == "02")
        #expect(object["intervalMilliseconds"]?.number == 100 && object["connectable"]?.bool == true)
        #expect(harness.calls("UnregisterAdvertisement") == 1)
    }

    @Test(arguments: [
        [], ["--interval", "100ms"], ["--connectable"], ["--service", "dance"], ["--manufacturer", "ffff"],
        ["--manufacturer", "=01"], ["--manufacturer", "12345=01"], ["--manufacturer", "ffff="],
        ["--manufacturer", "+1=01"], ["--manufacturer", "ffff=0"],
        ["--manufacturer", "ffff=01", "--manufacturer", "FFFF=02"], ["--service-data", "181a"],
        ["--service-data", "xyz=01"], ["--service-data", "181a=01", "--service-data", "0x181A=02"],
        ["--name", "x", "--interval", "19ms"], ["--name", "x", "--interval", "3h"], ["--name", "x", "--for", "soon"],
    ])
    func `Wrong arguments are usage errors with one line`(arguments: [String]) throws {
        let error = #expect(throws: CLIError.self) { try AdvertiseCommand.parse(arguments).verb() }
        #expect(error?.code == .usage && error?.text.contains("\n") == false)
    }

    @Test func `An advertisement that is too long, and an adapter that is off, are typed errors`() throws {
        let long = try advertise("--manufacturer", "ffff=" + String(repeating: "00", count: 40))
        let refused = CommandHarness().run(long)
        #expect(refused.code == .failed && refused.errors.first?.contains("31 bytes") == true)
        let harness = CommandHarness()
        let bluez = harness.simulation.bluez
        let outcome = harness.run(
            try advertise("--name", "x"), meanwhile: [(3_000, { _ in bluez.setPower(false) })])
        #expect(outcome.code == .unavailable && outcome.errors.count == 1)
    }
}
