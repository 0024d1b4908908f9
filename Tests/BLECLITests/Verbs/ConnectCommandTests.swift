import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

@testable import ble_cli

struct ConnectCommandTests {
    @Test func `Prints the whole tree with values, and disconnects`() {
        let harness = CommandHarness()
        let outcome = harness.run(ConnectVerb(target: .part("heart rate")))
        #expect(outcome.code == .done)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.lines.first == "C0:FF:EE:00:00:01  Heart rate strap")
        let tree = outcome.lines.joined(separator: "\n")
        for part in [
            "  180D Heart Rate  @", "    2A37 Heart Rate Measurement  @", "[read, notify]  = 003d  61 bpm",
            "[indicate]", "[read, notify]  = 57  87 %",
            "\"Everyday Instruments\"", "      2902 Client Characteristic Configuration  @", "= 0000  off",
        ] { #expect(tree.contains(part), "\(part)") }
        #expect(harness.calls("Connect") == 1)
        #expect(harness.calls("Disconnect") == 1)
        #expect(harness.calls("StartDiscovery") == harness.calls("StopDiscovery"))
    }

    @Test func `Prints both of two characteristics with the same UUID`() {
        let outcome = CommandHarness().run(ConnectVerb(target: .address("C0:FF:EE:00:00:05")))
        #expect(
            outcome.lines.filter { $0.contains("FFD1") } == [
                "    FFD1  @000b  [read]  = 0b  11", "    FFD1  @000e  [read]  = 16  22",
            ])
    }

    @Test func `Prints the tree as one JSON object`() throws {
        let outcome = CommandHarness().run(ConnectVerb(target: .part("twin")), .asJSON)
        #expect(outcome.lines.count == 1)
        let tree = try #require(ParsedJSON(outcome.lines[0]))
        #expect(tree["address"]?.string == "C0:FF:EE:00:00:05")
        #expect(tree["name"]?.string == "Twin sensor")
        let twins = try #require(tree["services"]).items.filter { $0["uuid"]?.string == "FFD0" }
        let values = twins.compactMap { $0["characteristics"]?.items.first?["value"]?.string }
        #expect(values == ["0b", "16"])
        #expect(twins.compactMap { $0["characteristics"]?.items.first?["handle"]?.string } == ["@000b", "@000e"])
    }

