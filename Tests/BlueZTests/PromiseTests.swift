import DBus
import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Promises that a real bluetoothd can be asked to keep, and that no other suite asks for.
    @Suite struct PromiseTests {
        @Test(.proves(.S18, .S19)) func `Scan filters match names and masked manufacturer data`() async throws {
            try await Ground.withManager { manager in
                let data = try DataPattern([0x01, 0xF2], mask: [0xFF, 0x0F])
                let fitting = ScanFilter(name: .prefix("HRM-"), manufacturerData: [0x4C: data])
                let heard = try await manager.scanForPeripherals(options: ScanOptions(filters: [fitting]))
                    .take(3).allValues()
                #expect(Set(heard.compactMap(\.peripheral.name)) == ["HRM-0", "HRM-1", "HRM-2"])
                let other = try DataPattern([0x01, 0xF2])
                let filters = [ScanFilter(manufacturerData: [0x4C: other]), ScanFilter(name: .exact("TWINS"))]
                let second = try await manager.scanForPeripherals(options: ScanOptions(filters: filters))
                    .take(1).allValues()
                #expect(second.map(\.peripheral.name) == ["TWINS"])
            }
        }

        @Test(.proves(.S21, .S24)) func `Presence reports a device as lost when it is connected and stops advertising`()
            async throws
        {
            try await Ground.withManager { manager in
                let options = ScanOptions(filters: [ScanFilter(name: .exact("HRM-2"))])
                let peripheral = try await manager.peripheral(named: "HRM-2")
                let presence = PresenceOptions(silence: .seconds(5), includesConnected: false)
                let changes = try await manager.observePresence(options: options, presence: presence)
                    .map { change in
                        switch change {
                        case .found: "found"
                        case .lost: "lost"
                        }
                    }
                    .alongside(peripheral.connect())
                    .take(2).allValues()
                #expect(changes == ["found", "lost"])
            }
        }

        @Test(.proves(.S26, .S27, .S32, .S41, .S43))
        func `A connection is shared, and a second connect fails with alreadyConnected`() async throws {
            try await Ground.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-0")
                let shared = peripheral.connect().share(replay: 1, scope: .whileConnected)
                let changes = manager.connectionChanges.map(\.state).take(4).toArray()
                async let told = changes.value
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
                let states = try await told
                #expect(states.prefix(3) == [.connecting, .connected, .disconnecting])
                #expect(states.count == 4)
            }
        }

        @Test(.proves(.S30, .S44, .S45)) func `Ten connections disposed of during or after connecting leave no link`() async throws {
            try await Ground.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-1")
                for cycle in 0..<10 {
                    let link = peripheral.connect()
                    if cycle.isMultiple(of: 2) {
                        _ = try await link.firstValue()
                    } else {
                        // While it is connecting.
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

        @Test(.proves(.S48, .S49, .S52, .Q71))
        func `Each discovery of known services emits the services that it requested`() async throws {
            try await Ground.withManager { manager in
                try await manager.withConnection(to: "TWINS") { peripheral in
                    let all = try await peripheral.discoverServices().allValues()
                    let both = try await Observable.zip(
                        peripheral.discoverServices([0xFFD0]).toArray().asObservable(),
                        peripheral.discoverServices().toArray().asObservable()
                    ) { ($0, $1) }.firstValue()
                    #expect(both.0.map(\.uuid) == [0xFFD0, 0xFFD0])
                    #expect(both.1 == all)
                }
            }
        }

        @Test(.proves(.S55, .S56, .S65, .Q94))
        func `Concurrent operations all succeed, and an unsupported read is not sent`()
            async throws
        {
            try await Ground.withManager { manager in
                try await manager.withConnection(to: "HRM-1") { peripheral in
                    let control = try await peripheral.characteristic(0x180D, 0x2A39)
                    let reads = (0..<20).map { number in
                        control.writeValue([UInt8(number)]).andThen(Observable<[UInt8]>.empty())
                            .concat(control.readValue())
                    }
                    // All at once, so that bluetoothd would answer InProgress.
                    let values = try await Observable.merge(reads).toArray().asObservable().firstValue()
                    #expect(values.count == 20)
                    let notifying = try await peripheral.characteristic(0x180D, 0x2A37)
                    let refused = await #expect(throws: BluetoothError.self) { try await notifying.readValue().value }
                    #expect(refused?.kind == .notPermitted)
                    #expect(refused?.dbusName == nil)
                }
            }
        }

        @Test(.proves(.S68, .S70)) func `Two devices notify at once, and each value reaches every subscriber`()
            async throws
        {
            try await Ground.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { first in
                    try await manager.withConnection(to: "HRM-2") { second in
                        let (one, two) = (
                            try await first.characteristic(0x180D, 0x2A37),
                            try await second.characteristic(0x180D, 0x2A37)
                        )
                        let values = try await Observable.zip(
                            one.observeValueUpdates(), one.observeValueUpdates(), two.observeValueUpdates()
                        ) { ($0, $1, $2) }.take(10).allValues()
                        #expect(values.allSatisfy { $0.0 == $0.1 })
                    }
                }
            }
        }

        @Test(.proves(.S33, .S46, .S89)) func `Known and connected peripherals are retrieved as equal peripherals`()
            async throws
        {
            try await Ground.withManager { manager in
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

        @Test(.proves(.S86, .Q35, .Q113, .Q114))
        func `Advertising fails when no slot is free, and leaves Discoverable off`()
            async throws
        {
            try await Ground.withManager { manager in
                let advertisement = Advertisement(services: [0x180D], manufacturerData: [0x004C: [1]])
                try await manager.advertise(advertisement).firstValue()
                try await manager.settled().value
                #expect(try Self.instances() == 0)
                let error = await #expect(throws: BluetoothError.self) {
                    _ = try await Observable.merge((0..<40).map { _ in manager.advertise(advertisement) })
                        .ignoreElements().asCompletable().value
                }
                #expect(error?.kind == .noFreeSlot)
                // A slot is free again once bluetoothd has answered.
                try await manager.settled().value
                let long = Advertisement(manufacturerData: [0x004C: Array(repeating: 1, count: 60)])
                let refused = await #expect(throws: BluetoothError.self) {
                    _ = try await manager.advertise(long).firstValue()
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

extension ObservableType where Element: Sendable {
    /// This stream, while another one is subscribed to.
    fileprivate func alongside<Other: Sendable>(_ other: Observable<Other>) -> Observable<Element> {
        Observable<Element>.merge([asObservable(), other.compactMap { _ -> Element? in nil }])
    }
}
