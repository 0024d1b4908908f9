import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Advertisements on the real bluetoothd, which accepts a fixed number of advertisements at a time.
    @Suite struct AdvertisingTests {
        @Test(.proves(.S86, .Q35, .Q113, .Q114))
        func `Advertising fails when no slot is free, and leaves Discoverable off`()
            async throws
        {
            try await Lab.withManager { manager in
                let advertisement = Advertisement(services: [0x180D], manufacturerData: [0x004C: [1]])
                try await manager.advertise(advertisement).firstValue()
                try await manager.settled().value
                #expect(try Self.instances() == 0)
                let error = await #expect(throws: BluetoothError.self) {
                    _ = try await Observable.merge((0..<40).map { _ in manager.advertise(advertisement) })
                        .ignoreElements().asCompletable().value
                }
                #expect(error?.kind == .noFreeSlot)
                try await manager.settled().value
                let long = Advertisement(manufacturerData: [0x004C: Array(repeating: 1, count: 60)])
                var refused: BluetoothError?
                // bluetoothd frees the slots after its replies, when it has nothing else to do.
                for _ in 0..<100 where refused == nil || refused?.kind == .noFreeSlot {
                    try await Lab.pass(.milliseconds(100))
                    refused = await #expect(throws: BluetoothError.self) {
                        _ = try await manager.advertise(long).firstValue()
                    }
                }
                #expect(refused?.kind == .invalidArgument)
                try await manager.settled().value
                #expect(try Self.instances() == 0)
                let discoverable = try Command.run(
                    "busctl", "--system", "get-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1",
                    "Discoverable")
                #expect(discoverable.output == "b false\n")
            }
        }

        private static func instances() throws -> Int? {
            let result = try Command.run(
                "busctl", "--system", "get-property", "org.bluez", "/org/bluez/hci0", "org.bluez.LEAdvertisingManager1",
                "ActiveInstances")
            return result.output.split(separator: " ").last.flatMap { Int($0.dropLast()) }
        }
    }
}
