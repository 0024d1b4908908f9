import DaemonInterfaces
import Testing

extension ForeignClientTests {
    /// What systemd's tool for buses shows of the simulation is what it shows of bluetoothd 5.66. That the table of the latter is
    /// true, `IntrospectionTests` of the suite BlueZTests shows in the virtual machine.
    struct BusctlTests {
        private static let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"

        /// A simulation in which the strap is connected. The link outlives the program that made it (Q75).
        private func connected() throws -> Served {
            let served = try Served()
            let user = try Bluetoothctl(on: served)
            try user.find("C0:FF:EE:00:00:01 Heart rate strap")
            try user.say("connect C0:FF:EE:00:00:01", until: "ServicesResolved: yes")
            try user.quit()
            return served
        }

        private func busctl(_ served: Served, _ words: String...) throws -> String {
            let end = try served.run(["busctl", "--address=\(served.bus)", "--no-pager"] + words)
            try #require(end.code == 0, "busctl \(words): \(end.output)")
            return end.output
        }

        @Test func `busctl shows the objects of bluetoothd, with their interfaces, members and types`() throws {
            let served = try connected()
            let tree = try busctl(served, "--list", "tree", "org.bluez").split(separator: "\n").map(String.init)
            let paths = tree.filter { !$0.hasPrefix("/org/bluez/hci0/") || $0.hasPrefix(Self.device) }
            // The handles are those that the GATT server of the strap has: GAP and GATT, then its own services.
            let attributes = [
                "/service0006", "/service0006/char0007", "/service0006/char0007/desc0009", "/service000a",
                "/service000a/char000b", "/service000a/char000b/desc000d", "/service000a/char000e",
                "/service000a/char0010", "/service0012", "/service0012/char0013", "/service0012/char0013/desc0015",
                "/service0016", "/service0016/char0017", "/service0016/char0019", "/service0016/char001b",
            ]
            #expect(
                paths == ["/", "/org", "/org/bluez", "/org/bluez/hci0", Self.device]
                    + attributes.map { Self.device + $0 })
            for path in paths {
                let shown = Shown(busctl: try busctl(served, "introspect", "org.bluez", path))
                #expect(BlueZ566.differences(shown, at: path, mayLack: Set(BlueZ566.notForCentrals.keys)) == [])
            }
        }

        @Test func `busctl reads and writes properties, calls methods and prints bluetoothd errors`() throws {
            let served = try connected()
            func call(_ words: String...) throws -> String {
                try served.run(["busctl", "--address=\(served.bus)"] + words).output
            }
            let adapter = ["org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1"]
            func property(_ verb: String, _ rest: String...) throws -> String {
                try served.run(["busctl", "--address=\(served.bus)", verb] + adapter + rest).output
            }
            #expect(try property("get-property", "Alias", "Powered") == "s \"simulation\"\nb true\n")
            #expect(try property("set-property", "Alias", "s", "gateway") == "")
            #expect(try property("get-property", "Alias") == "s \"gateway\"\n")
            #expect(try property("set-property", "Alias", "u", "1").contains("Invalid"))
            #expect(try property("call", "StopDiscovery") == "Call failed: No discovery started\n")
            #expect(
                try call(
                    "call", "org.bluez", Self.device + "/service0012/char0013", "org.bluez.GattCharacteristic1",
                    "ReadValue", "a{sv}", "0") == "ay 1 87\n")
        }
    }
}
