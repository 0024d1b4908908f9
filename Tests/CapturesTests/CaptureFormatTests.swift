import TestTraits
import Testing

@testable import BluetoothCaptures

struct CaptureFormatTests {
    @Test(arguments: [CaptureWriter.Format.pcapng, .snoop])
    func `A written capture is read back in chunks of any size`(_ format: CaptureWriter.Format) {
        let packets = CapturePackets.recording()
        let bytes = CapturePackets.file(packets, format)
        for chunk in [1, 7, 64, 100_000] {
            let (read, error) = CapturePackets.read(bytes, chunk: chunk)
            #expect(read == packets)
            #expect(error == nil)
        }
    }

    @Test(.proves(.S139)) func `A capture that ends within a record gives the packets before it`() {
        let packets = CapturePackets.recording()
        for format in [CaptureWriter.Format.pcapng, .snoop] {
            let bytes = CapturePackets.file(packets, format)
            let (read, error) = CapturePackets.read(Array(bytes.dropLast(3)))
            #expect(read == packets.dropLast())
            #expect(error == .truncated(afterPacket: packets.count - 1))
        }
    }

    @Test func `A pcapng file with several interfaces, in both byte orders`() {
        for order in [ByteOrder.little, .big] {
            let file = Pcapng(order)
            let bytes =
                file.section()
                + file.interface(1) + file.interface(201, resolution: 9) + file.interface(187)
                + file.block(5, [1, 2, 3, 4])
                + file.packet(0, [1, 2, 3]) + file.packet(1, time: 1_500_000_000, [0, 0, 0, 1, 4, 0x0E, 0])
                + file.packet(2, time: 2_000_000, [1, 3, 0x0C, 0])
            let (packets, error) = CapturePackets.read(bytes, chunk: 5)
            #expect(error == nil)
            #expect(packets.map(\.bytes) == [[4, 0x0E, 0], [1, 3, 0x0C, 0]])
            #expect(packets.map(\.time) == [1_500_000, 2_000_000])
            #expect(packets.map(\.direction) == [.receivedByHost, nil])
            #expect(packets.map(\.number) == [2, 3])
        }
    }

    @Test func `The time offset of an interface is added to its packets only`() {
        for order in [ByteOrder.little, .big] {
            let file = Pcapng(order)
            let data: [UInt8] = [1, 3, 0x0C, 0]
            let bytes =
                file.section()
                + file.interface(187, offset: 1_000) + file.interface(187, resolution: 3, offset: -2)
                + file.interface(187)
                + file.packet(0, time: 2_000_000, data) + file.packet(1, time: 5_500, data)
                + file.packet(2, time: 7_000_000, data)
            let (packets, error) = CapturePackets.read(bytes)
            #expect(error == nil)
            #expect(packets.map(\.time) == [1_002_000_000, 3_500_000, 7_000_000])
        }
    }

