/// The value of a characteristic as a list of fields, if it has no Swift type of its own.
public struct CharacteristicRecord: Hashable, Sendable {
    /// The structure of the value.
    public let structure: CharacteristicStructure
    /// The values of the fields that are present, in their order.
    public var entries: [Entry]

    /// A field with its value.
    public struct Entry: Hashable, Sendable {
        /// The name of the field.
        public var name: String
        /// The value.
        public var value: FieldValue
        /// The unit of the value.
        public var unit: MeasurementUnit

        /// Makes an entry.
        public init(_ name: String, _ value: FieldValue, _ unit: MeasurementUnit = .none) {
            self.name = name
            self.value = value
            self.unit = unit
        }
    }

    /// Makes a value from its entries.
    public init(_ structure: CharacteristicStructure, _ entries: [Entry]) {
        self.structure = structure
        self.entries = entries
    }

    /// The value of the field with this name; nil if the field is not present.
    public subscript(name: String) -> FieldValue? {
        for entry in entries where entry.name == name { return entry.value }
        return nil
    }
}

/// The value of a field.
public enum FieldValue: Hashable, Sendable {
    /// A number in the unit of the field.
    case number(Double)
    /// A number without unit: a count, an index, or flags.
    case integer(Int64)
    /// A medical number, which also has special values.
    case medical(MedicalFloat)
    /// A text. It is not sanitised.
    case text(String)
    /// Bytes that have no further structure, or text that is not UTF-8.
    case bytes([UInt8])
    /// Several numbers in the unit of the field.
    case numbers([Double])
    /// The value that the specification defines as not known.
    case unknown
    /// A value with a special meaning that is not a number, as it is stored.
    case special(Int64)

    /// The number; nil if the value is not one. NaN for a medical number that is not one.
    public var number: Double? {
        switch self {
        case .number(let number): number
        case .integer(let number): Double(number)
        case .medical(let number): number.value
        case .text, .bytes, .numbers, .unknown, .special: nil
        }
    }
}

// MARK: - Decoding

extension CharacteristicStructure {
    /// Decodes a value. Throws if it is too short, too long or malformed.
    public func decode(_ bytes: [UInt8]) throws(ValueDecodingError) -> CharacteristicRecord {
        var reader = FieldReader(subject: name, bytes: bytes)
        var entries: [CharacteristicRecord.Entry] = []
        var first: Int64 = 0
        var previous: Int64 = 0
        for (index, field) in fields.enumerated() {
            let isPresent = field.condition.isMet(first: first, previous: previous, hasMore: reader.hasMore)
            guard isPresent else { continue }
            let value = try reader.read(field)
            if case .integer(let number) = value { previous = number }
            if index == 0 { first = previous }
            entries.append(CharacteristicRecord.Entry(field.name, value, field.unit))
        }
        try reader.finish()
        return CharacteristicRecord(self, entries)
    }
}

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

    func finish() throws(ValueDecodingError) {
        let end = position + (usedBits > 0 ? 1 : 0)
        guard end >= bytes.count else { throw ValueDecodingError(subject, .tooLong(allowed: end), bytes: bytes) }
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

    mutating func read(_ field: CharacteristicStructure.Field) throws(ValueDecodingError) -> FieldValue {
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
        case .text, .fixedText:
            var data = try take(fixedCount(field.type) ?? bytes.count - position)
            if case .fixedText = field.type { while data.last == 0 { data.removeLast() } }
            return String(validating: data, as: UTF8.self).map { .text($0) } ?? .bytes(data)
        case .bytes, .rest: return .bytes(try take(fixedCount(field.type) ?? bytes.count - position))
        case .u16List, .s16List:
            var numbers: [Double] = []
            while hasMore {
                numbers.append(field.scale.value(try readInteger(field.type == .u16List ? .u16(0) : .s16(0))))
            }
            return .numbers(numbers)
        default:
            guard let cell = field.type.cell else { return .unknown }
            let number = try readInteger(cell)
            if number == field.unknown { return .unknown }
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

extension CharacteristicStructure.Field {
    /// Whether the value is an integer without a unit.
    var isPlain: Bool { unit == .none && scale == .one }
}

// MARK: - Encoding

extension CharacteristicRecord {
    /// Encodes the value. Throws if a field is missing, superfluous, or out of range.
    public func encoded() throws(ValueEncodingError) -> [UInt8] {
        var writer = FieldWriter(subject: structure.name)
        var first: Int64 = 0
        var previous: Int64 = 0
        var next = 0
        for (index, field) in structure.fields.enumerated() {
            let hasEntry = next < entries.count && entries[next].name == field.name
            guard field.condition.isMet(first: first, previous: previous, hasMore: hasEntry) else { continue }
            guard hasEntry else { throw ValueEncodingError(structure.name, field: field.name, .missing) }
            if case .integer(let number) = entries[next].value { previous = number }
            if index == 0 { first = previous }
            try writer.write(entries[next].value, field)
            next += 1
        }
        guard next == entries.count else {
            throw ValueEncodingError(structure.name, field: entries[next].name, .contradiction)
        }
        return writer.bytes
    }
}

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

    mutating func write(_ value: FieldValue, _ field: CharacteristicStructure.Field) throws(ValueEncodingError) {
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
        case (.fixedText(let count), .text(let text)): try writePadded(Array(text.utf8), count, mismatch)
        case (.fixedText(let count), .bytes(let data)): try writePadded(data, count, mismatch)
        case (.text, .bytes(let data)), (.rest, .bytes(let data)): bytes += data
        case (.bytes(let count), .bytes(let data)) where data.count == count: bytes += data
        case (.u16List, .numbers(let numbers)), (.s16List, .numbers(let numbers)):
            for number in numbers {
                guard let integer = field.scale.integer(number) else { throw mismatch }
                try write(integer, field.type == .u16List ? .u16(0) : .s16(0), field.name)
            }
        default:
            guard let cell = field.type.cell, let integer = integer(of: value, field) else { throw mismatch }
            try write(integer, cell, field.name)
        }
    }

    private func integer(of value: FieldValue, _ field: CharacteristicStructure.Field) -> Int64? {
        let unknown = field.type == .exponential ? 0xFF : field.unknown
        switch value {
        case .unknown: return unknown
        case .special(let number): return field.type == .float32 || field.type == .exponential ? number : nil
        case .integer(let number): return field.isPlain && number != unknown ? number : nil
        case .number(let number):
            guard !field.isPlain || field.type == .float32 || field.type == .exponential else { return nil }
            let curve: Curve? = field.type == .float32 ? .float32 : field.type == .exponential ? .exponential : nil
            let integer = curve.map { $0.integer(number) } ?? field.scale.integer(number)
            return integer == unknown ? nil : integer
        case .medical, .text, .bytes, .numbers: return nil
        }
    }

    private mutating func writePadded(
        _ data: [UInt8], _ count: Int, _ mismatch: ValueEncodingError
    ) throws(ValueEncodingError) {
        guard data.count <= count else { throw ValueEncodingError(subject, field: mismatch.field, .tooLong) }
        bytes += data + [UInt8](repeating: 0, count: count - data.count)
    }
}
