import RxBluetoothMocks
import Testing

@testable import RxBluetooth

struct AdvertisementPatternTests {
    private func matches(_ pattern: AdvertisementPattern, _ packet: [UInt8]) -> Bool {
        AdvertisementPattern.matches(any: [pattern], packet, packet.indices)
    }

    @Test func `A pattern matches bytes at an offset of a structure with its type`() {
        let pattern = AdvertisementPattern(type: 0xFF, offset: 2, bytes: [7, 8])
        #expect(matches(pattern, [2, 1, 6, 5, 0xFF, 0x59, 0, 7, 8]))
        #expect(matches(pattern, [5, 0xFF, 1, 2, 3, 4, 6, 0xFF, 0x59, 0, 7, 8, 9]))
        #expect(!matches(pattern, [5, 0xFF, 7, 8, 7, 9]))
        #expect(!matches(pattern, [5, 0x16, 0x59, 0, 7, 8]))
        #expect(!matches(pattern, []))
    }

    @Test func `Bytes beyond the end of a structure or a packet do not match`() {
        let pattern = AdvertisementPattern(type: 0xFF, offset: 2, bytes: [7, 8])
        #expect(!matches(pattern, [4, 0xFF, 0x59, 0, 7, 8]))
        #expect(!matches(pattern, [5, 0xFF, 0x59, 0, 7]))
        #expect(!matches(pattern, [1, 0xFF]))
        #expect(!matches(pattern, [0, 5, 0xFF, 0x59, 0, 7, 8]))
        let packet: [UInt8] = [5, 0xFF, 0x59, 0, 7, 8]
        #expect(!AdvertisementPattern.matches(any: [pattern], packet, 0..<5))
    }

    @Test func `The usual flags match the advertisements of almost all devices`() {
        for flags: UInt8 in [2, 4, 5, 6, 0x1A] {
            #expect(AdvertisementPattern.matches(any: AdvertisementPattern.almostAll, [2, 1, flags], 0..<3))
        }
        #expect(!AdvertisementPattern.matches(any: AdvertisementPattern.almostAll, [3, 0xFF, 6, 0], 0..<4))
    }

    @Test func `Patterns for a service and a company have the bytes of the advertisement`() {
        #expect(
            AdvertisementPattern.serviceData(of: 0x181A, startingWith: [9])
                == AdvertisementPattern(type: 0x16, bytes: [0x1A, 0x18, 9]))
        #expect(
            AdvertisementPattern.serviceData(of: BluetoothUUID(0x1234_5678))
                == AdvertisementPattern(type: 0x20, bytes: [0x78, 0x56, 0x34, 0x12]))
        #expect(
            AdvertisementPattern.serviceData(of: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
                == AdvertisementPattern(
                    type: 0x21,
                    bytes: [
                        0x9E, 0xCA, 0xDC, 0x24, 0x0E, 0xE5, 0xA9, 0xE0, 0x93, 0xF3, 0xA3, 0xB5, 0x01, 0x00, 0x40, 0x6E,
                    ]))
        #expect(
            AdvertisementPattern.manufacturerData(of: 0x004C, startingWith: [2])
                == AdvertisementPattern(type: 0xFF, bytes: [0x4C, 0, 2]))
    }

    @Test func `Patterns up to 31 bytes are valid`() {
        for pattern in AdvertisementPattern.almostAll { #expect(pattern.flaw == nil) }
        #expect(AdvertisementPattern(type: 1, bytes: [UInt8](repeating: 0, count: 31)).flaw == nil)
        #expect(AdvertisementPattern(type: 1, offset: 30, bytes: [0]).flaw == nil)
    }

    @Test(arguments: [
        [], [AdvertisementPattern(type: 0, bytes: [1])], [AdvertisementPattern(type: 1, bytes: [])],
        [AdvertisementPattern(type: 1, offset: -1, bytes: [1])],
        [AdvertisementPattern(type: 1, offset: 31, bytes: [1])],
        [AdvertisementPattern(type: 1, offset: .max, bytes: [1])],
        [AdvertisementPattern(type: 1, bytes: [UInt8](repeating: 0, count: 32))],
        AdvertisementPattern.almostAll + [AdvertisementPattern(type: 1, bytes: [])],
    ])
    func `A scan with invalid patterns fails before anything is sent`(_ patterns: [AdvertisementPattern]) {
        let stage = Stage()
        let options = ScanOptions(mode: .passive(patterns: patterns))
        let scan = stage.record(stage.manager.scanForPeripherals(options: options))
        let presence = stage.record(stage.manager.observePresence(options: options))
        stage.advance(1_000)
        #expect(scan.kind == .invalidArgument && scan.error?.operation == .scan)
        #expect(scan.error?.description.contains("AdvertisementPattern") == true)
        #expect(presence.kind == .invalidArgument)
        #expect(stage.methods.isEmpty)
    }
}
