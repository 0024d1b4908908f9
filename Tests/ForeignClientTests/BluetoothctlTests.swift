import Foundation
import Testing

extension ForeignClientTests {
    /// Tests with bluetoothctl, the client program of BlueZ.
    struct BluetoothctlTests {
        private static let strap = "C0:FF:EE:00:00:01"

        private func run(_ simulation: SimulateProcess, _ words: String...) throws -> String {
            let end = try simulation.run(["bluetoothctl"] + words)
            try #require(end.code == 0, "bluetoothctl \(words): \(end.output)")
            return BluetoothctlSession.plain(Array(end.output.utf8))
        }

        @Test func `bluetoothctl lists, shows and scans with one process for each command`() throws {
            let simulation = try SimulateProcess()
            #expect(try run(simulation, "list") == "Controller 00:1A:7D:DA:71:01 simulation [default]\n")
            let adapter = try run(simulation, "show", "00:1A:7D:DA:71:01")
            for line in [
                "Name: simulation", "Alias: simulation", "Powered: yes", "PowerState: on", "Discoverable: no",
                "DiscoverableTimeout: 0x000000b4", "Discovering: no", "Roles: central", "Roles: peripheral",
                "SupportedInstances: 0x05 (5)", "SupportedMonitorTypes: or_patterns",
            ] {
                #expect(adapter.contains("\t\(line)\n"), "\(adapter)")
            }
            let scan = try run(simulation, "--timeout", "2", "scan", "on")
            #expect(scan.contains("Discovery started\n"), "\(scan)")
            for device in ["1 Heart rate strap", "2 Thermometer", "3 Door beacon", "4 Loose plug", "5 Twin sensor"] {
                #expect(scan.contains("[NEW] Device C0:FF:EE:00:00:0\(device)\n"), "\(scan)")
            }
            #expect(try run(simulation, "devices").contains("Device \(Self.strap) Heart rate strap\n"))
        }

        @Test func `The documented commands show the devices of the scenario file`() throws {
            let commands = try ClientPrograms.documented(
                in: "docs/ble-cli.md", below: "## Simulated devices for other programs")
            try #require(commands.map(\.first) == ["ble-cli", "bluetoothctl"])
            let serve = commands[0]
            try #require(serve.count == 3 && serve[1] == "simulate", "\(serve)")
            let simulation = try SimulateProcess(ClientPrograms.root.appendingPathComponent(serve[2]).path)
            let end = try simulation.run(commands[1])
            let scan = BluetoothctlSession.plain(Array(end.output.utf8))
            #expect(end.code == 0, "\(scan)")
            // The name of the third device is not advertised, so its alias is the address.
            for device in ["C0:FF:EE:00:00:01 Hall", "C0:FF:EE:00:00:02 Lock", "4A:00:00:00:00:03 4A-00-00-00-00-03"] {
                #expect(scan.contains("[NEW] Device \(device)\n"), "\(scan)")
            }
        }

        @Test func `bluetoothctl connects, shows, pairs, disconnects and removes`() throws {
            let simulation = try SimulateProcess()
            let user = try BluetoothctlSession(on: simulation)
            try user.find("C0:FF:EE:00:00:01 Heart rate strap")
            let connection = try user.say("connect \(Self.strap)", until: "Connection successful\n")
            #expect(connection.contains("[CHG] Device \(Self.strap) Connected: yes\n"), "\(connection)")
            try user.wait(until: "[CHG] Device \(Self.strap) ServicesResolved: yes\n")
            let info = try user.ask("info \(Self.strap)")
            for line in [
                "Name: Heart rate strap", "Appearance: 0x0341", "Paired: no", "Bonded: no", "Trusted: no",
                "Connected: yes",
                "UUID: Heart Rate                (0000180d-0000-1000-8000-00805f9b34fb)",
            ] {
                #expect(info.contains("\t\(line)\n"), "\(info)")
            }
            #expect(try user.ask("devices Connected").contains("\nDevice \(Self.strap) Heart rate strap\n"))

            let pairing = try user.say("pair \(Self.strap)", until: "Pairing successful\n")
            #expect(pairing.contains("[CHG] Device \(Self.strap) Bonded: yes\n"), "\(pairing)")
            #expect(pairing.contains("[CHG] Device \(Self.strap) Paired: yes\n"), "\(pairing)")
            let paired = try user.ask("info \(Self.strap)")
            for line in ["Paired: yes", "Bonded: yes", "Connected: yes", "Battery Percentage: 0x57 (87)"] {
                #expect(paired.contains("\t\(line)\n"), "\(paired)")
            }
            if SimulateProcess.version == "5.66" {
                // The test cancels this pairing: bluetoothd 5.66 does not reply to Pair of a bonded device otherwise
                // (Q118).
                #expect(try !user.ask("pair \(Self.strap)").contains("Failed to pair"))
                try user.say(
                    "cancel-pairing \(Self.strap)", until: "Failed to pair: org.bluez.Error.AuthenticationCanceled\n")
            } else {
                try user.say("pair \(Self.strap)", until: "Failed to pair: org.bluez.Error.AlreadyExists\n")
            }
            try user.say("trust \(Self.strap)", until: "Changing \(Self.strap) trust succeeded\n")

            try user.say("disconnect \(Self.strap)", until: "Successful disconnected\n")
            #expect(try !user.ask("devices Connected").contains("\nDevice"))
            #expect(try user.ask("devices Bonded").contains("\nDevice \(Self.strap) Heart rate strap\n"))
            let removal = try user.say("remove \(Self.strap)", until: "Device has been removed\n")
            #expect(removal.contains("[DEL] Device \(Self.strap) Heart rate strap\n"), "\(removal)")
            #expect(try !user.ask("devices").contains("\nDevice \(Self.strap)"))
            try user.quit()
        }

