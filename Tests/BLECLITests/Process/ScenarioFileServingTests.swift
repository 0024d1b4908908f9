import DBus
import Foundation
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// A client of `ble-cli simulate FILE` on a real bus and on the real clock.
///
/// Each test waits for a signal or a reply.
@Suite(.timeLimit(.minutes(5)))
struct ScenarioFileServingTests {
    private static let peripherals = """
        peripherals:
          - name: Hall
            address: C0:FF:EE:00:00:01
            advertisement: { interval: 100 ms, rssi: -60, services: [181a] }
            connection: { delay: 20 ms, discovery: 20 ms }
            services:
              - uuid: 181a
                characteristics:
                  - { uuid: 2a6e, properties: [read, write, notify], value: 2e 09 }
                  - { uuid: 2a6f, properties: [read], value: "01" }

        """
    private static let adapter = "/org/bluez/hci0"
    private static let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let first = device + "/service000a/char000b"
    private static let second = device + "/service000a/char000e"

    /// Serves a scenario from a file while a closure runs.
    private func serve(_ text: String, _ work: (BusClient) async throws -> Void) async throws {
        try await withFile(Self.peripherals + text) { path in
            let program = CLIProcess("simulate", path)
            let line = await program.firstLine()
            let prefix = "DBUS_SYSTEM_BUS_ADDRESS="
            guard line.hasPrefix(prefix) else {
                Issue.record("No address: \(line)\(await program.end().errors)")
                return
            }
            let address = String(line.dropFirst(prefix.count).dropLast())
            try await work(BusClient(address))
            program.signal(SIGTERM)
            let end = await program.end()
            #expect(end.code == 143, "\(end.errors)")
        }
    }

    private func withFile(_ text: String, _ work: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-cli-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("hall.yaml").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try await work(path)
    }

    @Test func `Faults delay, fail, drop and swap replies, and trigger events`()
        async throws
    {
        let faults = """
            faults:
              - { method: Device1.Connect, late: 400 ms }
              - { method: ReadValue, path: "*/char000b", calls: 1, error: org.bluez.Error.Failed, text: No luck }
              - { method: WriteValue, error-afterwards: org.bluez.Error.InProgress, text: In Progress }
              - { method: ReadValue, path: "*/char000b", calls: 2, never: true }
              - { method: ReadValue, path: "*/char000e", calls: all, swapped: true }
              - { method: StopNotify, meanwhile: { power: off }, after: 50 ms }
            """
        try await serve(faults) { client in
            try await client.find(Self.device)
            let clock = ContinuousClock()
            let start = clock.now
            #expect(try await client.call(Self.device, "org.bluez.Device1.Connect") == "ok")
            #expect(clock.now - start >= .milliseconds(400))
            await client.signal("ServicesResolved")
            let read = "org.bluez.GattCharacteristic1.ReadValue"
            let none = Value.properties([:])
            #expect(try await client.call(Self.first, read, none) == "Failed: No luck")
            let refused = try await client.call(
                Self.first, "org.bluez.GattCharacteristic1.WriteValue", .bytes([7]), none)
            #expect(refused == "InProgress: In Progress")
            let unanswered = try await client.call(Self.first, read, none, timeout: .milliseconds(300))
            #expect(unanswered.hasPrefix("NoReply"))
            // The simulation wrote the value although it replied with an error.
            #expect(try await client.call(Self.first, read, none).contains("7"))
            async let one = client.call(Self.second, read, none)
            async let other = client.call(Self.second, read, none)
            #expect(try await [one, other].allSatisfy { $0.hasPrefix("ok") })
            try await client.call(Self.first, "org.bluez.GattCharacteristic1.StopNotify")
            await client.signal("\"Powered\"")
        }
    }

    @Test func `Events of all kinds reach the client in their order`()
        async throws
    {
        let events = """
            features: [disconnected-signal]
            faults:
              - { method: StartNotify, meanwhile: { notify: C0:FF:EE:00:00:01, characteristic: 2a6e, value: "2a" }, after: 300 ms }
              - { method: StopNotify, meanwhile: { change-services: C0:FF:EE:00:00:01, services: [{ uuid: fff0 }] } }
              - { method: CancelPairing, meanwhile: { drop-link: C0:FF:EE:00:00:01, reason: authentication } }
              - { method: StopDiscovery, meanwhile: { signal: unknown-property, about: C0:FF:EE:00:00:01 }, after: 20 ms }
              - { method: ConnectProfile, meanwhile: { rival: scan }, after: 20 ms }
              - { method: GetDiscoveryFilters, calls: 1, meanwhile: { replug: 0, as: 4, after: 50 ms } }
            events:
              - { at: 10 ms, strength: C0:FF:EE:00:00:01, rssi: -91 }
            """
        try await serve(events) { client in
            try await client.find("-91")
            try await client.call(Self.adapter, "org.bluez.Adapter1.StopDiscovery")
            await client.signal("Flavour")
            #expect(try await client.call(Self.device, "org.bluez.Device1.Connect") == "ok")
            await client.signal("ServicesResolved")
            try await client.call(Self.first, "org.bluez.GattCharacteristic1.StartNotify")
            await client.signal("42")
            try await client.call(Self.first, "org.bluez.GattCharacteristic1.StopNotify")
            await client.signal("0000fff0")
            try await client.call(Self.device, "org.bluez.Device1.CancelPairing")
            await client.signal("org.bluez.Reason.Authentication")
            try await client.call(Self.device, "org.bluez.Device1.ConnectProfile", .string("x"))
            // Only the competing client of the scenario scans, so this signal belongs to its scan.
            await client.signal("Discovering")
            try await client.call(Self.adapter, "org.bluez.Adapter1.GetDiscoveryFilters")
            await client.signal("InterfacesRemoved")
            await client.signal("/org/bluez/hci4")
        }
    }

