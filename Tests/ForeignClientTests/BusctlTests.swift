import DaemonInterfaces
import Testing

extension ForeignClientTests {
    /// Compares the output of busctl for the simulation with the table of bluetoothd in its version.
    ///
    /// `IntrospectionTests` in BlueZTests compares the same table with the real bluetoothd.
    struct BusctlTests {
        private static let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"

        /// Returns a simulation with a connected strap. The link remains after bluetoothctl exits (Q75).
        private func connected() throws -> SimulateProcess {
            let simulation = try SimulateProcess()
            let user = try BluetoothctlSession(on: simulation)
            try user.find("C0:FF:EE:00:00:01 Heart rate strap")
            try user.say("connect C0:FF:EE:00:00:01", until: "ServicesResolved: yes")
            try user.quit()
            return simulation
        }

        private func busctl(_ simulation: SimulateProcess, _ words: String...) throws -> String {
            let end = try simulation.run(["busctl", "--address=\(simulation.bus)", "--no-pager"] + words)
            try #require(end.code == 0, "busctl \(words): \(end.output)")
            return end.output
        }

        @Test func `busctl shows the objects of bluetoothd, with their interfaces, members and types`() throws {
            let simulation = try connected()
            let tree = try busctl(simulation, "--list", "tree", "org.bluez").split(separator: "\n").map(String.init)
            let paths = tree.filter { !$0.hasPrefix("/org/bluez/hci0/") || $0.hasPrefix(Self.device) }
            // The paths contain the handles of the strap: first those of its services GAP and GATT, then those of the
            // others.
            let gap = ["/service0001", "/service0001/char0002", "/service0001/char0004"]
            let attributes =
                (SimulateProcess.showsGAP ? gap : []) + [
                    "/service0006", "/service0006/char0007", "/service0006/char0007/desc0009", "/service000a",
                    "/service000a/char000b", "/service000a/char000b/desc000d", "/service000a/char000e",
                    "/service000a/char0010", "/service0012", "/service0012/char0013", "/service0012/char0013/desc0015",
                    "/service0016", "/service0016/char0017", "/service0016/char0019", "/service0016/char001b",
                ]
            #expect(
                paths == ["/", "/org", "/org/bluez", "/org/bluez/hci0", Self.device]
                    + attributes.map { Self.device + $0 })
            let table = BlueZInterfaces(version: SimulateProcess.version)
            for path in paths {
                let shown = BusctlDescription(busctl: try busctl(simulation, "introspect", "org.bluez", path))
                #expect(table.differences(shown, at: path, mayLack: Set(BlueZInterfaces.notForCentrals.keys)) == [])
            }
        }

        @Test func `busctl reads and writes properties, calls methods and prints bluetoothd errors`() throws {
            let simulation = try connected()
            func call(_ words: String...) throws -> String {
                try simulation.run(["busctl", "--address=\(simulation.bus)"] + words).output
            }
            let adapter = ["org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1"]
            func property(_ verb: String, _ rest: String...) throws -> String {
                try simulation.run(["busctl", "--address=\(simulation.bus)", verb] + adapter + rest).output
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
