/// Reads numbers and bytes from the front of bytes. All methods return nil if too few bytes are left.
package struct ByteCursor: Sendable {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The number of bytes that are left.
    package var count: Int { rest.count }

    /// Takes all bytes that are left.
    package mutating func takeRest() -> ArraySlice<UInt8> {
        defer { rest = rest[rest.endIndex...] }
        return rest
    }

    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        let end = rest.startIndex + count
        defer { rest = rest[end...] }
        return rest[rest.startIndex..<end]
    }

    package mutating func uint8() -> UInt8? { take(1)?.first }

    /// Takes a number with its low byte first, as in Bluetooth.
    package mutating func uint16() -> UInt16? { number(2, .little).map(UInt16.init(truncatingIfNeeded:)) }

    package mutating func uint16(_ order: ByteOrder) -> UInt16? {
        number(2, order).map(UInt16.init(truncatingIfNeeded:))
    }

    package mutating func uint32(_ order: ByteOrder) -> UInt32? {
        number(4, order).map(UInt32.init(truncatingIfNeeded:))
    }

    package mutating func uint64(_ order: ByteOrder) -> UInt64? { number(8, order) }

    private mutating func number(_ count: Int, _ order: ByteOrder) -> UInt64? {
        guard let bytes = take(count) else { return nil }
        var number: UInt64 = 0
        for byte in bytes.reversed() where order == .little { number = number << 8 | UInt64(byte) }
        for byte in bytes where order == .big { number = number << 8 | UInt64(byte) }
        return number
    }
}

/// The order of the bytes of a number.
package enum ByteOrder: Sendable {
    case little, big
}

extension [UInt8] {
    /// Appends a number of any width in a byte order.
    package mutating func append<Number: FixedWidthInteger>(number: Number, _ order: ByteOrder = .little) {
        for index in 0..<Number.bitWidth / 8 {
            let place = order == .little ? index : Number.bitWidth / 8 - 1 - index
            append(UInt8(truncatingIfNeeded: number >> (8 * Number(place))))
        }
    }
}
