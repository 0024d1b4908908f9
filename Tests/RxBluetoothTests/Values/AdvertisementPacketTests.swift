import TestTraits
import Testing

@testable import RxBluetooth

/// The AD structures of a packet, and the data that they contain.
struct AdvertisementPacketTests {
    private func flaws(_ packet: [UInt8]) -> PacketFlaws {
        var data = AdvertisementData()
        return data.apply(packet, packet.indices)
    }

    @Test func `The services of a device are limited to 128, and the rest is counted`() {
        var data = AdvertisementData.empty
        for number in 0..<1_000 as Range<UInt16> {
            let packet: [UInt8] = [3, 0x02, UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
            let flaws = data.apply(packet, packet.indices)
            #expect(flaws == (number < 128 ? [] : .tooManyServices))
            #expect(flaws.isMalformed == (number >= 128))
        }
        #expect(data.serviceUUIDs == (0..<128).map { BluetoothUUID($0 as UInt16) })
    }

    @Test func `A packet contains flags, name, services, data, TX power and appearance`() {
        let packet: [UInt8] =
            [2, 0x01, 0x06] + [5, 0x03, 0x0D, 0x18, 0x0F, 0x18] + [5, 0x05, 0xCD, 0xAB, 0x01, 0x00]
            + [17, 0x07] + [
                0x9E, 0xCA, 0xDC, 0x24, 0x0E, 0xE5, 0xA9, 0xE0, 0x93, 0xF3, 0xA3, 0xB5, 1, 0, 0x40, 0x6E,
            ]
            + [5, 0xFF, 0x59, 0x00, 1, 2] + [5, 0x16, 0x1A, 0x18, 3, 4] + [6, 0x20, 0xCD, 0xAB, 0x01, 0x00, 5]
            + [2, 0x0A, 0xFC] + [3, 0x19, 0x41, 0x03] + [6, 0x09] + Array("Strap".utf8)
        let data = AdvertisementData(packet: packet)
        #expect(data.flags == [6])
        #expect(data.serviceUUIDs == [0x180D, 0x180F, "0001ABCD", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"])
        #expect(data.manufacturerData == [0x59: [1, 2]])
        #expect(data.serviceData == [0x181A: [3, 4], "0001ABCD": [5]])
        #expect(data.txPowerLevel == -4)
        #expect(data.appearance == 0x0341)
        #expect(data.localName == "Strap")
        #expect(data.isConnectable == nil)
        #expect(data.rawData == packet)
        #expect(data.structures.map(\.type) == [0x01, 0x03, 0x05, 0x07, 0xFF, 0x16, 0x20, 0x0A, 0x19, 0x09])
        #expect(data.structures.first == ADStructure(type: 0x01, bytes: [0x06]))
        #expect(flaws(packet) == [])
    }

    @Test func `Service data of a 128-bit UUID is read`() {
        let uuid: [UInt8] = [0x9E, 0xCA, 0xDC, 0x24, 0x0E, 0xE5, 0xA9, 0xE0, 0x93, 0xF3, 0xA3, 0xB5, 1, 0, 0x40, 0x6E]
        let data = AdvertisementData(packet: [18, 0x21] + uuid + [7])
        #expect(data.serviceData == ["6E400001-B5A3-F393-E0A9-E50E24DCCA9E": [7]])
    }

    @Test func `A structure that is longer than the packet is ignored, those before it are read`() {
        let packet: [UInt8] = [2, 0x01, 0x06, 9, 0x09, 0x41]
        let data = AdvertisementData(packet: packet)
        #expect(data.flags == [6] && data.localName == nil)
        #expect(data.structures.count == 1)
        #expect(flaws(packet) == .truncated)
        #expect(flaws([5]) == .truncated)
        #expect(flaws([255, 0xFF]) == .truncated)
        #expect(flaws([]) == [])
    }

    @Test func `A length of zero ends a packet; bytes other than zeros after it are a flaw`() {
        #expect(flaws([2, 0x01, 0x06, 0, 0, 0]) == [])
        let packet: [UInt8] = [2, 0x01, 0x06, 0, 2, 0x0A, 4]
        #expect(AdvertisementData(packet: packet).txPowerLevel == nil)
        #expect(flaws(packet) == .zeroLength)
    }

    @Test func `Structures of a wrong length are skipped, and the ones after them are read`() {
        let power: [UInt8] = [2, 0x0A, 4]
        let short: [[UInt8]] = [
            [1, 0x01], [1, 0x0A], [2, 0x19, 1], [2, 0xFF, 1], [2, 0x16, 1], [3, 0x20, 1, 2], [5, 0x21, 1, 2, 3, 4],
        ]
        for structure in short {
            let data = AdvertisementData(packet: structure + power)
            #expect(data.txPowerLevel == 4)
            #expect(data.flags == nil && data.manufacturerData.isEmpty && data.serviceData.isEmpty)
            #expect(flaws(structure + power) == .wrongLength)
        }
        // A list of UUIDs with a byte too many has the whole UUIDs.
        let list: [UInt8] = [4, 0x03, 0x0D, 0x18, 0xFF]
        #expect(AdvertisementData(packet: list).serviceUUIDs == [0x180D])
        #expect(flaws(list) == .wrongLength)
    }

    @Test func `Of repeated structures, the last one counts, and lists are joined`() {
        let packet: [UInt8] = [2, 0x0A, 4, 2, 0x0A, 5, 3, 0x03, 0x0D, 0x18, 5, 0x02, 0x0F, 0x18, 0x0D, 0x18]
        let data = AdvertisementData(packet: packet)
        #expect(data.txPowerLevel == 5)
        #expect(data.serviceUUIDs == [0x180D, 0x180F])
        #expect(flaws(packet) == .repeated)
    }

    @Test func `Of several structures of one company the last one counts; structures has all`() {
        let data = AdvertisementData(packet: [4, 0xFF, 0x4C, 0, 1, 4, 0xFF, 0x59, 0, 2, 4, 0xFF, 0x4C, 0, 3])
        #expect(data.manufacturerData == [0x4C: [3], 0x59: [2]])
        #expect(data.structures.map(\.bytes) == [[0x4C, 0, 1], [0x59, 0, 2], [0x4C, 0, 3]])
    }

    @Test func `Unknown types are no flaw, and structures lists them`() {
        let packet: [UInt8] = [3, 0x2D, 1, 2, 2, 0x01, 0x06]
        #expect(AdvertisementData(packet: packet).structures.first == ADStructure(type: 0x2D, bytes: [1, 2]))
        #expect(flaws(packet) == [])
    }

    @Test(.proves(.Q57)) func `A name loses NULs and blanks at its end, and bytes that are not UTF-8`() {
        func name(_ bytes: [UInt8]) -> String? {
            AdvertisementData(packet: [UInt8(bytes.count + 1), 0x09] + bytes).localName
        }
        #expect(name(Array("Strap \0\0".utf8)) == "Strap")
        #expect(name(Array("Str\0ap".utf8)) == "Str")
        #expect(name([0x41, 0xFF, 0x42]) == "A B")
        #expect(name([0]) == nil)
        #expect(name([]) == nil)
    }

    @Test func `A shortened name does not replace a known name`() {
        var data = AdvertisementData(packet: [3, 0x08, 0x41, 0x42])
        #expect(data.localName == "AB")
        let complete: [UInt8] = [4, 0x09, 0x41, 0x42, 0x43]
        _ = data.apply(complete, complete.indices)
        #expect(data.localName == "ABC")
        let shortened: [UInt8] = [3, 0x08, 0x41, 0x42]
        _ = data.apply(shortened, shortened.indices)
        #expect(data.localName == "ABC")
    }

    @Test(.proves(.Q48)) func `Data of a later packet replaces earlier data, and other values stay`() {
        var data = AdvertisementData(packet: [4, 0xFF, 0x4C, 0, 1, 4, 0x16, 0x1A, 0x18, 9, 3, 0x03, 0x0D, 0x18])
        let packet: [UInt8] = [4, 0xFF, 0x59, 0, 2, 3, 0x03, 0x0F, 0x18]
        _ = data.apply(packet, packet.indices)
        #expect(data.manufacturerData == [0x59: [2]])
        #expect(data.serviceData == [0x181A: [9]])
        #expect(data.serviceUUIDs == [0x180D, 0x180F])
    }

    @Test func `Advertised data without a packet has no structures`() {
        #expect(AdvertisementData(localName: "Strap").structures.isEmpty)
        #expect(AdvertisementData().rawData == nil)
    }
}

/// The events Device Found and Advertisement Monitor Device Found of the management interface.
struct DeviceFoundTests {
    private let event: [UInt8] =
        [0x12, 0, 1, 0, 17, 0] + [1, 0, 0, 0xEE, 0xFF, 0xC0] + [2, 0xC4] + [4, 0, 0, 0] + [3, 0] + [2, 0x0A, 4]

