import Dispatch
import Foundation
import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// The manager's state when the adapter is off or bluetoothd exits. Each test restores both.
    @Suite struct ManagerStateTests {
        private func power(_ isOn: Bool) throws {
            let result = try Command.run(
                "busctl", "--system", "set-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "Powered",
                "b",
                isOn ? "true" : "false")
            #expect(result.status == 0, "\(result.errors)")
        }

        @Test(.proves(.S13)) func `Switching the adapter off ends a scan with poweredOff and changes the state`()
            async throws
        {
            try await Lab.withManager { manager in
                _ = try await manager.scanForPeripherals().firstValue()
                let ended = manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))
                    .scan(0) { count, _ in count + 1 }
                    .do(onNext: { if $0 == 1 { try power(false) } })
                    .ignoreElements().asCompletable()
                let error = await #expect(throws: BluetoothError.self) { try await ended.value }
                #expect(error?.kind == .poweredOff)
                #expect(try await manager.state.firstValue() == .poweredOff)
                let refused = await #expect(throws: BluetoothError.self) {
                    _ = try await manager.scanForPeripherals().firstValue()
                }
                #expect(refused?.kind == .poweredOff)
                try power(true)
                #expect(try await manager.state.filter { $0 == .poweredOn }.firstValue() == .poweredOn)
                #expect(try await manager.scanForPeripherals().firstValue().rssi != nil)
            }
        }

        @Test(.proves(.Q1, .Q2)) func `The state follows the exit and the restart of bluetoothd`() async throws {
            try await Lab.withManager { manager in
                _ = try await manager.peripheral(named: "HRM-0")
                #expect(try Command.run("killall", "-9", "bluetoothd").status == 0)
                let gone = try await manager.state.filter { $0 == .daemonUnavailable }.firstValue()
                #expect(gone == .daemonUnavailable)

                let scan = try Command.bleCLI("scan", "--timeout", "5")
                #expect(scan.status == 3)
                #expect(scan.output.isEmpty)
                #expect(scan.errors.split(separator: "\n").count == 1)
                #expect(scan.errors.contains("bluetoothd is not running"))

                try Outage.startDaemon()
                _ = try await manager.state.filter { $0 == .poweredOn || $0 == .poweredOff }.firstValue()
                try power(true)
                _ = try await manager.state.filter { $0 == .poweredOn }.firstValue()
                // The restarted bluetoothd has lost the session of the earlier scan, so a new scan must start its own
                // session (S15).
                _ = try await manager.peripheral(named: "HRM-0")
            }
        }
    }
}
