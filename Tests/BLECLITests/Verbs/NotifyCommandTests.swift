import ArgumentParser
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

@testable import ble_cli

struct NotifyCommandTests {
    private let strap = Target.address("C0:FF:EE:00:00:01")
    private let plug = Target.address("C0:FF:EE:00:00:04")

    @Test func `Notify prints --count values, stops notifications and disconnects`() {
        let harness = CommandHarness()
        let outcome = harness.run(NotifyVerb(target: strap, characteristic: .uuid(0x2A37), count: 3))
        #expect(outcome.code == .done)
        #expect(outcome.lines == ["003e  62 bpm", "003f  63 bpm", "0040  64 bpm"])
        #expect(harness.calls("Connect") == harness.calls("Disconnect"))
    }

    @Test func `Prints one JSON object per value`() throws {
        let outcome = CommandHarness().run(NotifyVerb(target: strap, characteristic: .uuid(0x2A37), count: 2), .asJSON)
        let objects = try outcome.lines.map { try #require(ParsedJSON($0)) }
        #expect(objects.map { $0["value"]?.string } == ["003e", "003f"])
    }

    @Test func `Runs until it is interrupted, and then disconnects`() {
        let harness = CommandHarness()
        let outcome = harness.run(
            NotifyVerb(target: strap, characteristic: .uuid(0x2A37)), meanwhile: [(30_000, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(outcome.lines.count > 20)
        #expect(harness.calls("Connect") == harness.calls("Disconnect"))
    }

    @Test func `Ends at the time limit, which counts from the start`() {
        let outcome = CommandHarness().run(
            NotifyVerb(target: strap, characteristic: .uuid(0x2A37)), .limited(.seconds(5)))
        #expect(outcome.code == .done)
        #expect(outcome.errors.isEmpty)
        #expect((3...5).contains(outcome.lines.count))
        #expect((5...7.1).contains(outcome.time ?? 0))
    }

    @Test func `Ends after --for, without limiting the time for connecting`() {
        var verb = NotifyVerb(target: strap, characteristic: .uuid(0x2A37))
        verb.duration = .seconds(5)
        let outcome = CommandHarness().run(verb)
        #expect(outcome.code == .done && (3...5).contains(outcome.lines.count))
        verb.duration = .milliseconds(1)
        #expect(CommandHarness().run(verb).code == .timedOut)
    }

    @Test func `Times out if no value arrives, or fewer than --count`() {
        let none = CommandHarness().run(NotifyVerb(target: strap, characteristic: .uuid(0x2A19)), .limited(.seconds(5)))
        #expect(none.code == .timedOut)
        #expect(none.errors.count == 1)
        let few = CommandHarness().run(
            NotifyVerb(target: strap, characteristic: .uuid(0x2A37), count: 100), .limited(.seconds(5)))
        #expect(few.code == .timedOut)
        #expect(few.errors.first?.contains("of 100 values") == true)
    }

    @Test(arguments: [1500, 50])
    func `A lost link is an error, during discovery and afterwards`(life: Int) {
        let harness = CommandHarness()
        harness.simulation.bluez.setConnection(
            SimulatedConnection(dropsAfter: .milliseconds(life)), of: "C0:FF:EE:00:00:04")
        let outcome = harness.run(NotifyVerb(target: plug, characteristic: .uuid(0xFFF2)), .limited(.seconds(30)))
        #expect(outcome.code == .failed)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("the link was lost") == true)
        #expect((outcome.time ?? 99) < 5)
    }

    @Test(.proves(.S78)) func `With --reconnect, continues after a lost link and a crash of bluetoothd`() {
        let harness = CommandHarness()
        let simulation = harness.simulation
        let outcome = harness.run(
            NotifyVerb(target: strap, characteristic: .uuid(0x2A37), reconnects: true), .limited(.seconds(40)),
            meanwhile: [
                (5_000, { _ in simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01") }),
                (15_000, { _ in simulation.bluez.crash() }), (25_000, { _ in simulation.bluez.start() }),
            ])
        #expect(outcome.code == .done)
        #expect(outcome.lines.count > 20)
        #expect(outcome.errors.count == 4)
        #expect(outcome.errors.first?.hasSuffix("the link was lost. Reconnecting.") == true)
        #expect(outcome.errors.dropFirst().first?.hasSuffix("connected again.") == true)
        #expect(outcome.errors.dropFirst(2).first?.contains("because bluetoothd stopped") == true)
        #expect(harness.calls("StartNotify") == 3)
        #expect(harness.calls("Disconnect") == 1)
    }

    @Test(
        .proves(.Q86),
        arguments: [
            (SimulatedBlueZ.Version.v5_82, "the link was lost. Reconnecting."),
            (.v5_87, "the link was lost, because the peripheral did not respond in time. Reconnecting."),
        ])
    func `With --reconnect, prints the reason of a lost link that bluetoothd gives`(
        version: SimulatedBlueZ.Version, text: String
    ) {
        var scenario = Scenario.everyday
        scenario.bluez = version
        let harness = CommandHarness(scenario)
        let simulation = harness.simulation
        let outcome = harness.run(
            NotifyVerb(target: strap, characteristic: .uuid(0x2A37), reconnects: true), .limited(.seconds(20)),
            meanwhile: [(5_000, { _ in simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01", reason: .timeout) })])
        #expect(outcome.code == .done && outcome.errors.count == 2)
        #expect(outcome.errors.first?.hasSuffix(text) == true)
    }

    @Test func `Prints all of a thousand values that arrive fast`() {
        let harness = CommandHarness(
            around: SimulatedPeripheral("Loud", address: "C0:FF:EE:00:00:09") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Loud")
                SimulatedService("ffe0") {
                    SimulatedCharacteristic(
                        "ffe1", .notify(every: .milliseconds(2)) { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
                }
            })
        let outcome = harness.run(NotifyVerb(target: .part("loud"), characteristic: .uuid(0xFFE1), count: 1000))
        #expect(outcome.code == .done)
        #expect(outcome.lines == (0..<1000).map { HexBytes.text(UInt16($0)) })
    }

    @Test func `While reconnecting, prints each cause once, and the last one at the time limit`() throws {
        let harness = CommandHarness()
        let simulation = harness.simulation
        let outcome = harness.run(
            NotifyVerb(target: strap, characteristic: .uuid(0x2A37), count: 1000, reconnects: true),
            .limited(.seconds(40)),
            meanwhile: [
                (
                    5_000,
                    { _ in
                        simulation.bluez.setConnection(
                            SimulatedConnection(failures: 1_000), of: "C0:FF:EE:00:00:01")
                        simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
                    }
                )
            ])
        #expect(outcome.code == .timedOut)
        #expect(outcome.errors.count == 3, "\(outcome.errors)")
        #expect(outcome.errors.first?.hasSuffix("the link was lost. Reconnecting.") == true)
        #expect(outcome.errors.dropFirst().first?.hasSuffix("(le-connection-abort-by-local). Trying again.") == true)
        let last = try #require(outcome.errors.last)
        #expect(last.contains("of 1000 values") && last.contains("The device is not connected. Last cause: "))
        #expect(last.contains("le-connection-abort-by-local"))
    }

    @Test func `A device that never connects ends with the last cause, too`() throws {
        let harness = CommandHarness()
        harness.simulation.bluez.setConnection(SimulatedConnection(failures: 1_000), of: "C0:FF:EE:00:00:01")
        let outcome = harness.run(
            NotifyVerb(target: strap, characteristic: .uuid(0x2A37), reconnects: true), .limited(.seconds(20)))
        #expect(outcome.code == .timedOut)
        #expect(outcome.errors.count == 2, "\(outcome.errors)")
        #expect(outcome.errors.last?.contains("Last cause: ") == true)
        #expect(outcome.errors.last?.contains("le-connection-abort-by-local") == true)
    }

    @Test func `An interrupt does not wait for the reply to Disconnect`() {
        let harness = CommandHarness()
        let outcome = harness.run(
            NotifyVerb(target: strap, characteristic: .uuid(0x2A37)), meanwhile: [(5_000, { $0.stop(.interrupted) })])
        #expect((5...5.2).contains(outcome.time ?? 0))
        #expect(harness.calls("Disconnect") == 1)
    }

    private func verb(_ options: String...) throws -> any Verb {
        try NotifyCommand.parse(["C0:FF:EE:00:00:01", "2A37"] + options).verb()
    }

    @Test func `Beside --for, --timeout does not limit the time with notifications`() throws {
        let outcome = CommandHarness().run(try verb("--for", "10s", "--timeout", "4s"), .limited(.seconds(4)))
        #expect(outcome.code == .done && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect((9...10).contains(outcome.lines.count) && (10...16.1).contains(outcome.time ?? 0))
        let few = CommandHarness().run(
            try verb("--for", "2500ms", "--timeout", "20s", "--count", "50"), .limited(.seconds(20)))
        #expect(few.code == .timedOut && (few.time ?? 99) < 9)
        #expect(few.errors.first?.contains("of 50 values of 2A37") == true)
        #expect(few.errors.first?.contains("within 2.5 s") == true)
    }

    @Test func `Beside --for, --timeout limits the time until the notifications are on`() throws {
        let harness = CommandHarness()
        harness.simulation.bluez.add(Fault("GattCharacteristic1.StartNotify", .lost))
        let outcome = harness.run(try verb("--for", "10s", "--timeout", "5s"), .limited(.seconds(5)))
        #expect(outcome.code == .timedOut && outcome.lines.isEmpty)
        #expect(outcome.errors.count == 1 && outcome.errors.first?.contains("were not on within 5 s") == true)
    }

    @Test(arguments: [false, true])
    func `A time limit before notifications are on names a stronger bond if bonded`(isBonded: Bool) throws {
        let service = SimulatedService("ffe0") { SimulatedCharacteristic("ffe3", .notify) }
        let lock = Target.part("Lock")
        let script = try StepScript("connect Lock\nwait FFE3 5s", name: "x")
        let verbs: [(any Verb, CommandContext.Options)] = [
            (NotifyVerb(target: lock, characteristic: .uuid(0xFFE3), count: 2), .limited(.seconds(12))),
            (NotifyVerb(target: lock, characteristic: .uuid(0xFFE3), reconnects: true), .limited(.seconds(12))),
            (RunVerb(script: script), CommandContext.Options()),
        ]
        for (verb, options) in verbs {
            let harness = CommandHarness(Scenario(peripherals: [.lock(furtherServices: [service])]))
            if isBonded { #expect(harness.run(PairVerb(target: lock)).code == .done) }
            harness.simulation.bluez.add(Fault("GattCharacteristic1.StartNotify", .lost))
            let outcome = harness.run(verb, options, for: 20)
            #expect(outcome.code == .timedOut && outcome.errors.count == 1, "\(outcome.errors)")
            let text = outcome.errors.first ?? ""
            #expect(text.contains(verb is RunVerb ? "were not on within 5 s" : "were not on within 12 s"), "\(text)")
            #expect(text.contains("ble-cli forget, then ble-cli pair --passkey") == isBonded, "\(text)")
        }
    }

    @Test(arguments: [nil, 50])
    func `Of several characteristics, the one with notifications that are not on is named`(count: Int?) {
        let service = SimulatedService("ffe0") {
            SimulatedCharacteristic("ffe3", .notify)
            SimulatedCharacteristic("ffe4", .notify(every: .seconds(1)) { _ in [4] })
        }
        let harness = CommandHarness(Scenario(peripherals: [.lock(furtherServices: [service])]))
        harness.simulation.bluez.add(Fault("GattCharacteristic1.StartNotify", calls: .only(2), .lost))
        let verb = NotifyVerb(
            target: .part("Lock"), characteristics: [.uuid(0xFFE4), .uuid(0xFFE3)], count: count)
        let outcome = harness.run(verb, .limited(.seconds(12)))
        #expect(outcome.code == (count == nil ? .done : .timedOut) && outcome.lines.count > 2, "\(outcome.lines)")
        let text = outcome.errors.joined(separator: "\n")
        #expect(text.contains("from FFE3 @") && text.contains("were not on within 12 s"), "\(text)")
        #expect(text.contains("of 50 values") == (count != nil), "\(text)")
    }

    @Test func `A level that a hidden battery service does not report is only missing`() throws {
        let battery = SimulatedService("180f") {
            SimulatedCharacteristic("2a19", .read { _ in .error(0x02) }, .notify)
        }
        var scenario = Scenario(peripherals: [.lock(furtherServices: [battery])])
        scenario.features = [.hiddenBattery]
        let outcome = CommandHarness(scenario).run(
            NotifyVerb(target: .part("Lock"), characteristic: .uuid(0x2A19)), .limited(.seconds(8)))
        #expect(outcome.code == .timedOut && outcome.errors.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains("were not on") == false, "\(outcome.errors)")
    }

    @Test func `With --for, a hidden battery service shows by its value that it notifies`() throws {
        var scenario = Scenario.everyday
        scenario.features = [.hiddenBattery]
        var verb = NotifyVerb(target: strap, characteristic: .uuid(0x2A19))
        verb.duration = .seconds(2)
        let outcome = CommandHarness(scenario).run(verb, .limited(.seconds(20)))
        #expect(outcome.code == .done && outcome.lines.first == "57  87 %", "\(outcome.errors)")
        #expect((outcome.time ?? 99) < 9)
    }

    @Test func `The time of --for begins when the notifications are on`() {
        let harness = CommandHarness()
        // bluetoothd closes the link of the first command for 2 s.
        harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), for: 1)
        var verb = NotifyVerb(target: strap, characteristic: .uuid(0x2A37))
        verb.duration = .seconds(2)
        let outcome = harness.run(verb)
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines.count >= 1)
    }
}
