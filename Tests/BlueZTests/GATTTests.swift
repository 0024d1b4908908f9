import RxBluetooth
import Testing

extension LabTests {
    @Suite struct GATTTests {
        @Test func `Q110 Two services with one UUID keep their values apart`() async throws {
            try await Ground.withManager { manager in
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

        @Test func `What is written is read again, with and without response`() async throws {
            try await Ground.withManager { manager in
                try await manager.withConnection(to: "HRM-1") { peripheral in
                    let control = try await peripheral.characteristic(0x180D, 0x2A39)
                    #expect(control.properties == [.read, .write, .writeWithoutResponse])
                    try await control.writeValue([0xCA, 0xFE]).value
                    #expect(try await control.readValue().value == [0xCA, 0xFE])
                    try await control.writeValue([0x01], type: .withoutResponse).value
                    #expect(try await control.readValue().value == [0x01])
                    // Longer than one packet: the daemon sends it in parts (Q99).
                    let long = (0..<200).map { UInt8($0) }
                    try await control.writeValue(long).value
                    #expect(try await control.readValue().value == long)
                }
            }
        }

        @Test func `Descriptors are found, and the daemon keeps the one that turns notifications on`() async throws {
            try await Ground.withManager { manager in
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

        @Test func `S51 A service that is not there is named in the error`() async throws {
            try await Ground.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    let error = await #expect(throws: BluetoothError.self) {
                        _ = try await peripheral.discoverServices([0xFFFF]).allValues()
                    }
                    #expect(error?.kind == .attributeNotFound)
                    #expect(error?.description.contains("FFFF") == true)
                }
            }
        }

        @Test func `Without any agent a value behind encryption is refused with an error of ours, and nothing hangs`()
            async throws
        {
            // Without an agent bluetoothd's own attempt to pair fails after half a minute; how, depends on the moment.
            try await Ground.withManager(pairing: PairingPolicy(.nobody)) { manager in
                let error = await #expect(throws: BluetoothError.self) {
                    try await manager.withConnection(to: "SECURE") { peripheral in
                        let secret = try await peripheral.characteristic(0xFFF0, 0xFFF1)
                        _ = try await secret.readValue().value
                    }
                }
                let possible: [BluetoothError.Kind?] = [
                    .needsPairing, .attError, .notPermitted, .timedOut, .disconnected(.unknown),
                    .disconnected(.removed),
                ]
                #expect(possible.contains(error?.kind))
            }
        }
    }
}
