import DaemonInterfaces
import RxBluetooth
import Testing

extension LabTests {
    /// Compares the real bluetoothd with the table of interfaces that also describes the simulation.
    @Suite struct IntrospectionTests {
        private func busctl(_ words: String...) throws -> String {
            let result = try Command.run(["timeout", "300", "busctl", "--no-pager"] + words)
            try #require(result.status == 0, "busctl \(words): \(result.errors)")
            return result.output
        }

        @Test func `bluetoothd has exactly the interfaces and members of the table of its version`() async throws {
            let table = BlueZInterfaces(version: Lab.version)
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    _ = try await peripheral.discoverServices().allValues()
                    let device = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_00"
                    let tree = try busctl("--list", "tree", "org.bluez").split(separator: "\n").map(String.init)
                    let paths = tree.filter { !$0.hasPrefix("/org/bluez/hci0/") || $0.hasPrefix(device) }
                    #expect(paths.contains("/org/bluez/test") == (Lab.version < "5.87"))
                    #expect(paths.contains(device + "/service0006/char0007/desc0009"))
                    for path in paths {
                        let shown = BusctlDescription(busctl: try busctl("introspect", "org.bluez", path))
                        #expect(table.differences(shown, at: path) == [])
                    }
                }
            }
        }
    }
}