    private let monitorEvent: [UInt8] =
        [0x2F, 0, 1, 0, 19, 0] + [7, 0] + [1, 0, 0, 0xEE, 0xFF, 0xC0] + [2, 0xC4] + [4, 0, 0, 0] + [3, 0]
        + [2, 0x0A, 4]

    private func found(_ event: [UInt8]) -> DeviceFound? {
        guard case .found(let found) = DeviceFound.read(event, event.count) else { return nil }
        return found
    }

    private func isMalformed(_ event: [UInt8]) -> Bool {
        if case .malformed = DeviceFound.read(event, event.count) { true } else { false }
    }

    @Test func `An event has its adapter, address, RSSI, flags and packet`() throws {
        let found = try #require(self.found(event))
        #expect(found.controller == 1)
        #expect(found.address == "C0:FF:EE:00:00:01")
        #expect(found.rssi == -60)
        #expect(found.flags == 4 && !found.isForMonitors)
        #expect(Array(event[found.packet]) == [2, 0x0A, 4])
    }

    @Test func `An event for monitors has the same values after the handle of the monitor`() throws {
        let found = try #require(self.found(monitorEvent))
        #expect(found.controller == 1)
        #expect(found.address == "C0:FF:EE:00:00:01")
        #expect(found.rssi == -60)
        #expect(found.flags == 4 && found.isForMonitors)
        #expect(Array(monitorEvent[found.packet]) == [2, 0x0A, 4])
    }

