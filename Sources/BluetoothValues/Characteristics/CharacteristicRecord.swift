/// The value of a characteristic as a list of fields, if it has no Swift type of its own.
public struct CharacteristicRecord: Hashable, Sendable {
    /// The structure of the value.
    public let structure: CharacteristicStructure
    /// The values of the fields that are present, in their order.
    public var entries: [Entry]
    /// The bytes after the last field.
    public var surplus: [UInt8] = []
    /// Whether levels of resistance have two bytes, as in older specifications and most machines, and not one.
    ///
    /// Decoding sets it by the length of the value. If both fit, it takes two bytes, unless these make a level beyond
    /// ±1,000 or another number that no machine has, and one byte makes none and leaves only zeros. Encoding takes two
    /// bytes too if a level does not fit into one.
    public var hasWideLevels = false

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

    /// Returns what a stored number means that is not a value; nil if the entry has another value.
    public func meaning(of entry: Entry) -> SpecialMeaning? {
        guard case .special(let number) = entry.value else { return nil }
        // Alternatives of one name differ in their units only.
        return structure.fields.first { $0.name == entry.name }?.meaning(ofSpecial: number)
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
    /// A stored number that is not a value: it has another meaning, or the specification forbids it.
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

extension CharacteristicRecord {
    /// What was decided about the bytes, in sentences without a full stop; empty if nothing was.
    public var remarks: [String] {
        // The text of a number that the specification forbids says so already.
        let impossible = impossible.compactMap { entry in
            entry.value.number.map { "\(entry.name) is impossible (\(SensorMeasurement.text($0, entry.unit)))" }
        }
        return (levelRemark.map { [$0] } ?? []) + impossible
    }

    /// Which width of the levels was taken if both fit; nil if one is clear.
    private var levelRemark: String? {
        let levels = levels
        guard let first = levels.first else { return nil }
        guard hasWideLevels else {
            return remainder.count < levels.count ? nil : "\(first.name) was taken as 1 byte; 2 bytes fit as well"
        }
        // The second byte of a small level is 0 or −1, which is hardly the beginning of the next field.
        let isClear = levels.count > 1 || (-128...255).contains(first.stored)
        return isClear && remainder.isEmpty ? nil : "\(first.name) was taken as 2 bytes; 1 byte fits as well"
    }

    /// The surplus of a structure with levels, also if its last field takes all bytes.
    fileprivate var remainder: [UInt8] {
        entries.reduce(into: surplus) { bytes, entry in
            if case .bytes(let rest) = entry.value { bytes += rest }
        }
    }

    /// The levels of resistance that are present, with the integers of two bytes.
    private var levels: [(name: String, value: Double, stored: Int64)] {
        structure.fields.compactMap { field in
            guard case .level(let scale) = field.type, let value = self[field.name]?.number else { return nil }
            return (field.name, value, scale.integer(value) ?? 0)
        }
    }

    /// Whether all numbers are possible, and those after the wrong width of a level are those of a machine.
    fileprivate var isLikely: Bool {
        impossible.isEmpty && levels.allSatisfy { (-1000...1000).contains($0.value) }
            && entries.allSatisfy { entry in
                guard let number = entry.value.number else { return true }
                return switch entry.unit {
                // No cyclist or rower reaches 3,000 W, and no training takes 20,000 kcal.
                case .watt: (-3000...3000).contains(number)
                case .kilocalorie: (0...20_000).contains(number)
                // Speed, cadence and distance are before the level, and any time is possible.
                default: true
                }
            }
    }
}

extension CharacteristicStructure {
    /// Decodes a value. Throws if it is too short, or contradicts itself.
    ///
    /// A number that the specification forbids is ``FieldValue/special(_:)`` with the meaning
    /// ``SpecialMeaning/reserved``, so that the other fields are not lost. Bytes after the last field are
    /// ``CharacteristicRecord/surplus``.
    public func decode(_ bytes: [UInt8]) throws(ValueDecodingError) -> CharacteristicRecord {
        guard !isSequence else { return CharacteristicRecord(self, try records(bytes)) }
        var record = CharacteristicRecord(self, [])
        record.hasWideLevels = hasLevels && areLevelsWide(bytes)
        (record.entries, record.surplus) = try entries(bytes, record.hasWideLevels)
        guard record.hasWideLevels, !record.isLikely else { return record }
        var narrow = CharacteristicRecord(self, [])
        (narrow.entries, narrow.surplus) = try entries(bytes, false)
        // Devices fill their values with zeros. Other bytes are rather a part of the value.
        return narrow.isLikely && narrow.remainder.allSatisfy { $0 == 0 } ? narrow : record
    }

    /// Whether the levels of a value have two bytes: the value is long enough for it.
    private func areLevelsWide(_ bytes: [UInt8]) -> Bool {
        let first = fields.first?.type.cell?.read(bytes) ?? 0
        var count = 0
        for (index, field) in fields.enumerated() {
            guard index == 0 || field.condition.isMet(first: first, previous: 0, hasMore: false) else { continue }
            count += field.type.isLevel ? 2 : field.type.cell?.byteCount ?? 0
        }
        return bytes.count >= count
    }

    private func entries(
        _ bytes: [UInt8], _ hasWideLevels: Bool
    ) throws(ValueDecodingError) -> (entries: [CharacteristicRecord.Entry], surplus: [UInt8]) {
        var reader = FieldReader(subject: name, bytes: bytes)
        var entries: [CharacteristicRecord.Entry] = []
        var date = DateCheck()
        var first: Int64 = 0
        var previous: Int64 = 0
        for (index, field) in fields.enumerated() {
            let isPresent = field.condition.isMet(first: first, previous: previous, hasMore: reader.hasMore)
            guard isPresent, field.condition != .more || reader.contains(field) else { continue }
            var value = try reader.read(field, hasWideLevels: hasWideLevels)
            if case .integer(let number) = value { previous = number }
            if index == 0 { first = previous }
            if let day = date.impossibleDay(field, value) { value = .special(day) }
            entries.append(CharacteristicRecord.Entry(field.name, value, field.unit))
        }
        return (entries, reader.surplus)
    }

    /// Decodes the records of a sequence. Each begins with its size, which includes that byte.
    private func records(_ bytes: [UInt8]) throws(ValueDecodingError) -> [CharacteristicRecord.Entry] {
        guard !bytes.isEmpty else { throw ValueDecodingError(name, .tooShort(needed: 1), bytes: bytes) }
        var all: [CharacteristicRecord.Entry] = []
        var start = 0
        while start < bytes.count {
            let end = start + Int(bytes[start])
            guard end > start, end <= bytes.count else {
                throw ValueDecodingError(name, .lengthBeyondEnd(offset: start), bytes: bytes)
            }
            let record = try? entries(Array(bytes[(start + 1)..<end]), false)
            guard let record, record.surplus.isEmpty else {
                throw ValueDecodingError(
                    name, .contradiction("the size at byte \(start) does not match the fields"), bytes: bytes)
            }
            all += record.entries
            start = end
        }
        return all
    }
}

extension CharacteristicRecord {
    /// Encodes the value. Throws if a field is missing, superfluous, or out of range.
    public func encoded() throws(ValueEncodingError) -> [UInt8] {
        guard structure.isSequence else {
            guard structure.hasLevels, !hasWideLevels, let narrow = try? encoded(entries[...], hasWideLevels: false)
            else { return try encoded(entries[...], hasWideLevels: structure.hasLevels) + surplus }
            return narrow + surplus
        }
        var bytes: [UInt8] = []
        for record in records {
            let part = try encoded(record, hasWideLevels: false)
            guard part.count < 0xFF else { throw ValueEncodingError(structure.name, field: "Size", .tooLong) }
            bytes += [UInt8(part.count + 1)] + part
        }
        guard !bytes.isEmpty else {
            throw ValueEncodingError(structure.name, field: structure.fields.first?.name ?? "", .missing)
        }
        return bytes
    }

    /// The entries of each record of a sequence. A record begins with the first field.
    var records: [ArraySlice<Entry>] {
        let first = structure.fields.first?.name
        var starts = entries.indices.filter { entries[$0].name == first }
        if starts.first != 0, !entries.isEmpty { starts.insert(0, at: 0) }
        return starts.enumerated().map { index, start in
            entries[start..<(index + 1 < starts.count ? starts[index + 1] : entries.count)]
        }
    }

    private func encoded(
        _ entries: ArraySlice<Entry>, hasWideLevels: Bool
    ) throws(ValueEncodingError) -> [UInt8] {
        var writer = FieldWriter(subject: structure.name)
        var date = DateCheck()
        var first: Int64 = 0
        var previous: Int64 = 0
        var next = entries.startIndex
        for (index, field) in structure.fields.enumerated() {
            let hasEntry = next < entries.endIndex && entries[next].name == field.name
            guard field.condition.isMet(first: first, previous: previous, hasMore: hasEntry) else { continue }
            guard hasEntry else { throw ValueEncodingError(structure.name, field: field.name, .missing) }
            let value = entries[next].value
            if case .integer(let number) = value { previous = number }
            if index == 0 { first = previous }
            if date.impossibleDay(field, value) != nil {
                throw ValueEncodingError(structure.name, field: field.name, .outOfRange)
            }
            try writer.write(value, field, hasWideLevels: hasWideLevels)
            next += 1
        }
        guard next == entries.endIndex else {
            throw ValueEncodingError(structure.name, field: entries[next].name, .contradiction)
        }
        return writer.bytes
    }
}
