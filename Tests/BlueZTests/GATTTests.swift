import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    @Suite struct GATTTests {
        @Test(.proves(.Q110)) func `Two services with one UUID have different handles and values`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "TWINS") { peripheral in
                    let services = try await peripheral.discoverServices([0xFFD0]).allValues()
                    #expect(services.count == 2)
                    #expect(Set(services.map(\.handle)).count == 2)
                    var values: [[UInt8]] = []
                    for service in services {
                        let characteristic = try await service.discoverCharacteristics([0xFFD1]).firstValue()
                        values.append(try await characteristic.readValue().value)
                    }
                    #expect(values == [[0x0B], [0x16]])
                }
            }
        }

        @Test(.proves(.S63, .S87, .Q98)) func `Values written with and without response are read back`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-1") { peripheral in
                    let control = try await peripheral.characteristic(0x180D, 0x2A39)
                    #expect(control.properties == [.read, .write, .writeWithoutResponse])
                    try await control.writeValue([0xCA, 0xFE]).value
                    #expect(try await control.readValue().value == [0xCA, 0xFE])
                    try await control.writeValue([0x01], type: .withoutResponse).value
                    #expect(try await control.readValue().value == [0x01])
                    // The value is longer than one packet, so bluetoothd sends it in parts (Q99).
                    let long = (0..<200).map { UInt8($0) }
                    try await control.writeValue(long).value
                    #expect(try await control.readValue().value == long)
                }
            }
        }

        @Test(.proves(.S82, .Q99)) func `A write without response fills a packet of the negotiated MTU`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-1") { peripheral in
                    let control = try await peripheral.characteristic(0x180D, 0x2A39)
                    let mtu = try await peripheral.observeMTU().filter { $0 > 23 }.firstValue()
                    #expect(peripheral.mtu == mtu)
                    let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
                    #expect(length == min(512, mtu - 3))
                    let packet = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
                    try await control.writeValue(packet, type: .withoutResponse).value
                    #expect(try await control.readValue().value == packet)
                }
            }
        }

        @Test(.proves(.Q97, .Q100)) func `An acquired writer sends in order, excludes other writes and is released`()
            async throws
        {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-2") { peripheral in
                    let control = try await peripheral.characteristic(0x180D, 0x2A39)
                    let refused = try await control.acquireWrite().flatMap { writer in
                        Observable<Int>.range(start: 1, count: 200)
                            .concatMap { writer.write([UInt8($0)]) }
                            .ignoreElements().asCompletable()
                            .andThen(control.writeValue([0], type: .withoutResponse))
                            .andThen(Observable<BluetoothError.Kind?>.just(nil))
                            .catch { .just(($0 as? BluetoothError)?.kind) }
                    }
                    .firstValue()
                    #expect(refused == .exclusiveUse)
                    // Reads until the last written value arrives: a read over the bus can overtake writes over the
                    // socket.
                    var last: [UInt8] = []
                    for _ in 0..<100 where last != [200] { last = try await control.readValue().value }
                    #expect(last == [200])
                    try await control.writeValue([7], type: .withoutResponse).value
                    #expect(try await control.readValue().value == [7])
                }
            }
        }

        @Test(.proves(.S66)) func `A long write reports its progress after each part`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-1") { peripheral in
                    let control = try await peripheral.characteristic(0x180D, 0x2A39)
                    let value = (0..<1_050).map { UInt8(truncatingIfNeeded: $0) }
                    let progress = try await control.writeLongValue(value, partLength: 100).allValues()
                    #expect(progress.map(\.written) == (1...10).map { $0 * 100 } + [1_050])
                    #expect(try await control.readValue().value == Array(value.suffix(50)))
                }
            }
        }

        @Test(.proves(.Q109)) func `The battery level is emitted`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    let level = try await peripheral.observeBatteryLevel().firstValue()
                    #expect(level == 90)
                }
            }
        }

        @Test(.proves(.Q108)) func `Descriptors are discovered, and writing 2902 is not permitted`()
            async throws
        {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    let measurement = try await peripheral.characteristic(0x180D, 0x2A37)
                    let descriptors = try await measurement.discoverDescriptors().allValues()
                    #expect(descriptors.map(\.uuid) == [0x2902])
                    let error = await #expect(throws: BluetoothError.self) {
                        try await descriptors[0].writeValue([1, 0]).value
                    }
                    #expect(error?.kind == .notPermitted)
                }
            }
        }

        @Test(.proves(.S51)) func `The error of a missing service contains its UUID`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    let error = await #expect(throws: BluetoothError.self) {
                        _ = try await peripheral.discoverServices([0xFFFF]).allValues()
                    }
                    #expect(error?.kind == .attributeNotFound)
                    #expect(error?.description.contains("FFFF") == true)
                }
            }
        }

        @Test(.proves(.Q90))
        func `Reading a protected value without an agent fails with a typed error`()
            async throws
        {
            // Without an agent, the pairing that bluetoothd starts fails after 30 s. The timing decides which error is
            // reported. From 5.67 on, bluetoothd may lose the read with the link, which shows the failed pairing.
            try await Lab.withManager(pairing: PairingPolicy(.noAgent)) { manager in
                let error = await #expect(throws: BluetoothError.self) {
                    try await manager.withConnection(to: "SECURE") { peripheral in
                        let secret = try await peripheral.characteristic(0xFFF0, 0xFFF1)
                        _ = try await secret.readValue().value
                    }
                }
                let possible: [BluetoothError.Kind?] = [
                    .needsPairing, .attError, .notPermitted, .timedOut, .disconnected(Lab.reasonOfLoss),
                    .disconnected(.removed), .disconnected(Lab.reasonOfLoss == .remote ? .local : .unknown),
                    .disconnected(.authentication),
                ]
                #expect(possible.contains(error?.kind))
            }
        }

        @Test(.proves(.S48, .S49, .S52, .Q71))
        func `Each discovery of known services emits the services that it requested`() async throws {
            try await Lab.withManager { manager in
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
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-1") { peripheral in
                    let control = try await peripheral.characteristic(0x180D, 0x2A39)
                    let reads = (0..<20).map { number in
                        control.writeValue([UInt8(number)]).andThen(Observable<[UInt8]>.empty())
                            .concat(control.readValue())
                    }
                    // The library must send these writes and reads one by one, or bluetoothd would reply InProgress.
                    let values = try await Observable.merge(reads).toArray().asObservable().firstValue()
                    #expect(values.count == 20)
                    let notifying = try await peripheral.characteristic(0x180D, 0x2A37)
                    let refused = await #expect(throws: BluetoothError.self) { try await notifying.readValue().value }
                    #expect(refused?.kind == .notPermitted)
                    #expect(refused?.dbusName == nil)
                }
            }
        }
    }
}