    @Test func `Malformed events for monitors are recognised`() {
        for count in 0..<monitorEvent.count { #expect(isMalformed(Array(monitorEvent.prefix(count)))) }
        for count in 6..<monitorEvent.count {
            // The length in the header is correct, and the fields are cut.
            var event = Array(monitorEvent.prefix(count))
            event[4] = UInt8(count - 6)
            #expect(isMalformed(event))
        }
        #expect(isMalformed(monitorEvent + [0]))
        for (index, value): (Int, UInt8) in [(4, 17), (20, 2), (20, 200), (21, 1), (14, 3)] {
            var event = monitorEvent
            event[index] = value
            #expect(isMalformed(event))
        }
    }

    @Test func `Only the given length of the buffer is read`() {
        let longer = event + [1, 2, 3]
        guard case .found(let found) = DeviceFound.read(longer, event.count) else {
            Issue.record("The event is not read.")
            return
        }
        #expect(found.packet == 20..<23)
        guard case .malformed = DeviceFound.read(event, event.count + 1) else {
            Issue.record("A length beyond the buffer is accepted.")
            return
        }
    }

    @Test(.proves(.Q55)) func `An RSSI of 127, 0 or out of range is unknown`() {
        for rssi: Int8 in [127, 0, 21, -128] {
            var event = event
            event[13] = UInt8(bitPattern: rssi)
            #expect(found(event) != nil && found(event)?.rssi == nil)
        }
    }

    @Test func `Events that are cut, too long or of an unknown address type are malformed`() {
        for count in 0..<event.count { #expect(isMalformed(Array(event.prefix(count)))) }
        #expect(isMalformed(event + [0]))
        var event = event
        event[18] = 200
        #expect(isMalformed(event))
        event[18] = 2
        #expect(isMalformed(event))
        event[18] = 3
        event[12] = 3
        #expect(isMalformed(event))
    }

    @Test func `Other events are not malformed`() {
        guard case .otherEvent = DeviceFound.read([0x13, 0, 0, 0, 2, 0, 6, 1], 8) else {
            Issue.record("The event Discovering is not skipped.")
            return
        }
    }
}
