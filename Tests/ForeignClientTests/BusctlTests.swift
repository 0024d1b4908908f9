import Testing

extension ForeignClientTests {
    /// What systemd's tool for buses shows of the simulation is what it shows of bluetoothd 5.66.
    struct BusctlTests {
        private static let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"

        /// A simulation in which the strap is connected. The link outlives the program that made it (Q75).
        private func connected() throws -> Served {
            let served = try Served()
            _ = try served.bluetoothctl(["--timeout", "2", "scan", "on"])
            _ = try served.bluetoothctl(["connect", "C0:FF:EE:00:00:01"])
            _ = try served.run([
                "busctl", "--address=\(served.bus)", "wait", "org.bluez", Self.device, "org.bluez.Device1",
            ])
            return served
        }

        private func busctl(_ served: Served, _ words: String...) throws -> String {
            let end = try served.run(["busctl", "--address=\(served.bus)", "--no-pager"] + words)
            try #require(end.code == 0, "busctl \(words): \(end.output)")
            return end.output
        }

        @Test func `busctl shows the tree of bluetoothd`() throws {
            let served = try connected()
            let paths = Set(try busctl(served, "--list", "tree", "org.bluez").split(separator: "\n").map(String.init))
            for path in ["/", "/org", "/org/bluez", "/org/bluez/hci0", Self.device] { #expect(paths.contains(path)) }
            // The handles are those that the GATT server of the strap has: GAP and GATT, then its own services.
            let below = paths.filter { $0.hasPrefix(Self.device + "/") }.map { $0.dropFirst(Self.device.count) }
            #expect(
                below.sorted() == [
                    "/service0006", "/service0006/char0007", "/service0006/char0007/desc0009", "/service000a",
                    "/service000a/char000b", "/service000a/char000b/desc000d", "/service000a/char000e",
                    "/service000a/char0010", "/service0012", "/service0012/char0013",
                    "/service0012/char0013/desc0015", "/service0016", "/service0016/char0017",
                    "/service0016/char0019", "/service0016/char001b",
                ])
        }

        @Test func `busctl shows the interfaces of bluetoothd, with their members and types`() throws {
            let served = try connected()
            let objects: [(path: String, interfaces: Set<String>)] = [
                ("/", ["Introspectable", "ObjectManager"]),
                ("/org/bluez/hci0", ["Introspectable", "Properties", "Adapter1"]),
                (Self.device, ["Introspectable", "Properties", "Device1"]),
                (Self.device + "/service000a", ["Introspectable", "Properties", "GattService1"]),
                (Self.device + "/service000a/char000b", ["Introspectable", "Properties", "GattCharacteristic1"]),
                (Self.device + "/service000a/char000b/desc000d", ["Introspectable", "Properties", "GattDescriptor1"]),
            ]
            for object in objects {
                let shown = Shown(busctl: try busctl(served, "introspect", "org.bluez", object.path)).interfaces
                #expect(object.interfaces.isSubset(of: shown.keys.map { String($0.split(separator: ".").last ?? "") }))
                for (name, members) in shown {
                    let real = try #require(BlueZ566.interfaces[name], "\(object.path) has \(name)")
                    #expect(members.subtracting(real.members) == [], "\(name) has these, and those of bluetoothd not")
                    let lacking = real.members.subtracting(members).subtracting(real.mayLack)
                    #expect(lacking == [], "\(name) lacks these")
                }
            }
        }
    }
}
