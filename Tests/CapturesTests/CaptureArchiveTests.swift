import Testing

@testable import BluetoothCaptures

/// Captures in gzip and zip files, those of PacketLogger, and packets of which only the beginning was captured.
struct CaptureArchiveTests {
    private let plain = CapturePackets.file(CapturePackets.recording(), .snoop)

    /// Returns the captures in a file that arrives in chunks of a size.
    private func captures(_ file: [UInt8], chunk: Int = 7) throws -> [[UInt8]] {
        let unpacker = CaptureUnpacker()
        var captures: [[UInt8]] = []
        let receive = { (part: CaptureUnpacker.Part) in
            switch part {
            case .begin: captures.append([])
            case .bytes(let bytes): captures[captures.count - 1] += bytes
            }
        }
        for start in stride(from: 0, to: file.count, by: chunk) {
            try unpacker.append(Array(file[start..<min(start + chunk, file.count)]), receive)
        }
        try unpacker.finish(receive)
        return captures
    }

    /// Returns bytes in the format of deflate, in blocks without compression.
    private func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 1_000) {
            let part = bytes[start..<min(start + 1_000, bytes.count)]
            result.append(start + 1_000 >= bytes.count ? 1 : 0)
            result.append(number: UInt16(part.count))
            result.append(number: ~UInt16(part.count))
            result += part
        }
        return result
    }

    private func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + deflated(bytes)
        var sum: UInt32 = ~0
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        file.append(number: ~sum)
        file.append(number: UInt32(bytes.count))
        return file
    }

    private func entry(_ name: String, _ bytes: [UInt8], method: UInt16, sizesFollow: Bool) -> [UInt8] {
        let data = method == 8 ? deflated(bytes) : bytes
        var entry: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0]
        entry.append(number: UInt16(sizesFollow ? 8 : 0))
        entry.append(number: method)
        entry += [UInt8](repeating: 0, count: 8)
        entry.append(number: UInt32(sizesFollow ? 0 : data.count))
        entry.append(number: UInt32(sizesFollow ? 0 : bytes.count))
        entry.append(number: UInt16(name.utf8.count))
        entry.append(number: UInt16(0))
        entry += Array(name.utf8) + data
        if sizesFollow { entry += [0x50, 0x4B, 7, 8] + [UInt8](repeating: 0, count: 12) }
        return entry
    }

    private let directory: [UInt8] = [0x50, 0x4B, 1, 2] + [UInt8](repeating: 0, count: 42)

    @Test(arguments: [1, 3, 64, 1 << 16])
    func `A gzip file contains the capture, also in several members`(chunk: Int) throws {
        #expect(try captures(gzip(plain), chunk: chunk) == [plain])
        let half = plain.count / 2
        let members = gzip(Array(plain[..<half])) + gzip(Array(plain[half...])) + [0, 0]
        #expect(try captures(members, chunk: chunk) == [plain])
        #expect(try captures(plain, chunk: chunk) == [plain])
    }

    @Test(arguments: [1, 3, 64, 1 << 16], [true, false])
    func `A bug report of Android contains the captures`(chunk: Int, sizesFollow: Bool) throws {
        let folder = "FS/data/misc/bluetooth/logs/"
        let text = Array("main log".utf8)
        let archive =
            entry("version.txt", text, method: 0, sizesFollow: false)
            + entry("bugreport.txt", text, method: 8, sizesFollow: sizesFollow)
            + entry(folder + "btsnoop_hci.log", plain, method: 8, sizesFollow: sizesFollow)
            + entry(folder + "btsnoop_hci.log.last", plain, method: 0, sizesFollow: false)
        #expect(try captures(archive + directory, chunk: chunk) == [plain, plain])
    }

    @Test func `An archive without a capture, a damaged and a cut one are errors`() {
        let other = entry("a.txt", [1, 2, 3], method: 8, sizesFollow: false)
        #expect(throws: CaptureError.noCaptureInArchive) { try captures(other + directory) }
        let whole = gzip(plain)
        #expect(throws: CaptureError.cutArchive) { try captures(Array(whole.dropLast(9))) }
        var damaged = whole
        damaged[12] ^= 0xFF
        #expect(throws: CaptureError.damagedArchive) { try captures(damaged) }
        let zip = entry("btsnoop_hci.log", plain, method: 8, sizesFollow: true)
        #expect(throws: CaptureError.cutArchive) { try captures(Array(zip.dropLast(40))) }
    }

    private func packets(_ file: [UInt8]) throws -> [CapturePacket] {
        var reader = CaptureReader()
        reader.append(file)
        var packets: [CapturePacket] = []
        while let packet = try reader.next() { packets.append(packet) }
        try reader.finish()
        return packets
    }

    @Test(arguments: [ByteOrder.big, .little])
    func `Reads the packets of PacketLogger in either byte order`(order: ByteOrder) throws {
        var file: [UInt8] = []
        func add(_ type: UInt8, _ bytes: [UInt8]) {
            file.append(number: UInt32(9 + bytes.count), order)
            file.append(number: UInt32(1_700_000_000), order)
            file.append(number: UInt32(250_000), order)
            file += [type] + bytes
        }
        add(0, [3, 0x0C, 0])
        add(0xFC, Array("a note".utf8))
        add(3, [1, 0, 0, 0])
        let time: Int64 = 1_700_000_000_250_000
        #expect(
            try packets(file) == [
                CapturePacket(number: 1, time: time, direction: .sentByHost, bytes: [1, 3, 0x0C, 0]),
                CapturePacket(number: 3, time: time, direction: .receivedByHost, bytes: [2, 1, 0, 0, 0]),
            ])
        #expect(throws: CaptureError.truncated(afterPacket: 2)) { try packets(Array(file.dropLast())) }
    }

    @Test func `Packets that were captured in part are counted apart, and have no value`() throws {
        var recorded = CapturePackets.recording()
        var collector = CaptureCollector()
        for index in recorded.indices where recorded[index].bytes.first == PacketType.acl {
            recorded[index].bytes = Array(recorded[index].bytes.prefix(9))
            recorded[index].isTruncated = true
        }
        for packet in recorded { collector.add(packet) }
        #expect(collector.counts.truncated == CapturePackets.conversation.count)
        #expect(collector.counts.malformed == 0)
        #expect(collector.all.first?.server.services.isEmpty == true)
    }

    @Test func `The lengths of a record say whether its packet is truncated`() throws {
        var file = Array(plain.prefix(16))
        file.append(number: UInt32(20), .big)
        file.append(number: UInt32(3), .big)
        file += [UInt8](repeating: 0, count: 16) + [4, 0x3E, 17]
        #expect(try packets(file).map(\.isTruncated) == [true])
        #expect(try packets(plain).allSatisfy { !$0.isTruncated })
    }
}
