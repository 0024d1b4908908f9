import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Connections that are shared, disposed of, refused by the peripheral or never answered.
    @Suite struct ConnectionTests {
        private static func value(
            of peripheral: Peripheral, _ service: BluetoothUUID, _ characteristic: BluetoothUUID
        ) -> Observable<[UInt8]> {
            peripheral.connect().flatMap { $0.discoverServices([service]) }
                .flatMap { $0.discoverCharacteristics([characteristic]) }.flatMap { $0.readValue() }
        }

        @Test(.proves(.Q76, .Q119)) func `Two managers that connect to one peripheral at once both read its value`()
            async throws
        {
            try await Lab.withManager { first in
                let second = Lab.manager("second")
                let one = try await first.peripheral(named: "HRM-2")
                let two = try await second.peripheral(named: "HRM-2")
                let values = [one, two].map { StreamProgress(Self.value(of: $0, 0x180D, 0x2A38)) }
                for value in values {
                    try await value.wait { $0.count == 1 || $0.error != nil }
                    #expect(value.now.error == nil)
                    #expect(value.now.last == [3])
                }
                try await second.close().value
            }
        }

        @Test(.proves(.Q121)) func `A read error after a refused pairing names the characteristic and pairing`()
            async throws
        {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "REFUSING")
                let link = StreamProgress(peripheral.connect())
                try await link.wait { $0.count == 1 }
                let secret = try await peripheral.characteristic(0xFFC0, 0xFFC1)
                let open = try await peripheral.characteristic(0xFFC0, 0xFFC2)
                let reads = [secret, open].map { StreamProgress($0.readValue().asObservable()) }
                try await link.wait { $0.error != nil }
                for read in reads { try await read.wait { $0.error != nil } }
                let error = try #require(reads[0].now.error)
                print("REFUSING: \(error)")
                #expect(error.operation == .read)
                #expect(error.target == "FFC1 of F0:F1:F2:F3:F4:20")
                #expect(error.isPairingSuspected)
                // From 5.67 on, the operation that bluetoothd has lost shows the cause (Q126).
                let isKnown = !(Lab.version < "5.67")
                let advice = isKnown ? "put it into pairing mode" : "pair with the peripheral"
                #expect(error.advice?.contains(advice) == true)
                // Both reads and the connection fail with the same cause.
                #expect(error.kind == .disconnected(isKnown ? .authentication : Lab.reasonOfLoss))
                #expect(reads[1].now.error?.kind == error.kind && link.now.error?.kind == error.kind)
            }
        }

        @Test(.proves(.Q123)) func `Connecting to a peripheral that never answers times out at the deadline`()
            async throws
        {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "MUTE")
                let states = StreamProgress(peripheral.connectionState)
                let start = Moment.now
                let link = StreamProgress(peripheral.connect())
                let end = try await link.wait(atMost: 60) { $0.error != nil }.time - start
                print("MUTE: \(link.now.error.map(String.init(describing:)) ?? "") after \(end) s")
                #expect(end >= 29.5)
                try MachineSpeed.expect(end, isBelow: 35)
                #expect(link.now.error?.kind == .timedOut)
                #expect(link.now.error?.operation == .connect)
                // The emitted states are disconnected, connecting and disconnected.
                try await states.wait { $0.count >= 3 }
                #expect(states.now.count <= 4)
                try await manager.settled().value
            }
        }

        @Test(.proves(.S26, .S27, .S32, .S41, .S43))
        func `A connection is shared, and a second connect fails with alreadyConnected`() async throws {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-0")
                let shared = peripheral.connect().share(replay: 1, scope: .whileConnected)
                let changes = manager.connectionChanges.map(\.state).take(4).toArray()
                async let changed = changes.value
                let kinds =
                    try await shared
                    .flatMap { _ in shared.take(1).asObservable() }
                    .flatMap {
                        $0.connect().map { _ in BluetoothError.Kind?.none }.catch {
                            .just(($0 as? BluetoothError)?.kind)
                        }
                    }
                    .take(1).allValues()
                #expect(kinds == [.alreadyConnected])
                try await manager.settled().value
                let states = try await changed
                #expect(states.prefix(3) == [.connecting, .connected, .disconnecting])
                #expect(states.count == 4)
            }
        }

        @Test(.proves(.S30, .S44, .S45)) func `Ten connections disposed of during or after connecting leave no link`()
            async throws
        {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-1")
                for cycle in 0..<10 {
                    let link = peripheral.connect()
                    if cycle.isMultiple(of: 2) {
                        _ = try await link.firstValue()
                    } else {
                        // The connection is disposed of as soon as its state is connecting.
                        _ = try await peripheral.connectionState.filter { $0 == .connecting }.take(1)
                            .alongside(link).firstValue()
                    }
                    try await manager.settled().value
                    let connected = try Command.run(
                        "busctl", "--system", "get-property", "org.bluez", "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01",
                        "org.bluez.Device1", "Connected")
                    #expect(connected.output != "b true\n")
                }
                _ = try await peripheral.connect().firstValue()
            }
        }

        @Test(.proves(.S33, .S46, .S89)) func `Known and connected peripherals are retrieved as equal peripherals`()
            async throws
        {
            try await Lab.withManager { manager in
                let strap = try await manager.peripheral(named: "HRM-0")
                let twins = try await manager.peripheral(named: "TWINS")
                let known = try await manager.retrievePeripherals(withAddresses: [
                    twins.address, "00:00:00:00:00:01", strap.address,
                ]).value
                #expect(known == [twins, strap])
                try await manager.withConnection(to: "HRM-0") { _ in
                    let connected = try await manager.retrieveConnectedPeripherals().value
                    #expect(connected == [strap])
                    let others = try await manager.retrieveConnectedPeripherals(withServices: [0xFFD0]).value
                    #expect(others.isEmpty)
                }
            }
        }
    }
}
