/// Collects the fields of a packet that the gateway sends.
struct PacketWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func uint16(_ value: UInt16) {
        bytes.append(UInt8(value >> 8))
        bytes.append(UInt8(value & 0xFF))
    }

    mutating func uint32(_ value: UInt32) {
        uint16(UInt16(value >> 16))
        uint16(UInt16(value & 0xFFFF))
    }

    /// Writes an integer of at most 268,435,455.
    mutating func variableInteger(_ value: Int) {
        var rest = value
        repeat {
            let byte = UInt8(rest & 0x7F)
            rest >>= 7
            bytes.append(rest > 0 ? byte | 0x80 : byte)
        } while rest > 0
    }

    /// Writes at most 65,535 bytes with their length. The caller has checked the length.
    mutating func binary(_ value: some Collection<UInt8>) {
        uint16(UInt16(clamping: value.count))
        bytes.append(contentsOf: value.prefix(Int(UInt16.max)))
    }

    mutating func text(_ value: String) { binary(value.utf8) }

    mutating func append(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

    /// The packet with the first byte, the length and the fields.
    static func packet(_ header: UInt8, _ body: PacketWriter) -> [UInt8] {
        var writer = PacketWriter(capacity: body.bytes.count + 5)
        writer.byte(header)
        writer.variableInteger(body.bytes.count)
        writer.append(body.bytes)
        return writer.bytes
    }
}