        @Test func `bluetoothctl lists, reads, writes and subscribes to attributes`() throws {
            let simulation = try SimulateProcess()
            let user = try BluetoothctlSession(on: simulation)
            try user.find("C0:FF:EE:00:00:01 Heart rate strap")
            try user.say("connect \(Self.strap)", until: "ServicesResolved: yes\n")
            try user.say("menu gatt", until: "export")
            let attributes = try user.ask("list-attributes \(Self.strap)")
            let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
            for (path, uuid, name) in [
                ("service000a", "180d", "Heart Rate"), ("service000a/char000b", "2a37", "Heart Rate Measurement"),
                ("service000a/char000b/desc000d", "2902", "Client Characteristic Configuration"),
            ] {
                let text = "\t\(device)/\(path)\n\t0000\(uuid)-0000-1000-8000-00805f9b34fb\n\t\(name)\n"
                #expect(attributes.contains(text), "\(attributes)")
            }

            try user.say("select-attribute 00002a39-0000-1000-8000-00805f9b34fb", until: "char0010]")
            try user.say("write 0x2a", until: "Attempting to write \(device)/service000a/char0010\n")
            try user.say("read", until: "  2a ")
            try user.say("select-attribute 00002a37-0000-1000-8000-00805f9b34fb", until: "char000b]")
            try user.say("write 0x2a", until: "Failed to write: org.bluez.Error.NotSupported\n")
            try user.say("notify on", until: "Notify started\n")
            for value in ["3e", "3f", "40"] { try user.wait(until: "  00 \(value) ") }
            try user.say("notify off", until: "Notify stopped\n")
            try user.say("acquire-notify", until: "AcquireNotify success: fd ")
            try user.wait(until: "MTU 517\n")
            try user.wait(until: "  00 3")
            try user.quit()
        }

        @Test func `bluetoothctl shows, requests and confirms the passkey of a pairing`() throws {
            let simulation = try SimulateProcess(ClientPrograms.file("pairing.yaml"))
            let user = try BluetoothctlSession(on: simulation)
            try user.find("C0:FF:EE:00:00:12 Keypad", "C0:FF:EE:00:00:13 Display", "C0:FF:EE:00:00:14 Comparer")
            // The agent shows a passkey, which the simulated user types on the device.
            try user.say("pair C0:FF:EE:00:00:12", until: "[agent] Passkey: 012345\n")
            try user.wait(until: "Pairing successful\n")

            try user.say("pair C0:FF:EE:00:00:13", until: "[agent] Enter passkey (number in 0-999999): ")
            try user.say("111111", until: "Failed to pair: org.bluez.Error.AuthenticationFailed\n")
            try user.say("connect C0:FF:EE:00:00:13", until: "Connection successful\n")
            try user.say("pair C0:FF:EE:00:00:13", until: "[agent] Enter passkey (number in 0-999999): ")
            try user.say("123456", until: "Pairing successful\n")

            try user.say("pair C0:FF:EE:00:00:14", until: "[agent] Confirm passkey 004711 (yes/no): ")
            try user.say("no", until: "Failed to pair: org.bluez.Error.AuthenticationFailed\n")
            try user.quit()
        }

        @Test func `bluetoothctl reports devices from an advertisement monitor`() throws {
            let simulation = try SimulateProcess()
            let user = try BluetoothctlSession(on: simulation)
            try user.say("menu monitor", until: "export")
            // This is the pattern of an iBeacon: company 4C, type 2, length 21.
            try user.say("add-or-pattern 0 255 4c000215", until: "Advertisement Monitor 0 added\n")
            // The name is in the scan response, which a monitor does not request, so the alias is the address.
            let seen = try user.wait(until: "[NEW] Device C0:FF:EE:00:00:03 C0-FF-EE-00-00-03\n")
            #expect(seen.contains("Advertisement monitor 0 activated\n"))
            try user.wait(until: "Advertisement monitor 0 found device /org/bluez/hci0/dev_C0_FF_EE_00_00_03\n")
            #expect(try !user.ask("remove-pattern all").contains("[NEW]"), "Only matching devices appear.")
            try user.quit()
        }
    }
}
