/// Reads the fields of a packet, and refuses what MQTT does not allow.
struct PacketReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }
    var remaining: Int { bytes.count }

    mutating func take(_ count: Int) throws(MQTTViolation) -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw .malformed("a packet ends in a field") }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    mutating func takeRest() -> ArraySlice<UInt8> {
        defer { bytes = [] }
        return bytes
    }

    mutating func byte() throws(MQTTViolation) -> UInt8 {
        guard let byte = bytes.popFirst() else { throw .malformed("a packet ends in a field") }
        return byte
    }

    mutating func uint16() throws(MQTTViolation) -> UInt16 {
        let high = try byte()
        return UInt16(high) << 8 | UInt16(try byte())
    }

    mutating func uint32() throws(MQTTViolation) -> UInt32 {
        let high = try uint16()
        return UInt32(high) << 16 | UInt32(try uint16())
    }

    /// Reads an integer of one to four bytes. Source: MQTT 5, section 1.5.5.
    mutating func variableInteger() throws(MQTTViolation) -> UInt32 {
        var decoder = VariableInteger()
        while true {
            if let value = try decoder.append(byte()) { return value }
        }
    }

    mutating func binary() throws(MQTTViolation) -> ArraySlice<UInt8> { try take(Int(uint16())) }

    /// Reads a text, which must be UTF-8 without U+0000. Source: MQTT 5, section 1.5.4.
    mutating func text() throws(MQTTViolation) -> String {
        let bytes = try binary()
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed("a text is not UTF-8")
        }
        return text
    }

    /// Reads a packet identifier, which is never 0.
    mutating func identifier() throws(MQTTViolation) -> UInt16 {
        let identifier = try uint16()
        guard identifier != 0 else { throw .protocolError("a packet has the identifier 0") }
        return identifier
    }
}

/// Decodes an integer of one to four bytes, byte by byte.
struct VariableInteger {
    private var value: UInt32 = 0
    private var count = 0

    /// Returns the integer after its last byte. The shortest encoding is required.
    mutating func append(_ byte: UInt8) throws(MQTTViolation) -> UInt32? {
        value |= UInt32(byte & 0x7F) << (7 * UInt32(count))
        count += 1
        guard byte & 0x80 != 0 else {
            guard byte != 0 || count == 1 else { throw .malformed("an integer is longer than necessary") }
            return value
        }
        guard count < 4 else { throw .malformed("an integer has more than four bytes") }
        return nil
    }
}
