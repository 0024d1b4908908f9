/// The format pcap of tcpdump and older programs. Source: draft-ietf-opsawg-pcap.
struct PcapFormat: Sendable {
    private let order: ByteOrder
    private let unitsPerMicrosecond: Int64
    private let linkType: LinkType

    static let headerLength = 24
    private static let recordHeaderLength = 16

    /// Returns whether a number, read with its high byte first, begins a file.
    static func isMagic(_ number: UInt32) -> Bool { byMagic[number] != nil }

    private static let byMagic: [UInt32: (ByteOrder, Int64)] = [
        0xA1B2_C3D4: (.big, 1), 0xD4C3_B2A1: (.little, 1), 0xA1B2_3C4D: (.big, 1000), 0x4D3C_B2A1: (.little, 1000),
    ]

    init(_ header: ArraySlice<UInt8>) throws(CaptureError) {
        var cursor = ByteCursor(header)
        guard let magic = cursor.uint32(.big), let (order, units) = Self.byMagic[magic], cursor.take(16) != nil,
            let word = cursor.uint32(order)
        else { throw .unknownFormat }
        // The upper bits of the field describe check sums.
        let number = word & 0x0FFF_FFFF
        guard let type = LinkType(pcap: number) else { throw .unsupportedLinkType(number, isSnoop: false) }
        (self.order, unitsPerMicrosecond, linkType) = (order, units, type)
    }

    func step(_ buffer: inout ChunkBuffer, _ count: inout Int) throws(CaptureError) -> CaptureReader.Step {
        guard let header = buffer.peek(Self.recordHeaderLength) else { return .needsMore }
        var cursor = ByteCursor(header)
        guard let seconds = cursor.uint32(order), let fraction = cursor.uint32(order),
            let length = cursor.uint32(order),
            let original = cursor.uint32(order)
        else { return .needsMore }
        guard length <= CaptureReader.longestRecord else {
            throw .damaged(afterPacket: count, "a record of \(length) bytes")
        }
        guard let record = buffer.take(Self.recordHeaderLength + Int(length)) else { return .needsMore }
        count += 1
        let time = Int64(seconds) * 1_000_000 + Int64(fraction) / unitsPerMicrosecond
        var packet = linkType.packet(
            record.dropFirst(Self.recordHeaderLength), flags: nil, time: time, number: count)
        packet?.isTruncated = original > length
        return packet.map { .packet($0) } ?? .nothing
    }
}
