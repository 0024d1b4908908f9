/// The format pcapng of Wireshark. Source: draft-ietf-opsawg-pcapng.
struct PcapngFormat: Sendable {
    private var order = ByteOrder.little
    private var interfaces: [Interface] = []
    private(set) var unsupportedCount = 0
    private var supportedCount = 0
    private var unsupportedType: UInt32?

    /// The block type of a section header, which is the same in both byte orders.
    static let sectionHeader: UInt32 = 0x0A0D_0D0A
    static let magic: UInt32 = 0x1A2B_3C4D
    private static let mostInterfaces = 10_000

    private struct Interface: Sendable {
        let linkType: LinkType?
        /// The units of time in a second, as a power of 10 or 2.
        var unitsPerSecond: UInt64 = 1_000_000
        var offset: Int64 = 0

        func microseconds(_ units: UInt64) -> Int64 {
            let (seconds, rest) = units.quotientAndRemainder(dividingBy: unitsPerSecond)
            let fraction = rest.multipliedFullWidth(by: 1_000_000)
            // The remainder is less than the divisor, so the quotient is less than 1,000,000.
            let micro = unitsPerSecond.dividingFullWidth(fraction).quotient
            return (Int64(truncatingIfNeeded: seconds) &+ offset) &* 1_000_000 &+ Int64(truncatingIfNeeded: micro)
        }
    }

    /// The link type of the file, if no interface with packets is supported; nil otherwise.
    var onlyUnsupportedType: UInt32? {
        supportedCount == 0 && !interfaces.contains { $0.linkType != nil } ? unsupportedType : nil
    }

    mutating func step(_ buffer: inout ChunkBuffer, _ count: inout Int) throws(CaptureError) -> CaptureReader.Step {
        guard let start = buffer.peek(12) else { return .needsMore }
        var cursor = ByteCursor(start)
        if cursor.uint32(.big) == Self.sectionHeader {
            _ = cursor.take(4)
            guard let order = Self.order(cursor.takeRest()) else {
                throw .damaged(afterPacket: count, "a section without a byte order")
            }
            self.order = order
            interfaces = []
        }
        cursor = ByteCursor(start)
        guard let type = cursor.uint32(order), let length = cursor.uint32(order) else { return .needsMore }
        guard length >= 12, length % 4 == 0 else {
            throw .damaged(afterPacket: count, "a block of \(length) bytes")
        }
        guard [1, 2, 3, 6].contains(type) else {
            // Other blocks may be long, for example those with keys, and are not stored.
            buffer.skip(Int(length))
            return .nothing
        }
        guard length <= CaptureReader.longestRecord else {
            throw .damaged(afterPacket: count, "a block of \(length) bytes")
        }
        guard let block = buffer.take(Int(length)) else { return .needsMore }
        let body = ByteCursor(block.dropFirst(8).dropLast(4))
        if type == 1 {
            try addInterface(body, count)
            return .nothing
        }
        count += 1
        return packet(type, body, count).map { .packet($0) } ?? .nothing
    }

    private static func order(_ bytes: ArraySlice<UInt8>) -> ByteOrder? {
        var cursor = ByteCursor(bytes)
        switch cursor.uint32(.little) {
        case magic: return .little
        case magic.byteSwapped: return .big
        default: return nil
        }
    }

    private mutating func addInterface(_ body: ByteCursor, _ count: Int) throws(CaptureError) {
        var body = body
        guard let number = body.uint16(order), body.take(6) != nil, interfaces.count < Self.mostInterfaces else {
            throw .damaged(afterPacket: count, "an interface")
        }
        var interface = Interface(linkType: LinkType(pcap: UInt32(number)))
        if interface.linkType == nil { unsupportedType = UInt32(number) }
        while let code = body.uint16(order), let length = body.uint16(order), code != 0,
            let value = body.take(Int(length))
        {
            _ = body.take((4 - Int(length) % 4) % 4)
            var option = ByteCursor(value)
            if code == 9, let resolution = option.uint8() { interface.unitsPerSecond = Self.units(resolution) }
            if code == 14, let offset = option.uint64(order) { interface.offset = Int64(bitPattern: offset) }
        }
        interfaces.append(interface)
    }

    /// Returns the units in a second. The high bit selects a power of 2 instead of 10.
    private static func units(_ resolution: UInt8) -> UInt64 {
        let exponent = Int(resolution & 0x7F)
        if resolution & 0x80 != 0 { return exponent < 64 ? 1 << UInt64(exponent) : 1_000_000 }
        guard exponent < 20 else { return 1_000_000 }
        return (0..<exponent).reduce(1) { units, _ in units * 10 }
    }

    /// Reads an Enhanced Packet (6), a Simple Packet (3) or an obsolete Packet (2).
    private mutating func packet(_ type: UInt32, _ body: ByteCursor, _ number: Int) -> CapturePacket? {
        var body = body
        var index = 0
        var units: UInt64 = 0
        var (length, original): (UInt32?, UInt32?)
        if type == 3 {
            original = body.uint32(order)
            length = original.map { min($0, UInt32(body.count)) }
        } else {
            let interface = type == 6 ? body.uint32(order) : body.uint16(order).map(UInt32.init)
            if type == 2 { _ = body.take(2) }
            guard let interface, let high = body.uint32(order), let low = body.uint32(order) else { return nil }
            (index, units) = (Int(interface), UInt64(high) << 32 | UInt64(low))
            length = body.uint32(order)
            original = body.uint32(order)
        }
        guard index < interfaces.count, let length, let data = body.take(Int(length)) else { return nil }
        guard let linkType = interfaces[index].linkType else {
            unsupportedCount += 1
            return nil
        }
        supportedCount += 1
        let time = type == 3 ? 0 : interfaces[index].microseconds(units)
        var packet = linkType.packet(data, flags: nil, time: time, number: number)
        // A program may capture each controller through an interface of its own.
        packet?.controller |= UInt32(index) << 16
        packet?.isTruncated = (original ?? 0) > length
        return packet
    }
}
