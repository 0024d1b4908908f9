import DBus
import Dispatch
import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    @Suite struct RSSITests {
        @Test(.proves(.S83)) func `readRSSI returns the RSSI of the controller, also during a scan`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    let strength = try await peripheral.readRSSI().value
                    #expect(strength == -52)
                    // The reads must also work during a scan with many advertising reports.
                    let scan = manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)).subscribe()
                    for _ in 0..<20 {
                        let strength = try await peripheral.readRSSI().value
                        #expect(strength == -52)
                    }
                    scan.dispose()
                }
            }
        }

        @Test(.proves(.S83)) func `readRSSI fails with notConnected without a link`()
            async throws
        {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-1")
                let error = await #expect(throws: BluetoothError.self) { try await peripheral.readRSSI().value }
                #expect(error?.kind == .notConnected)
                #expect(try await Self.controllerError(of: peripheral.address, on: "hci0") == .notConnected)
                #expect(try await Self.controllerError(of: peripheral.address, on: "hci7") == .noAdapter)
            }
        }

        /// Reads the RSSI through `HCIController`, without bluetoothd and the manager. Returns the error.
        static func controllerError(of address: BluetoothAddress, on adapter: String) async throws -> BluetoothError
            .Kind?
        {
            let result = await withCheckedContinuation { continuation in
                HCIController().readRSSI(of: address, on: adapter, deadline: .seconds(5)) {
                    continuation.resume(returning: $0)
                }
            }
            guard case .failure(let error) = result else { return nil }
            return error.kind
        }
    }
}
