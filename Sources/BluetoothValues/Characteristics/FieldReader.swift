/// Reads the fields of a value one after another.
struct FieldReader {
    let subject: String
    let bytes: [UInt8]
    var position = 0
    /// The number of bits of the present byte that fields of bits have used.
    private var usedBits = 0

    init(subject: String, bytes: [UInt8]) {
        self.subject = subject
        self.bytes = bytes
    }

    var hasMore: Bool { position < bytes.count }

    private func need(_ count: Int) throws(ValueDecodingError) {
        guard position + count <= bytes.count else {
            throw ValueDecodingError(subject, .tooShort(needed: position + count), bytes: bytes)
        }
    }

    /// The bytes after those that were read.
    var surplus: [UInt8] { Array(bytes.dropFirst(position + (usedBits > 0 ? 1 : 0))) }

    /// Whether a field that may be absent is there completely.
    func contains(_ field: CharacteristicStructure.Field) -> Bool {
        position + (field.type.cell?.byteCount ?? 1) <= bytes.count
    }

    private mutating func take(_ count: Int) throws(ValueDecodingError) -> [UInt8] {
        try need(count)
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    private mutating func readBits(_ count: Int) throws(ValueDecodingError) -> Int64 {
        let cell = Cell.run(usedBits, count)
        try need(cell.end)
        let number = cell.read(bytes, start: position) ?? 0
        usedBits += count
        position += usedBits / 8
        usedBits %= 8
        return number
    }

    /// Reads an integer of a whole number of bytes.
    mutating func readInteger(_ cell: Cell) throws(ValueDecodingError) -> Int64 {
        try need(cell.byteCount)
        defer { position += cell.byteCount }
        return cell.read(bytes, start: position) ?? 0
    }

    /// Reads a field. Levels have one byte or two.
    mutating func read(
        _ field: CharacteristicStructure.Field, hasWideLevels: Bool = false
    ) throws(ValueDecodingError) -> FieldValue {
        if case .bits(let count) = field.type { return .integer(try readBits(count)) }
        if usedBits > 0 {
            position += 1
            usedBits = 0
        }
        switch field.type {
        case .sfloat:
            let bits = UInt32(truncatingIfNeeded: try readInteger(.u16(0)))
            return .medical(MedicalFloat(rawValue: bits, width: .short))
        case .float:
            let bits = UInt32(truncatingIfNeeded: try readInteger(.u32(0)))
            return .medical(MedicalFloat(rawValue: bits, width: .long))
        case .float32:
            let bits = try readInteger(.u32(0))
            return Curve.float32.value(bits).map { .number($0) } ?? .special(bits)
        case .exponential:
            let number = try readInteger(.u8(0))
            if number == 0xFF { return .unknown }
            return Curve.exponential.value(number).map { .number($0) } ?? .special(number)
        case .u8OrU16:
            return .integer(try readInteger(position + 1 < bytes.count ? .u16(0) : .u8(0)))
        case .terminatedText:
            try need(1)
            let data = Array(bytes[position...].prefix { $0 != 0 })
            position = min(bytes.count, position + data.count + 1)
            return String(validating: data, as: UTF8.self).map { .text($0) } ?? .bytes(data)
        case .text, .fixedText:
            var data = try take(fixedCount(field.type) ?? bytes.count - position)
            if case .fixedText = field.type { while data.last == 0 { data.removeLast() } }
            return String(validating: data, as: UTF8.self).map { .text($0) } ?? .bytes(data)
        case .bytes, .rest: return .bytes(try take(fixedCount(field.type) ?? bytes.count - position))
        case .u16List, .s16List:
            var numbers: [Double] = []
            while position + 2 <= bytes.count {
                numbers.append(field.scale.value(try readInteger(field.type == .u16List ? .u16(0) : .s16(0))))
            }
            return .numbers(numbers)
        case .level(let scale) where hasWideLevels: return .number(scale.value(try readInteger(.s16(0))))
        default:
            guard let cell = field.type.cell else { return .unknown }
            let number = try readInteger(cell)
            if number == field.unknown { return .unknown }
            if field.isSpecial(number) { return .special(number) }
            return field.isPlain ? .integer(number) : .number(field.scale.value(number))
        }
    }

    private func fixedCount(_ type: FieldType) -> Int? {
        switch type {
        case .bytes(let count), .fixedText(let count): count
        default: nil
        }
    }
}