    @Test func `The daemon crashes and restarts while the bus stays`() async throws {
        let events = """
            faults:
              - { method: GetDiscoveryFilters, meanwhile: { daemon: crash } }
              - { method: GetDiscoveryFilters, meanwhile: { daemon: start }, after: 300 ms }
              - { method: StartDiscovery, meanwhile: { daemon: stop }, after: 1 s }
              - { method: StartDiscovery, meanwhile: { daemon: start }, after: 1500 ms }
            """
        try await serve(events) { client in
            // The reply to this first call proves that the client's subscription to signals is active.
            #expect(try await client.objects().contains("hci0"))
            let answer = try await client.call(Self.adapter, "org.bluez.Adapter1.GetDiscoveryFilters")
            #expect(answer.hasPrefix("ok"))
            await client.signal("InterfacesAdded", "Adapter1")
            #expect(try await client.call(Self.adapter, "org.bluez.Adapter1.StartDiscovery") == "ok")
            await client.signal("InterfacesRemoved", "Adapter1")
            await client.signal("InterfacesAdded", "Adapter1")
            #expect(try await client.objects().contains("hci0"))
        }
    }

    @Test func `Quirks and features of the file take effect`() async throws {
        try await serve("quirks: [Q17, Q20, Q72]\nfeatures: [handle]\n") { client in
            try await client.find(Self.device)
            await client.signal("\"RSSI\"")
            await client.signal("\"RSSI\"")
            // Another connection sends forged signals that the device is connected (Q17). The client must ignore them.
            #expect(!client.lines.contains { $0.contains("\"Connected\"") })
            let known = try await client.objects()
            #expect(!known.contains("\"PowerState\""))
            #expect(try await client.call(Self.device, "org.bluez.Device1.Connect") == "ok")
            await client.signal("ServicesResolved")
            await client.signal("InterfacesAdded")
            #expect(try await client.objects().contains("\"Handle\""))
        }
    }

    @Test func `A bus that the scenario removes ends the program with exit code 3`() async throws {
        try await withFile(Self.peripherals + "events: [{ at: 300 ms, lose-bus: true }]\n") { path in
            let end = await CLIProcess("simulate", path).end()
            #expect(end.code == 3)
            #expect(end.errorLines.count == 1)
            #expect(end.errors.contains("is gone"))
        }
    }

    @Test func `Other commands accept the file, too; --simulate stays everyday`() async throws {
        let address = "C0:FF:EE:00:00:01"
        try await withFile(Self.peripherals) { path in
            let read = await CLIProcess("read", address, "2A6E", "--scenario", path).end()
            #expect(read.code == 0)
            #expect(read.output.contains("2e09"))
            #expect(await CLIProcess("read", address, "2A6E", "--scenario", path, "--simulate").end().code == 0)
        }
        #expect(await CLIProcess("read", "Thermometer", "2A6E", "--simulate").end().output.contains("2e09"))
        #expect(await CLIProcess.scan("--scenario", "crowd") { $0.lines.count > 100 }.lines.count > 100)
    }

    @Test func `Accepts a scenario file in JSON`() async throws {
        let json =
            #"{"peripherals": [{"name": "Lamp", "address": "C0:00:00:00:00:07", "services": [], "#
            + #""advertisement": {"interval": "50 ms", "rssi": -50, "name": "Lamp"}}]}"#
        try await withFile(json) { path in
            let end = await CLIProcess.scan("--scenario", path) { $0.output.contains("Lamp") }
            #expect(end.output.contains("Lamp"))
        }
    }

    @Test(arguments: [
        ("colour: red", ":11: unknown key “colour” of the scenario; expected: one of seed,"),
        ("events: [{ at: -5 s, power: off }]", ":11: invalid value “-5 s” of at; expected: a time of 0 or more,"),
        (
            "faults: [{ method: Connect, error: Nonsense }]",
            ":11: invalid value “Nonsense” of error; expected: an error name such as"
        ),
        ("seed: [", "expected: valid YAML"),
    ])
    func `An error in a file is reported in one line with exit code 64`(_ text: String, _ part: String) async throws {
        try await withFile(Self.peripherals + text + "\n") { path in
            for arguments in [["simulate", path], ["scan", "--scenario", path]] {
                let end = await CLIProcess(list: arguments).end()
                #expect(end.code == 64)
                #expect(end.output.isEmpty)
                #expect(end.errorLines.count == 1)
                #expect(end.errors.hasPrefix("ble-cli: \(path)"))
                #expect(end.errors.contains(part), "\(end.errors)")
            }
        }
    }

    @Test func `A missing file is reported in one line with exit code 64`() async {
        let end = await CLIProcess("simulate", "/nowhere/hall.yaml").end()
        #expect(end.code == 64)
        #expect(
            end.errors == "ble-cli: /nowhere/hall.yaml: no such file; expected: a readable file in YAML.\n")
        let folder = await CLIProcess("simulate", "/tmp/").end()
        #expect(folder.errors == "ble-cli: /tmp/: the file cannot be read; expected: a readable file in YAML.\n")
    }
}
