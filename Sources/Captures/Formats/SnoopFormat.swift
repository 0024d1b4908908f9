/// The format btsnoop of Android, `btmon -w` and others.
///
/// Source: RFC 1761, of which btsnoop is a variant; btsnoop.c of BlueZ.
struct SnoopFormat: Sendable {
    private let linkType: LinkType

    /// The first half of `btsnoop` with its NUL.
    static let magic: UInt32 = 0x6274_736E
    private static let secondMagic: UInt32 = 0x6F6F_7000
    static let headerLength = 16
    private static let recordHeaderLength = 24
    /// The time 1970 in microseconds since the year 0.
    static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

    init(_ header: ArraySlice<UInt8>) throws(CaptureError) {
        var header = ByteCursor(header)
        guard header.uint32(.big) == Self.magic, header.uint32(.big) == Self.secondMagic, header.uint32(.big) == 1,
            let number = header.uint32(.big)
        else { throw .unknownFormat }
        guard let type = LinkType(snoop: number) else { throw .unsupportedLinkType(number, isSnoop: true) }
        linkType = type
    }

    func step(_ buffer: inout ChunkBuffer, _ count: inout Int) throws(CaptureError) -> CaptureReader.Step {
        guard let header = buffer.peek(Self.recordHeaderLength) else { return .needsMore }
        var cursor = ByteCursor(header)
        guard let original = cursor.uint32(.big), let length = cursor.uint32(.big), let flags = cursor.uint32(.big),
            cursor.uint32(.big) != nil, let time = cursor.uint64(.big)
        else { return .needsMore }
        guard length <= CaptureReader.longestRecord else {
            throw .damaged(afterPacket: count, "a record of \(length) bytes")
        }
        guard let record = buffer.take(Self.recordHeaderLength + Int(length)) else { return .needsMore }
        count += 1
        var packet = linkType.packet(
            record.dropFirst(Self.recordHeaderLength), flags: flags, time: Int64(bitPattern: time) &- Self.epoch,
            number: count)
        packet?.isTruncated = original > length
        return packet.map { .packet($0) } ?? .nothing
    }
}
