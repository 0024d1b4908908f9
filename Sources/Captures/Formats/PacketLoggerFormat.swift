/// The format of Apple's PacketLogger, which has no header. Source: packetlogger.c of Wireshark.
struct PacketLoggerFormat: Sendable {
    private let order: ByteOrder

    /// The bytes of the length, the time and the type.
    static let recordHeaderLength = 13
    private static let longest: UInt32 = 1 << 17

    /// The types of records with packets, and those of notes, which have none.
    private static let types: [UInt8: (kind: UInt8, direction: CapturePacket.Direction)] = [
        0: (PacketType.command, .sentByHost), 1: (PacketType.event, .receivedByHost),
        2: (PacketType.acl, .sentByHost), 3: (PacketType.acl, .receivedByHost),
        8: (PacketType.synchronous, .sentByHost), 9: (PacketType.synchronous, .receivedByHost),
        0x12: (PacketType.isochronous, .sentByHost), 0x13: (PacketType.isochronous, .receivedByHost),
    ]

    /// Makes the format from the header of the first record; nil if the bytes are no such header.
    init?(_ start: ArraySlice<UInt8>) {
        var (big, little) = (ByteCursor(start), ByteCursor(start))
        guard let bigLength = big.uint32(.big), let littleLength = little.uint32(.little), let type = start.last else {
            return nil
        }
        let isKnown = Self.types[type] != nil || type >= 0xF0 || (0x0A...0x11).contains(type)
        guard isKnown else { return nil }
        if (9...Self.longest).contains(bigLength) {
            order = .big
        } else if (9...Self.longest).contains(littleLength) {
            order = .little
        } else {
            return nil
        }
        // The microseconds are less than a second.
        var cursor = ByteCursor(start)
        guard cursor.take(8) != nil, let fraction = cursor.uint32(order), fraction < 1_000_000 else { return nil }
    }

    func step(_ buffer: inout ChunkBuffer, _ count: inout Int) throws(CaptureError) -> CaptureReader.Step {
        guard let header = buffer.peek(Self.recordHeaderLength) else { return .needsMore }
        var cursor = ByteCursor(header)
        guard let length = cursor.uint32(order), let seconds = cursor.uint32(order),
            let fraction = cursor.uint32(order),
            let type = cursor.uint8()
        else { return .needsMore }
        guard (9...Self.longest).contains(length) else {
            throw .damaged(afterPacket: count, "a record of \(length) bytes")
        }
        guard let record = buffer.take(4 + Int(length)) else { return .needsMore }
        count += 1
        guard let (kind, direction) = Self.types[type] else { return .nothing }
        let time = Int64(seconds) * 1_000_000 + Int64(fraction)
        return .packet(
            CapturePacket(
                number: count, time: time, direction: direction,
                bytes: [kind] + record.dropFirst(Self.recordHeaderLength)))
    }
}