    @Test func `If a value cannot be read, prints the reason in its place and continues`() {
        let harness = CommandHarness(
            around: SimulatedPeripheral("Lock", address: "C0:FF:EE:00:00:09") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock")
                SimulatedService("ffd0") {
                    SimulatedCharacteristic("ffd1", .read { _ in .error(0x81) })
                    SimulatedCharacteristic("ffd2", .read([7]))
                }
            })
        let outcome = harness.run(ConnectVerb(target: .part("lock")))
        #expect(outcome.code == .done)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.lines.contains { $0.contains("FFD1") && $0.contains("!") && $0.contains("0x81") })
        #expect(outcome.lines.contains { $0.contains("FFD2") && $0.hasSuffix("= 07  7") })
    }

    @Test func `A lost link ends the command with one line`() {
        let harness = CommandHarness()
        let simulation = harness.simulation
        let slow = SimulatedConnection(roundTrip: .milliseconds(500))
        simulation.bluez.setConnection(slow, of: "C0:FF:EE:00:00:01")
        let outcome = harness.run(
            ConnectVerb(target: .part("heart")),
            meanwhile: [(2500, { _ in simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01") })])
        #expect(outcome.code == .failed)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("the link was lost") == true)
    }

    @Test func `A link that is lost at any time has its reason in the error`() {
        for time in stride(from: 1_200, to: 1_900, by: 9) {
            let harness = CommandHarness()
            let simulation = harness.simulation
            let drop: @Sendable (CommandRunner) -> Void = { _ in
                simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01", reason: .timeout)
            }
            let outcome = harness.run(ConnectVerb(target: .part("heart")), meanwhile: [(time: time, event: drop)])
            // The attempt may still be repeated, or the command may have ended.
            guard outcome.code != .done else { continue }
            #expect(outcome.code == .failed)
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains("not connected") == false, "\(time): \(outcome.errors)")
        }
    }

    @Test func `Connecting to a beacon fails at the time limit`() {
        let outcome = CommandHarness().run(ConnectVerb(target: .part("door")), .limited(.seconds(5)))
        #expect(outcome.code == .timedOut)
        #expect(outcome.errors.count == 1)
        #expect((5...8).contains(outcome.time ?? 0))
    }

    @Test(.proves(.Q77), arguments: [(8, ExitCode.done), (9, .failed)])
    func `A failing connection is retried a limited number of times`(failures: Int, code: ExitCode) {
        let harness = CommandHarness()
        harness.simulation.bluez.setConnection(SimulatedConnection(failures: failures), of: "C0:FF:EE:00:00:05")
        let outcome = harness.run(ConnectVerb(target: .part("twin")))
        #expect(outcome.code == code)
        #expect(outcome.errors.count == (code == .done ? 0 : 1))
        #expect(harness.calls("Connect") == 9)
    }

    @Test func `An interrupt while connecting leaves nothing connected`() {
        let harness = CommandHarness()
        let outcome = harness.run(ConnectVerb(target: .part("heart")), meanwhile: [(1150, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(harness.calls("Connect") == harness.calls("Disconnect"))
        #expect(harness.calls("StartDiscovery") == harness.calls("StopDiscovery"))
    }

    @Test func `With --json, prints the values read before a lost link, and the error`() throws {
        let harness = CommandHarness()
        let simulation = harness.simulation
        let slow = SimulatedConnection(roundTrip: .milliseconds(500))
        simulation.bluez.setConnection(slow, of: "C0:FF:EE:00:00:01")
        let outcome = harness.run(
            ConnectVerb(target: .part("heart")), .asJSON,
            meanwhile: [(5500, { _ in simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01") })])
        #expect(outcome.code == .failed)
        #expect(outcome.lines.count == 1)
        let tree = try #require(ParsedJSON(outcome.lines.first ?? ""))
        #expect(tree["complete"]?.bool == false)
        let values = (tree["services"]?.items ?? []).flatMap { $0["characteristics"]?.items ?? [] }
            .compactMap { $0["value"]?.string }
        #expect(values.contains("003d"))
        #expect(try #require(ParsedJSON(outcome.errors.first ?? ""))["error"]?["code"]?.string == "disconnected")
    }

    @Test func `With --json, prints the values read before an interrupt`() throws {
        let harness = CommandHarness()
        harness.simulation.bluez.setConnection(
            SimulatedConnection(roundTrip: .milliseconds(500)), of: "C0:FF:EE:00:00:01")
        let outcome = harness.run(
            ConnectVerb(target: .part("heart")), .asJSON, meanwhile: [(4000, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(try #require(ParsedJSON(outcome.lines.first ?? ""))["complete"]?.bool == false)
    }

    /// bluetoothd shows such a device as connected and resolved, with services of BR/EDR and without GATT objects.
    @Test(.proves(.S142, .Q134), arguments: [false, true])
    func `A device that is linked over BR/EDR only is an error, and no empty tree`(json: Bool) {
        var scenario = Scenario {
            SimulatedPeripheral("Headset", address: "C0:FF:EE:00:00:09", addressType: .public) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Headset")
                // The simulation has no BR/EDR, so this LE link never discovers a service.
                SimulatedConnection(discovery: .seconds(86_400))
            }
            Fault(
                "Device1.Connect",
                .meanwhile(after: .seconds(1)) {
                    $0.sendChanges(
                        [
                            "ServicesResolved": .bool(true), "Class": .uint32(0x240404),
                            "UUIDs": .strings(["0000110b-0000-1000-8000-00805f9b34fb"]),
                        ], of: "org.bluez.Device1", at: "/org/bluez/hci0/dev_C0_FF_EE_00_00_09")
                })
        }
        // From 5.87 on, bluetoothd shows which bearer is connected.
        scenario.bluez = .v5_82
        let outcome = CommandHarness(scenario).run(ConnectVerb(target: .part("headset")), json ? .asJSON : .init())
        #expect(outcome.code == .failed)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("connected over BR/EDR and not over LE") == true, "\(outcome.errors)")
        #expect(!outcome.lines.contains { $0.contains("\"complete\":true") }, "\(outcome.lines)")
    }

    @Test func `The error for a beacon that advertises strongly does not say it is far away`() {
        let outcome = CommandHarness().run(ConnectVerb(target: .part("door")), .limited(.seconds(5)))
        #expect(outcome.errors.first?.lowercased().contains("closer") == false)
        #expect(outcome.errors.first?.contains("it may accept no connections, as a beacon") == true)
    }
}
