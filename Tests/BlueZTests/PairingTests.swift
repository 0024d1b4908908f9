import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Pairing with SECURE, which has one value that can be read only over an encrypted link.
    @Suite struct PairingTests {
        private static let secret = Array("secret".utf8)

        private static func read(_ peripheral: Peripheral) async throws -> [UInt8] {
            try await peripheral.characteristic(0xFFF0, 0xFFF1).readValue().value
        }

        @Test func `Reading a protected value fails with needsPairing, and succeeds after pairing`() async throws {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "SECURE")
                #expect(try await peripheral.isPaired.firstValue() == false)
                try await manager.withConnection(to: "SECURE") { peripheral in
                    let clock = ContinuousClock()
                    let start = clock.now
                    let refused = await #expect(throws: BluetoothError.self) { _ = try await Self.read(peripheral) }
                    #expect(refused?.kind == .needsPairing)
                    // The library must report the refusal before the ATT time-out of 30 s.
                    #expect(clock.now - start < .seconds(15))
                }
                try await peripheral.pairRepeating()
                #expect(try await peripheral.isBonded.firstValue() == true)
                try await manager.withConnection(to: "SECURE") { peripheral in
                    let value = try await Self.read(peripheral)
                    #expect(value == Self.secret)
                }
                try await peripheral.trust().value
                try await peripheral.forget().value
                #expect(try await peripheral.isPaired.firstValue() == false)
            }
        }

        @Test func `pair closes a connection on which pairing was refused, and then succeeds`() async throws {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "SECURE")
                let lost = await #expect(throws: BluetoothError.self) {
                    try await manager.withConnection(to: "SECURE") { peripheral in
                        _ = try? await Self.read(peripheral)
                        try await peripheral.pair().value
                    }
                }
                // pair() closes the connection, which fails with this error before pairing completes.
                #expect(lost?.kind == .needsPairing)
                try await peripheral.pairRepeating()
                try await peripheral.forget().value
            }
        }

        /// bluetoothd 5.87 keeps such a pairing, and then refuses each `Connect`.
        @Test(.proves(.Q136)) func `A peripheral that drops the link while pairing can be connected again`()
            async throws
        {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "REFUSING")
                for _ in 1...2 {
                    let refused = await #expect(throws: BluetoothError.self) { try await peripheral.pair().value }
                    print("REFUSING: \(refused.map(String.init(describing:)) ?? "no error")")
                    try await manager.withConnection(to: "REFUSING") { peripheral in
                        let open = try await peripheral.characteristic(0xFFC0, 0xFFC2).readValue().value
                        #expect(open == Array("open".utf8))
                    }
                }
                try await peripheral.forget().value
            }
        }

        /// From 5.82 on, bluetoothd may keep such a device at the first `RemoveDevice`, after two or more failures.
        /// With kernel 6.1, that of 5.66, such a lost bond ends in a panic (docs/bluez-versions.md).
        @Test(.proves(.Q138), .enabled(if: Lab.version != "5.66"))
        func `forget removes a device that has deleted its bond, and it can be paired`()
            async throws
        {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "FORGETFUL")
                for failures in 1...3 {
                    try await peripheral.pairRepeating()
                    try await manager.withConnection(to: "FORGETFUL") { peripheral in
                        try await peripheral.characteristic(0xFF90, 0xFF92).writeValue([1]).value
                    }
                    for _ in 1...failures {
                        let lost = await #expect(throws: BluetoothError.self) {
                            try await manager.withConnection(to: "FORGETFUL") { peripheral in
                                _ = try await peripheral.characteristic(0xFF90, 0xFF91).readValue().value
                            }
                        }
                        print("FORGETFUL: \(lost.map(String.init(describing:)) ?? "no error")")
                    }
                    #expect(try await peripheral.isBonded.firstValue() == true)
                    try await peripheral.forget().value
                    #expect(try await peripheral.isBonded.firstValue() == false)
                }
                try await peripheral.pairRepeating()
                try await manager.withConnection(to: "FORGETFUL") { peripheral in
                    let value = try await peripheral.characteristic(0xFF90, 0xFF91).readValue().value
                    #expect(value == Self.secret)
                }
                try await peripheral.forget().value
            }
        }

        @Test(.proves(.Q118)) func `Pairing a bonded device completes at once, connected or not`() async throws {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "SECURE")
                try await peripheral.pairRepeating()
                let clock = ContinuousClock()
                let start = clock.now
                try await peripheral.pair().value
                #expect(clock.now - start < .seconds(2))
                try await manager.withConnection(to: "SECURE") { peripheral in
                    let start = clock.now
                    try await peripheral.pair().value
                    #expect(clock.now - start < .seconds(2))
                    let value = try await Self.read(peripheral)
                    #expect(value == Self.secret)
                }
                try await peripheral.forget().value
            }
        }

        @Test func `After a refused pairing, reads need a new connection`()
            async throws
        {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "SECURE") { peripheral in
                    // The database hash is readable without pairing, so only the refused pairing can stall its read
                    // below.
                    let hash = try await peripheral.characteristic(0x1801, 0x2B2A)
                    let refused = await #expect(throws: BluetoothError.self) { _ = try await Self.read(peripheral) }
                    #expect(refused?.kind == .needsPairing)
                    let stalled = await #expect(throws: BluetoothError.self) { _ = try await hash.readValue().value }
                    #expect(stalled?.kind == .connectionStalled)
                    #expect(stalled?.description.contains("FFF1") == true)
                }
                try await manager.withConnection(to: "SECURE") { peripheral in
                    let hash = try await peripheral.characteristic(0x1801, 0x2B2A).readValue().value
                    #expect(hash.count == 16)
                }
            }
        }

        @Test(.proves(.Q122))
        func `The GAP service is read, or the error says that bluetoothd keeps it`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    if Lab.version >= "5.80" {
                        let name = try await peripheral.characteristic(0x1800, 0x2A00).readValue().value
                        #expect(name == Array("HRM-0".utf8))
                        return
                    }
                    let error = await #expect(throws: BluetoothError.self) {
                        _ = try await peripheral.characteristic(0x1800, 0x2A00)
                    }
                    #expect(error?.kind == .attributeNotFound)
                    #expect(error?.description.contains("bluetoothd keeps the GAP service") == true)
                }
            }
        }

        @Test func `With the policy justWorks, reading a protected value pairs`() async throws {
            try await Lab.withManager(pairing: PairingPolicy(.justWorks)) { manager in
                try await manager.withConnection(to: "SECURE") { peripheral in
                    let value = try await Self.read(peripheral)
                    #expect(value == Self.secret)
                }
                try await manager.peripheral(named: "SECURE").forget().value
            }
        }

        @Test func `With the policy ask, reading a protected value emits a pairing request`() async throws {
            try await Lab.withManager(pairing: PairingPolicy(.ask)) { manager in
                let answering = manager.pairingRequests.subscribe(onNext: { request in
                    #expect(request.question == .authorization)
                    _ = try? request.answer(.accept)
                })
                try await manager.withConnection(to: "SECURE") { peripheral in
                    let value = try await Self.read(peripheral)
                    #expect(value == Self.secret)
                }
                answering.dispose()
                try await manager.peripheral(named: "SECURE").forget().value
            }
        }

        @Test func `pair opens a connection and closes it`() async throws {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "SECURE")
                try await peripheral.pairRepeating()
                try await manager.settled().value
                #expect(try await peripheral.isBonded.firstValue() == true)
                try await Lab.expectNothingLeft()
                try await peripheral.forget().value
            }
        }

        @Test func `ble-cli pairs, reads a protected value and forgets the device`() async throws {
            let paired = try Command.bleCLI("pair", "SECURE", "--timeout", "40")
            #expect(paired.status == 0, "\(paired.errors)")
            let read = try Command.bleCLI("read", "SECURE", "FFF1", "--json", "--timeout", "40")
            #expect(read.status == 0, "\(read.errors)")
            #expect(try read.objects().first?["value"] as? String == "736563726574")
            let forgotten = try Command.bleCLI("forget", "SECURE")
            #expect(forgotten.status == 0, "\(forgotten.errors)")
            try await Lab.expectNothingLeft(within: CLITests.closing)
        }
    }
}