    @Test func `A pcap file in both byte orders, with microseconds and nanoseconds`() {
        for order in [ByteOrder.little, .big] {
            for (magic, fraction) in [(UInt32(0xA1B2_C3D4), UInt32(500_000)), (0xA1B2_3C4D, 500_000_000)] {
                var bytes: [UInt8] = []
                bytes.append(number: magic, order)
                for number: UInt32 in [0x0002_0004, 0, 0, 65535, 201, 3, fraction, 7, 7] {
                    bytes.append(number: number, order)
                }
                bytes += [0, 0, 0, 0, 1, 3, 0x0C]
                let (packets, error) = CapturePackets.read(bytes)
                #expect(error == nil)
                #expect(
                    packets == [CapturePacket(number: 1, time: 3_500_000, direction: .sentByHost, bytes: [1, 3, 0x0C])])
            }
        }
    }

    @Test func `A btsnoop file of Linux's monitor contains packets besides other records`() {
        let bytes =
            snoopHeader(2001) + snoopRecord(flags: 0, [1, 2, 3]) + snoopRecord(flags: 3, [0x0E, 0])
            + snoopRecord(flags: 0x0001_0004, [0x40, 0, 0, 0])
        let (packets, error) = CapturePackets.read(bytes)
        #expect(error == nil)
        #expect(packets.map(\.bytes) == [[4, 0x0E, 0], [2, 0x40, 0, 0, 0]])
        #expect(packets.map(\.direction) == [.receivedByHost, .sentByHost])
        #expect(packets.map(\.number) == [2, 3])
    }

    @Test func `A btsnoop file without packet types takes them from the flags`() {
        let bytes =
            snoopHeader(1001) + snoopRecord(flags: 2, [9]) + snoopRecord(flags: 3, [8]) + snoopRecord(flags: 1, [7])
        #expect(CapturePackets.read(bytes).0.map(\.bytes) == [[1, 9], [4, 8], [2, 7]])
    }

    @Test func `An unknown format, an unknown link type and an empty file are errors`() {
        #expect(CapturePackets.read([]).1 == .empty)
        #expect(CapturePackets.read(Array("peripherals: []".utf8)).1 == .unknownFormat)
        #expect(CapturePackets.read([1, 2]).1 == .unknownFormat)
        #expect(CapturePackets.read(snoopHeader(1003)).1 == .unsupportedLinkType(1003, isSnoop: true))
        let file = Pcapng(.little)
        let ethernet = file.section() + file.interface(1) + file.packet(0, [1, 2, 3, 4])
        #expect(CapturePackets.read(ethernet).1 == .unsupportedLinkType(1, isSnoop: false))
    }

    @Test(.proves(.S139)) func `A record that is longer than any packet ends the capture, and is not stored`() {
        let snoop = snoopHeader(1002) + snoopRecord(flags: 1, [4, 0x0E, 0])
        var damaged = snoop
        for number: UInt32 in [0xFFFF_FFFF, 0xFFFF_FFFF, 0, 0, 0, 0] { damaged.append(number: number, .big) }
        let (packets, error) = CapturePackets.read(damaged)
        #expect(packets.count == 1)
        #expect(error == .damaged(afterPacket: 1, "a record of 4294967295 bytes"))
        let file = Pcapng(.little)
        var block: [UInt8] = []
        for number: UInt32 in [6, 7, 0] { block.append(number: number) }
        #expect(
            CapturePackets.read(file.section() + file.interface(201) + block).1
                == .damaged(afterPacket: 0, "a block of 7 bytes"))
    }

    @Test(.proves(.S139)) func `A long block without packets is skipped without storing it`() throws {
        let file = Pcapng(.little)
        var reader = CaptureReader()
        reader.append(file.section() + file.interface(187))
        #expect(try reader.next() == nil)
        var head: [UInt8] = []
        head.append(number: UInt32(10))
        head.append(number: UInt32(1 << 30))
        reader.append(head + [0, 0, 0, 0])
        for _ in 0..<(1 << 10) {
            reader.append([UInt8](repeating: 0, count: 1 << 16))
            #expect(try reader.next() == nil)
        }
        #expect(throws: CaptureError.truncated(afterPacket: 0)) { try reader.finish() }
    }

    private func snoopHeader(_ type: UInt32) -> [UInt8] {
        var bytes = Array("btsnoop\0".utf8)
        bytes.append(number: UInt32(1), .big)
        bytes.append(number: type, .big)
        return bytes
    }

    private func snoopRecord(flags: UInt32, _ data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [UInt32(data.count), UInt32(data.count), flags, 0] { bytes.append(number: number, .big) }
        bytes.append(number: SnoopFormat.epoch, .big)
        return bytes + data
    }
}

/// Makes the blocks of a pcapng file in a byte order.
struct Pcapng {
    let order: ByteOrder

    init(_ order: ByteOrder) { self.order = order }

    func section() -> [UInt8] {
        var body: [UInt8] = []
        body.append(number: PcapngFormat.magic, order)
        body.append(number: UInt16(1), order)
        body.append(number: UInt16(0), order)
        body.append(number: UInt64.max, order)
        return block(PcapngFormat.sectionHeader, body)
    }

    func interface(_ type: UInt16, resolution: UInt8? = nil, offset: Int64? = nil) -> [UInt8] {
        var body: [UInt8] = []
        body.append(number: type, order)
        body.append(number: UInt16(0), order)
        body.append(number: UInt32(0), order)
        if let resolution {
            body.append(number: UInt16(9), order)
            body.append(number: UInt16(1), order)
            body += [resolution, 0, 0, 0]
        }
        if let offset {
            body.append(number: UInt16(14), order)
            body.append(number: UInt16(8), order)
            body.append(number: UInt64(bitPattern: offset), order)
        }
        return block(1, body)
    }

    func packet(_ interface: UInt32, time: UInt64 = 0, _ data: [UInt8]) -> [UInt8] {
        var body: [UInt8] = []
        let words = [
            interface, UInt32(time >> 32), UInt32(truncatingIfNeeded: time), UInt32(data.count), UInt32(data.count),
        ]
        for number in words { body.append(number: number, order) }
        body += data
        while body.count % 4 != 0 { body.append(0) }
        return block(6, body)
    }

    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        var block: [UInt8] = []
        block.append(number: type, order)
        block.append(number: UInt32(body.count + 12), order)
        block += body
        block.append(number: UInt32(body.count + 12), order)
        return block
    }
}
