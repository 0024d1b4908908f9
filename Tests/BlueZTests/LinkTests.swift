import Dispatch
import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Links that another program makes too, that pairing ends, or that never come up.
    @Suite struct LinkTests {
        private static func value(
            of peripheral: Peripheral, _ service: BluetoothUUID, _ characteristic: BluetoothUUID
        ) -> Observable<[UInt8]> {
            peripheral.connect().flatMap { $0.discoverServices([service]) }
                .flatMap { $0.discoverCharacteristics([characteristic]) }.flatMap { $0.readValue() }
        }

        @Test(.proves(.Q76, .Q119)) func `Two managers that connect to one peripheral at once both read its value`()
            async throws
        {
            try await Ground.withManager { first in
                let second = BluetoothManager(queue: DispatchQueue(label: "second"))
                let one = try await first.peripheral(named: "HRM-2")
                let two = try await second.peripheral(named: "HRM-2")
                let values = [one, two].map { Notes(Self.value(of: $0, 0x180D, 0x2A38)) }
                for value in values {
                    try await value.wait { $0.count == 1 || $0.error != nil }
                    #expect(value.now.error == nil)
                    #expect(value.now.last == [3])
                }
                try await second.close().value
            }
        }

        @Test(.proves(.Q121)) func `A read that the peripheral refuses to pair for names its target and pairing`() async throws
        {
            try await Ground.withManager { manager in
                let peripheral = try await manager.peripheral(named: "REFUSING")
                let link = Notes(peripheral.connect())
                try await link.wait { $0.count == 1 }
                let secret = try await peripheral.characteristic(0xFFC0, 0xFFC1)
                let open = try await peripheral.characteristic(0xFFC0, 0xFFC2)
                let reads = [secret, open].map { Notes($0.readValue().asObservable()) }
                try await link.wait { $0.error != nil }
                for read in reads { try await read.wait { $0.error != nil } }
                let error = try #require(reads[0].now.error)
                print("REFUSING: \(error)")
                #expect(error.operation == .read)
                #expect(error.target == "FFC1 of F0:F1:F2:F3:F4:20")
                #expect(error.advice?.contains("pair with the peripheral") == true)
                // One cause for all.
                #expect(error.kind == .disconnected(.unknown))
                #expect(reads[1].now.error?.kind == error.kind && link.now.error?.kind == error.kind)
            }
        }

        @Test(.proves(.Q123)) func `Connecting to a peripheral that never answers times out at the deadline`()
            async throws
        {
            try await Ground.withManager { manager in
                let peripheral = try await manager.peripheral(named: "MUTE")
                let states = Notes(peripheral.connectionState)
                let start = Moment.now
                let link = Notes(peripheral.connect())
                let end = try await link.wait(atMost: 60) { $0.error != nil }.time - start
                print("MUTE: \(link.now.error.map(String.init(describing:)) ?? "") after \(end) s")
                #expect((29.5...35).contains(end))
                #expect(link.now.error?.kind == .timedOut)
                #expect(link.now.error?.operation == .connect)
                // Nothing was told before: none, connecting, none.
                try await states.wait { $0.count >= 3 }
                #expect(states.now.count <= 4)
                try await manager.settled().value
            }
        }
    }
}
