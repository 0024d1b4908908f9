/// Writes the fields of a value one after another.
struct FieldWriter {
    let subject: String
    var bytes: [UInt8] = []
    private var usedBits = 0

    init(subject: String) { self.subject = subject }

    private mutating func write(_ number: Int64, _ cell: Cell, _ name: String) throws(ValueEncodingError) {
        var part = [UInt8](repeating: 0, count: cell.byteCount)
        guard cell.write(number, to: &part) else { throw ValueEncodingError(subject, field: name, .outOfRange) }
        bytes += part
    }

    private mutating func writeBits(_ number: Int64, _ count: Int, _ name: String) throws(ValueEncodingError) {
        guard number >= 0, number < 1 << Int64(count) else {
            throw ValueEncodingError(subject, field: name, .outOfRange)
        }
        for bit in 0..<count {
            if usedBits == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: number >> Int64(bit) & 1) << UInt8(usedBits)
            usedBits = (usedBits + 1) % 8
        }
    }

    /// Writes a field. Levels have one byte or two.
    mutating func write(
        _ value: FieldValue, _ field: CharacteristicStructure.Field, hasWideLevels: Bool = false
    ) throws(ValueEncodingError) {
        let mismatch = ValueEncodingError(subject, field: field.name, .outOfRange)
        if case .bits(let count) = field.type {
            guard case .integer(let number) = value else { throw mismatch }
            return try writeBits(number, count, field.name)
        }
        usedBits = 0
        switch (field.type, value) {
        case (.sfloat, .medical(let number)):
            guard let short = number.converted(to: .short) else { throw mismatch }
            try write(Int64(short.rawValue), .u16(0), field.name)
        case (.float, .medical(let number)):
            guard let long = number.converted(to: .long) else { throw mismatch }
            try write(Int64(long.rawValue), .u32(0), field.name)
        case (.text, .text(let text)): bytes += text.utf8
        case (.terminatedText, .text(let text)): try writeTerminated(Array(text.utf8), mismatch)
        case (.terminatedText, .bytes(let data)): try writeTerminated(data, mismatch)
        case (.fixedText(let count), .text(let text)): try writePadded(Array(text.utf8), count, mismatch)
        case (.fixedText(let count), .bytes(let data)): try writePadded(data, count, mismatch)
        case (.text, .bytes(let data)), (.rest, .bytes(let data)): bytes += data
        case (.bytes(let count), .bytes(let data)) where data.count == count: bytes += data
        case (.u16List, .numbers(let numbers)), (.s16List, .numbers(let numbers)):
            for number in numbers {
                guard let integer = field.scale.integer(number) else { throw mismatch }
                try write(integer, field.type == .u16List ? .u16(0) : .s16(0), field.name)
            }
        case (.level(let scale), .number(let number)) where hasWideLevels:
            guard let integer = scale.integer(number) else { throw mismatch }
            try write(integer, .s16(0), field.name)
        // A level between two steps needs two bytes.
        case (.level, .number(let number)) where field.scale.integer(number).map(field.scale.value) != number:
            throw mismatch
        default:
            guard let cell = field.type.cell, let integer = integer(of: value, field) else { throw mismatch }
            try write(integer, cell, field.name)
        }
    }

    private func integer(of value: FieldValue, _ field: CharacteristicStructure.Field) -> Int64? {
        let unknown = field.type == .exponential ? 0xFF : field.unknown
        switch value {
        case .unknown: return unknown
        case .special(let number): return field.isSpecial(number) || field.datePart == .day ? number : nil
        case .integer(let number):
            return field.isPlain && number != unknown && !field.isSpecial(number) ? number : nil
        case .number(let number):
            guard !field.isPlain || field.type == .float32 || field.type == .exponential else { return nil }
            let curve: Curve? = field.type == .float32 ? .float32 : field.type == .exponential ? .exponential : nil
            guard let integer = curve.map({ $0.integer(number) }) ?? field.scale.integer(number) else { return nil }
            return integer == unknown || field.isSpecial(integer) ? nil : integer
        case .medical, .text, .bytes, .numbers: return nil
        }
    }

    private mutating func writePadded(
        _ data: [UInt8], _ count: Int, _ mismatch: ValueEncodingError
    ) throws(ValueEncodingError) {
        guard data.count <= count else { throw ValueEncodingError(subject, field: mismatch.field, .tooLong) }
        bytes += data + [UInt8](repeating: 0, count: count - data.count)
    }
    private mutating func writeTerminated(
        _ data: [UInt8], _ mismatch: ValueEncodingError
    ) throws(ValueEncodingError) {
        guard !data.contains(0) else { throw mismatch }
        bytes += data + [0]
    }
}
