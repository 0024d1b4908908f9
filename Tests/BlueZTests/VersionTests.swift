import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// What depends on the version of bluetoothd.
    @Suite struct VersionTests {
        private static func processes() throws -> String { try Command.run("pidof", "bluetoothd").output }

        private static func version(_ manager: BluetoothManager) async throws -> BlueZVersion {
            try await manager.daemonVersion.compactMap { $0 }.firstValue()
        }

        @Test(.proves(.S140)) func `The version is that of the running bluetoothd, and diagnose names it`() async throws
        {
            try await Lab.withManager { manager in
                let version = try await Self.version(manager)
                let alias = try Command.run(
                    "busctl", "--system", "get-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "Name")
                print("BlueZ \(version), \(alias.output)")
                #expect(alias.output.contains("BlueZ \(version)\""))
                let diagnosis = try Command.bleCLI("diagnose")
                print(diagnosis.output)
                #expect(diagnosis.status == 0)
                #expect(diagnosis.output.contains("bluetoothd \(version) runs as "))
                #expect(diagnosis.output.contains("filter for services") == (version == BlueZVersion(5, 87)))
            }
        }

        @Test(.proves(.S141, .Q127)) func `A scan for listed services leaves bluetoothd running for a minute`()
            async throws
        {
            try await Lab.withManager { manager in
                let before = try Self.processes()
                let options = ScanOptions(allowsDuplicates: true, listedServicesOnly: true)
                let heard = try await manager.scanForPeripherals(withServices: [0x180D], options: options)
                    .take(for: .seconds(60), scheduler: Lab.clock).allValues()
                print("\(heard.count) advertisements in a minute; bluetoothd \(before)")
                #expect(Set(heard.compactMap(\.peripheral.name)) == ["HRM-0", "HRM-1", "HRM-2", "FLAKY"])
                #expect(try Self.processes() == before)
            }
        }

        @Test(.proves(.Q86)) func `The error of a lost link has the reason from 5.83 on`() async throws {
            try await Lab.withManager { manager in
                let version = try await Self.version(manager)
                let expected: BluetoothError.DisconnectReason = version < BlueZVersion(5, 83) ? .unknown : .remote
                let flaky = try await manager.peripheral(named: "FLAKY")
                let error = await #expect(throws: BluetoothError.self) {
                    _ = try await flaky.connect().ignoreElements().asCompletable().value
                }
                print("\(version): \(error.map(String.init(describing:)) ?? "no error")")
                #expect(error?.kind == .disconnected(expected))
                let notify = try Command.bleCLI("notify", "FLAKY", "2A37", "--reconnect", "--timeout", "30")
                print(notify.errors)
                #expect(
                    notify.errors.contains(
                        expected == .remote
                            ? "the link was closed by the peripheral. Reconnecting." : "the link was lost."))
            }
        }

        @Test(.proves(.Q72, .Q122)) func `The services are complete, and their handles are those of the paths`()
            async throws
        {
            try await Lab.withManager { manager in
                let version = try await Self.version(manager)
                let peripheral = try await manager.peripheral(named: "HRM-0")
                let link = StreamProgress(peripheral.connect())
                try await link.wait { $0.count == 1 || $0.error != nil }
                let services = try await peripheral.discoverServices().allValues()
                let shown: [BluetoothUUID] = [0x1801, 0x180D, 0x180F]
                #expect(services.map(\.uuid) == (version < BlueZVersion(5, 80) ? shown : [0x1800] + shown))
                guard version >= BlueZVersion(5, 69) else { return }
                let tree = try Command.run("busctl", "--system", "--list", "tree", "org.bluez").output
                let paths = tree.split(separator: "\n").map(String.init).filter { $0.contains("F4_00/service") }
                #expect(paths.count > 10)
                for path in paths {
                    let kind =
                        path.contains("/desc") ? "Descriptor1" : path.contains("/char") ? "Characteristic1" : "Service1"
                    let handle = try Command.run(
                        "busctl", "--system", "get-property", "org.bluez", path, "org.bluez.Gatt\(kind)", "Handle")
                    #expect(handle.output == "q \(Int(path.suffix(4), radix: 16) ?? -1)\n", "\(path)")
                }
            }
        }
    }
}
