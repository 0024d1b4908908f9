import RxBluetooth
import Testing

extension LabTests {
    /// Pairing with SECURE, whose one value is read over an encrypted link only.
    @Suite struct PairingTests {
        private static let secret = Array("secret".utf8)

        @Test func `A protected value says at once that pairing is needed, and is read after pairing`() async throws {
            try await Ground.withManager { manager in
                try await manager.withConnection(to: "SECURE") { peripheral in
                    let value = try await peripheral.characteristic(0xFFF0, 0xFFF1)
                    #expect(try await peripheral.isPaired.firstValue() == false)
                    let clock = ContinuousClock()
                    let start = clock.now
                    let refused = await #expect(throws: BluetoothError.self) { _ = try await value.readValue().value }
                    #expect(refused?.kind == .needsPairing)
                    // Long before ATT gives up.
                    #expect(clock.now - start < .seconds(15))
                    try await peripheral.pair().value
                    #expect(try await value.readValue().value == Self.secret)
                    #expect(try await peripheral.isBonded.firstValue() == true)
                    try await peripheral.trust().value
                }
                let peripheral = try await manager.peripheral(named: "SECURE")
                try await peripheral.forget().value
                #expect(try await peripheral.isPaired.firstValue() == false)
            }
        }

        @Test func `A policy that just works lets a protected value pair by itself`() async throws {
            try await Ground.withManager(pairing: PairingPolicy(.justWorks)) { manager in
                try await manager.withConnection(to: "SECURE") { peripheral in
                    let value = try await peripheral.characteristic(0xFFF0, 0xFFF1)
                    #expect(try await value.readValue().value == Self.secret)
                }
                try await manager.peripheral(named: "SECURE").forget().value
            }
        }

        @Test func `A person answers what a protected value asks`() async throws {
            try await Ground.withManager(pairing: PairingPolicy(.ask)) { manager in
                let answering = manager.pairingRequests.subscribe(onNext: { request in
                    #expect(request.question == .authorization)
                    _ = try? request.answer(.accept)
                })
                try await manager.withConnection(to: "SECURE") { peripheral in
                    let value = try await peripheral.characteristic(0xFFF0, 0xFFF1)
                    #expect(try await value.readValue().value == Self.secret)
                }
                answering.dispose()
                try await manager.peripheral(named: "SECURE").forget().value
            }
        }

        @Test func `pair makes its own connection, and closes it`() async throws {
            try await Ground.withManager { manager in
                let peripheral = try await manager.peripheral(named: "SECURE")
                try await peripheral.pair().value
                try await manager.settled().value
                #expect(try await peripheral.isBonded.firstValue() == true)
                try await Ground.expectNothingLeft()
                try await peripheral.forget().value
            }
        }

        @Test func `ble-cli pairs, reads and forgets`() async throws {
            let paired = try Command.bleCLI("pair", "SECURE", "--timeout", "40")
            #expect(paired.status == 0, "\(paired.errors)")
            let read = try Command.bleCLI("read", "SECURE", "FFF1", "--json", "--timeout", "40")
            #expect(read.status == 0, "\(read.errors)")
            #expect(try read.objects().first?["value"] as? String == "736563726574")
            let forgotten = try Command.bleCLI("forget", "SECURE")
            #expect(forgotten.status == 0, "\(forgotten.errors)")
            try await Ground.expectNothingLeft()
        }
    }
}
