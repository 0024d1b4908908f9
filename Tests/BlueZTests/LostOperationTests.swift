import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Operations that need pairing, on protected attributes of SECURE and REFUSING.
    @Suite struct LostOperationTests {
        /// An operation on a protected attribute.
        enum Need: String, CaseIterable, Sendable {
            case read, write, readDescriptor, writeDescriptor, signals, socket

            func run(on peripheral: Peripheral) async throws {
                let vault = try await peripheral.characteristic(0xFFB0, 0xFFB1)
                switch self {
                case .read: _ = try await vault.readValue().value
                case .write: try await vault.writeValue([1]).value
                case .readDescriptor: _ = try await Self.description(of: vault).readValue().value
                case .writeDescriptor: try await Self.description(of: vault).writeValue([1]).value
                case .signals: try await Self.switchOn(vault, .signals)
                case .socket: try await Self.switchOn(vault, .socket)
                }
            }

            private static func description(of vault: Characteristic) async throws -> Descriptor {
                try await vault.discoverDescriptors().filter { $0.uuid == 0x2901 }.take(1).asSingle().value
            }

            /// Turns notifications on. The peripheral sends none, so success is that no error comes within 3 s.
            private static func switchOn(
                _ vault: Characteristic, _ transport: NotificationTransport
            ) async throws {
                _ = try await vault.observeValueUpdates(using: transport).take(for: .seconds(3), scheduler: Lab.clock)
                    .toArray().value
            }
        }

        private static func daemon() throws -> String { try Command.run("pidof", "bluetoothd").output }

        private static func expectRefusal(_ need: Need, _ manager: BluetoothManager) async throws {
            try await manager.withConnection(to: "SECURE") { peripheral in
                let refused = await #expect(throws: BluetoothError.self) { try await need.run(on: peripheral) }
                #expect(refused?.kind == .needsPairing, "\(need): \(String(describing: refused))")
            }
        }

        @Test(.proves(.Q126)) func `Refused operations work after pairing, and bluetoothd keeps running`() async throws
        {
            let daemon = try Self.daemon()
            try await Lab.withManager { manager in
                for need in Need.allCases {
                    try await Self.expectRefusal(need, manager)
                    try await Self.expectRefusal(need, manager)
                }
                let peripheral = try await manager.peripheral(named: "SECURE")
                try await peripheral.pairRepeating()
                try await manager.withConnection(to: "SECURE") { peripheral in
                    for need in Need.allCases { try await need.run(on: peripheral) }
                }
                try await peripheral.forget().value
            }
            #expect(try Self.daemon() == daemon)
        }

        @Test(.proves(.Q121, .Q126)) func `A peripheral that drops the link instead of pairing can be used again`()
            async throws
        {
            let daemon = try Self.daemon()
            try await Lab.withManager { manager in
                for _ in 1...2 {
                    let lost = await #expect(throws: BluetoothError.self) {
                        try await manager.withConnection(to: "REFUSING") { peripheral in
                            _ = try await peripheral.characteristic(0xFFC0, 0xFFC1).readValue().value
                        }
                    }
                    // Depending on the version, the reason is a failed authentication, or not known.
                    let isLost = if case .disconnected = lost?.kind { true } else { false }
                    #expect(isLost, "\(String(describing: lost))")
                }
                try await manager.withConnection(to: "REFUSING") { peripheral in
                    let open = try await peripheral.characteristic(0xFFC0, 0xFFC2).readValue().value
                    #expect(open == Array("open".utf8))
                }
            }
            #expect(try Self.daemon() == daemon)
        }

        /// From 5.67 on, a missing reply shows the cause.
        @Test(.proves(.Q121, .Q126, .Q132), arguments: [NotificationTransport.signals, .socket])
        func `The error of notifications that the peripheral refuses names pairing`(transport: NotificationTransport)
            async throws
        {
            try await Self.expectLoss(
                using: transport, .disconnected(Lab.version < "5.67" ? Lab.reasonOfLoss : .authentication))
        }

        /// Turns on notifications that REFUSING refuses, twice, and checks the error.
        private static func expectLoss(
            using transport: NotificationTransport, _ kind: BluetoothError.Kind
        ) async throws {
            let daemon = try daemon()
            try await Lab.withManager { manager in
                for _ in 1...2 {
                    let lost = await #expect(throws: BluetoothError.self) {
                        try await manager.withConnection(to: "REFUSING") { peripheral in
                            let alarm = try await peripheral.characteristic(0xFFC0, 0xFFC3)
                            _ = try await alarm.observeValueUpdates(using: transport).firstValue()
                        }
                    }
                    print("REFUSING, \(transport): \(lost.map(String.init(describing:)) ?? "no error")")
                    #expect(lost?.kind == kind)
                    #expect(lost?.isPairingSuspected == true)
                }
            }
            #expect(try Self.daemon() == daemon)
        }

        @Test(.proves(.Q126)) func `ble-cli reads a protected value after a refusal, another refusal and a pairing`()
            async throws
        {
            let daemon = try Self.daemon()
            for _ in 1...2 {
                let refused = try Command.bleCLI("read", "SECURE", "FFF1", "--timeout", "40")
                #expect(refused.status == 5 && refused.errors.contains("ble-cli pair"), "\(refused.errors)")
            }
            let paired = try Command.bleCLI("pair", "SECURE", "--timeout", "40")
            #expect(paired.status == 0, "\(paired.errors)")
            let read = try Command.bleCLI("read", "SECURE", "FFF1", "--timeout", "40")
            #expect(read.status == 0 && read.output.contains("secret"), "\(read.errors)")
            let forgotten = try Command.bleCLI("forget", "SECURE")
            #expect(forgotten.status == 0, "\(forgotten.errors)")
            #expect(try Self.daemon() == daemon)
            try await Lab.expectNothingLeft(within: CLITests.closing)
        }

        @Test(.proves(.Q126)) func `ble-cli does not repeat a read that needs a stronger bond, and can forget it`()
            async throws
        {
            let daemon = try Self.daemon()
            let paired = try Command.bleCLI("pair", "SECURE", "--timeout", "80")
            #expect(paired.status == 0, "\(paired.errors)")
            // bluetoothd tries to make the bond stronger. It never answers, or closes the link. The time limit is long,
            // because the read may begin again over a link of its own when the link of `pair` ends.
            let first = try Command.bleCLI("read", "SECURE", "FFB2", "--timeout", "80")
            #expect([4, 5].contains(first.status) && first.errors.contains("forget"), "\(first)")
            let again = try Command.bleCLI("read", "SECURE", "FFB2", "--timeout", "80")
            // Up to 5.66, bluetoothd fails the first read at the end of its link, and can execute another one.
            if Lab.version > "5.66" {
                #expect(again.status == 5 && again.errors.contains("requires a stronger bond"), "\(again)")
            } else {
                #expect([4, 5].contains(again.status), "\(again)")
            }
            let other = try Command.bleCLI("read", "SECURE", "FFF1", "--timeout", "80")
            #expect(other.status == 0 && other.output.contains("secret"), "\(other)")
            let forgotten = try Command.bleCLI("forget", "SECURE")
            #expect(forgotten.status == 0, "\(forgotten)")
            #expect(try Self.daemon() == daemon)
            try await Lab.expectNothingLeft(within: CLITests.closing)
        }
    }
}
