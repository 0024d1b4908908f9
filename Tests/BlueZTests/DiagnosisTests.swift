import Foundation
import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Diagnosis on a real bluetoothd. Each test restores the state that it changed.
    @Suite struct DiagnosisTests {
        @Test func `diagnose reports an idle manager, our scan and the scan of another program`() async throws {
            try await Lab.withManager { manager in
                let well = try await manager.diagnose().value
                #expect(well.cause == .idle && well.switches.map(\.name) == ["hci0"])
                let scan = StreamProgress(manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
                try await scan.wait { $0.count > 0 }
                let busy = try await manager.diagnose().value
                #expect(busy.scans.first?.step == .active && busy.scans.first?.sinceAdvertisement != nil)
                let other = try Command.bleCLI("diagnose", "--timeout", "20")
                #expect(other.status == 0 && other.output.contains("Another program scans with hci0."))
                scan.dispose()
                try await manager.settled().value
            }
        }

        @Test func `diagnose reports a bluetoothd that hangs, also from a new process`()
            async throws
        {
            try await Lab.withManager { manager in
                #expect(try await manager.diagnose().value.cause == .idle)
                #expect(try Command.run("killall", "-STOP", "bluetoothd").status == 0)
                let hung = try await manager.diagnose().value
                let fresh = try Command.bleCLI("diagnose", "--json", "--timeout", "20")
                #expect(try Command.run("killall", "-CONT", "bluetoothd").status == 0)
                #expect(hung.cause == .daemonSilent && hung.adapters.count == 1)
                #expect(fresh.status == 3)
                #expect(try fresh.objects().first?["cause"] as? String == "daemon-silent")
                #expect(try await manager.diagnose().value.cause == .idle)
            }
        }

        @Test(.proves(.Q30)) func `diagnose names the rfkill switch that blocks the adapter`() async throws {
            let soft = URL(fileURLWithPath: "/sys/class/rfkill/rfkill0/soft")
            try await Lab.withManager { manager in
                #expect(try await manager.diagnose().value.cause == .idle)
                try Data("1".utf8).write(to: soft)
                _ = try await manager.state.filter { $0 != .poweredOn }.firstValue()
                _ = try await manager.state.filter { $0 == .blocked }.firstValue()
                let blocked = try await manager.diagnose().value
                try Data("0".utf8).write(to: soft)
                #expect(blocked.cause == .blocked)
                #expect(blocked.switches == [RadioSwitch(name: "hci0", isSoftBlocked: true, isHardBlocked: false)])
                #expect(blocked.findings.first?.advice == "Unblock it: rfkill unblock bluetooth.")
                try await Outage.power.end()
                _ = try await manager.state.filter { $0 == .poweredOn }.firstValue()
            }
        }
    }
}
