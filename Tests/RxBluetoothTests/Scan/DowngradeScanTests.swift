import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Packets without encryption, in a scan whose manager has a key for their device.
struct DowngradeScanTests {
    private static let address = "54:48:E6:8F:80:A5"

    /// What a result of a scan was decoded to.
    private struct Decoded {
        let readings: [SensorReading]
        let reason: ValueDecodingError.Reason?
    }

    /// Decodes the results of a scan, by the address of the device.
    private func decoded(_ scenario: Scenario, _ keys: KeyStore) -> [SenderAddress: [Decoded]] {
        let stage = Stage(scenario, keys: keys)
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        stage.advance(2_000)
        var decoded: [SenderAddress: [Decoded]] = [:]
        for result in scan.elements {
            decoded[SenderAddress(result.peripheral.address), default: []].append(
                Decoded(readings: result.readings, reason: result.readingFailure?.reason))
        }
        // Without its manager, a result is decoded without keys.
        withExtendedLifetime(stage) {}
        return decoded
    }

    private func hasContent(_ reading: SensorReading) -> Bool {
        !reading.measurements.isEmpty || !reading.states.isEmpty || !reading.events.isEmpty || !reading.texts.isEmpty
            || reading.timestamp != nil
    }

    @Test(.proves(.S128)) func `A scan refuses plain values of every format from a device with a key`() throws {
        var keys = Scenario.showroomKeys
        let key = try #require(DeviceKey([UInt8](repeating: 7, count: 16)))
        let plain = Scenario.showroom.peripherals.compactMap { SenderAddress($0.address) }.filter { keys[$0] == nil }
        let accepted = decoded(.showroom, keys)
        for address in plain { keys[address] = key }
        let refused = decoded(.showroom, keys)
        var formats: Set<SensorFormat> = []
        for address in plain {
            let readings = accepted[address, default: []].flatMap(\.readings).filter(hasContent)
            guard let format = readings.first?.format else { continue }
            formats.insert(format)
            let found = refused[address, default: []]
            #expect(found.contains { $0.reason == .downgraded }, "\(format)")
            #expect(!found.flatMap(\.readings).contains(where: hasContent), "\(format)")
        }
        // Victron is always encrypted.
        #expect(Set(SensorFormat.allCases.filter { !$0.isRecognisedOnly }).subtracting(formats) == [.victron])
        // The other devices encrypt, and are read as before.
        for address in accepted.keys where !plain.contains(address) {
            #expect(refused[address, default: []].contains { $0.readings.contains(where: \.isEncrypted) }, "\(address)")
        }
    }

    @Test(.proves(.S128)) func `A scan refuses plain events of every format that has events`() throws {
        let address = try #require(SenderAddress(Self.address))
        let press = MiBeacon(product: 0x1568, objects: [.init(0x1001, [0, 0, 0])])
        let dimmed = BTHome([.dimmer(steps: 3)], isTriggerBased: true)
        let pressed = BTHome([.button(.press)], isTriggerBased: true)
        let packets = [
            ("fe95", try press.section(from: Sender(address: address)).bytes),
            ("fcd2", try pressed.section(from: Sender(address: address)).bytes),
            ("fcd2", try dimmed.section(from: Sender(address: address)).bytes),
        ]
        var keys = KeyStore()
        keys[address] = DeviceKey([UInt8](repeating: 7, count: 16))
        for (service, bytes) in packets {
            let scenario = Scenario(peripherals: [.beacon(Self.address, serviceData: [service: bytes])])
            let accepted = decoded(scenario, KeyStore())[address, default: []]
            #expect(accepted.first?.readings.first?.events.isEmpty == false)
            let refused = decoded(scenario, keys)[address, default: []]
            #expect(!refused.isEmpty && refused.allSatisfy { $0.reason == .downgraded })
            #expect(refused.allSatisfy { $0.readings.isEmpty })
        }
    }

    @Test(.proves(.S128)) func `The reason of a refused packet is in its result and in an event, without a key`() throws
    {
        let key = "231d39c1d7cc1ab1aee224cd096db932"
        let sealed = "41a47266c95f730011223378237214"
        let old = [
            "41e445f3c9962b332211006c7c4519", "413e932cc7175f34221100553876af", "41723d3035fb88322211009e7414c0",
        ]
        let cases: [(key: String?, payloads: [String], isExpected: (ValueDecodingError.Reason) -> Bool)] = [
            (nil, [sealed], { $0 == .missingKey }),
            ("ffeeddccbbaa99887766554433221100", [sealed], { $0 == .wrongKey }),
            (key, ["4002ca0903bf13"], { $0 == .downgraded }),
            (key, old, { if case .replayed = $0 { true } else { false } }),
        ]
        for (key, payloads, isExpected) in cases {
            var keys = KeyStore()
            keys[try #require(SenderAddress(Self.address))] = key.flatMap { DeviceKey($0) }
            let stage = Stage(Scenario(peripherals: [SimulatedPeripheral("", address: Self.address)]), keys: keys)
            let events = stage.record(stage.manager.events)
            let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
            for payload in payloads {
                stage.simulation.bluez.advertise(
                    SimulatedAdvertisement(
                        every: .milliseconds(100), rssi: -60, serviceData: ["fcd2": HexDigits.bytes(payload)],
                        firstAfter: .zero), from: Self.address)
                stage.advance(1_000)
                for result in scan.elements { _ = result.reading }
            }
            let failure = try #require(scan.elements.last?.readingFailure)
            #expect(isExpected(failure.reason), "\(failure)")
            stage.advance(1)
            let refusals = events.elements.filter { if case .readingRefused = $0.kind { true } else { false } }
            let reported = refusals.contains { event in
                if case .readingRefused(_, failure) = event.kind { true } else { false }
            }
            #expect(reported, "\(failure)")
            for text in refusals.map(\.description) + [failure.description, "\(keys)"] {
                // The first bytes of both keys.
                #expect(!text.lowercased().contains("231d39c1") && !text.lowercased().contains("ffeeddcc"), "\(text)")
            }
        }
    }
}
