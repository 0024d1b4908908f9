/// The properties of a Swift type that hold the fields of a characteristic's structure.
///
/// The bits of the flags that state which fields are present follow from the properties that are nil.
struct ValueTable<Root: Sendable>: Sendable {
    typealias Path<Value> = any WritableKeyPath<Root, Value> & Sendable

    /// A property and its field.
    enum Property: Sendable {
        case number(String, Path<Double>)
        case optional(String, Path<Double?>)
        case integer(String, Path<Int>)
        case optionalInteger(String, Path<Int?>)
        case medical(String, Path<MedicalFloat>)
        case optionalMedical(String, Path<MedicalFloat?>)
        case text(String, Path<String>)
        case bytes(String, Path<[UInt8]>)
        case numbers(String, Path<[Double]>)
        case date(String, Path<ClockTime>)
        case optionalDate(String, Path<ClockTime?>)
        /// Bits of the flags: the number of the lowest one, and how many.
        case flags(Int, Int, Path<Int>)
        case flag(Int, Path<Bool>)
    }

    let structure: CharacteristicStructure
    let empty: Root
    let properties: [Property]

    init(_ uuid: UInt16, empty: Root, _ properties: [Property]) {
        structure = CharacteristicStructure.structure(of: uuid) ?? CharacteristicStructure(uuid, "", [])
        self.empty = empty
        self.properties = properties
    }

    private static var dateParts: [(String, WritableKeyPath<ClockTime, Int>)] {
        [
            ("Year", \.year), ("Month", \.month), ("Day", \.day), ("Hours", \.hour), ("Minutes", \.minute),
            ("Seconds", \.second),
        ]
    }

    // MARK: - Decoding

    func decode(_ bytes: [UInt8]) throws(ValueDecodingError) -> Root {
        let record = try structure.decode(bytes)
        var root = empty
        for property in properties { try set(property, record, bytes, &root) }
        return root
    }

    private func set(
        _ property: Property, _ record: CharacteristicRecord, _ bytes: [UInt8], _ root: inout Root
    ) throws(ValueDecodingError) {
        switch property {
        case .number(let name, let path): root[keyPath: path] = record[name]?.number ?? .nan
        case .optional(let name, let path): root[keyPath: path] = record[name]?.number
        case .integer(let name, let path): root[keyPath: path] = Self.integer(record[name]) ?? 0
        case .optionalInteger(let name, let path): root[keyPath: path] = Self.integer(record[name])
        case .medical(let name, let path):
            if case .medical(let number) = record[name] { root[keyPath: path] = number }
        case .optionalMedical(let name, let path):
            if case .medical(let number) = record[name] { root[keyPath: path] = number }
        case .text(let name, let path):
            guard case .text(let text) = record[name] else {
                throw ValueDecodingError(structure.name, .invalidValue(field: name), bytes: bytes)
            }
            root[keyPath: path] = text
        case .bytes(let name, let path): if case .bytes(let data) = record[name] { root[keyPath: path] = data }
        case .numbers(let name, let path):
            if case .numbers(let numbers) = record[name] { root[keyPath: path] = numbers }
        case .date(let name, let path): if let time = Self.time(name, record) { root[keyPath: path] = time }
        case .optionalDate(let name, let path): root[keyPath: path] = Self.time(name, record)
        case .flags(let lowest, let count, let path):
            root[keyPath: path] = Int(Self.flags(record) >> Int64(lowest)) & (1 << count - 1)
        case .flag(let bit, let path): root[keyPath: path] = Self.flags(record) >> Int64(bit) & 1 == 1
        }
    }

    private static func flags(_ record: CharacteristicRecord) -> Int64 {
        guard case .integer(let flags) = record.entries.first?.value else { return 0 }
        return flags
    }

    private static func integer(_ value: FieldValue?) -> Int? {
        switch value {
        case .integer(let number): Int(number)
        case .number(let number): Int(exactly: number.rounded())
        default: nil
        }
    }

    private static func time(_ name: String, _ record: CharacteristicRecord) -> ClockTime? {
        var time = ClockTime()
        for (part, path) in dateParts {
            guard let number = integer(record[name.isEmpty ? part : name + " " + part]) else { return nil }
            time[keyPath: path] = number
        }
        return time
    }

    // MARK: - Encoding

    func encode(_ root: Root) throws(ValueEncodingError) -> [UInt8] {
        var values: [String: FieldValue] = [:]
        var flags: Int64 = 0
        var decided: Int64 = 0
        for property in properties { collect(property, root, &values, &flags, &decided) }
        // Bits that no property decides state which fields are present.
        for field in structure.fields {
            guard case .flags(let mask, let value) = field.condition else { continue }
            let free = mask & ~decided
            if values[field.name] != nil {
                flags = flags & ~free | value & free
            } else if value & free == 0 {
                flags |= free
            }
        }
        var entries: [CharacteristicRecord.Entry] = []
        let hasFlags = structure.fields.first?.name == "Flags"
        for (index, field) in structure.fields.enumerated() {
            if index == 0, hasFlags {
                entries.append(.init(field.name, .integer(flags)))
                continue
            }
            let value = values[field.name]
            guard field.condition.isMet(first: flags, previous: 0, hasMore: value != nil) else { continue }
            guard let value = value ?? (field.unknown == nil ? nil : .unknown) else {
                throw ValueEncodingError(structure.name, field: field.name, .missing)
            }
            entries.append(.init(field.name, Self.suit(value, field), field.unit))
        }
        return try CharacteristicRecord(structure, entries).encoded()
    }

    /// Returns a number in the form that its field has.
    private static func suit(_ value: FieldValue, _ field: CharacteristicStructure.Field) -> FieldValue {
        var isInteger = field.isPlain
        if case .bits = field.type { isInteger = true }
        switch value {
        case .number(let number) where isInteger:
            return Int64(exactly: number.rounded()).map { .integer($0) } ?? value
        case .integer(let number) where !isInteger: return .number(Double(number))
        default: return value
        }
    }

    private func collect(
        _ property: Property, _ root: Root, _ values: inout [String: FieldValue], _ flags: inout Int64,
        _ decided: inout Int64
    ) {
        switch property {
        case .number(let name, let path): values[name] = .number(root[keyPath: path])
        case .optional(let name, let path): values[name] = root[keyPath: path].map { .number($0) }
        case .integer(let name, let path): values[name] = .integer(Int64(root[keyPath: path]))
        case .optionalInteger(let name, let path): values[name] = root[keyPath: path].map { .integer(Int64($0)) }
        case .medical(let name, let path): values[name] = .medical(root[keyPath: path])
        case .optionalMedical(let name, let path): values[name] = root[keyPath: path].map { .medical($0) }
        case .text(let name, let path): values[name] = .text(root[keyPath: path])
        case .bytes(let name, let path): values[name] = .bytes(root[keyPath: path])
        case .numbers(let name, let path):
            if !root[keyPath: path].isEmpty { values[name] = .numbers(root[keyPath: path]) }
        case .date(let name, let path): Self.collect(root[keyPath: path], name, &values)
        case .optionalDate(let name, let path):
            if let time = root[keyPath: path] { Self.collect(time, name, &values) }
        case .flags(let lowest, let count, let path):
            decided |= (1 << Int64(count) - 1) << Int64(lowest)
            flags |= (Int64(root[keyPath: path]) & (1 << Int64(count) - 1)) << Int64(lowest)
        case .flag(let bit, let path):
            decided |= 1 << Int64(bit)
            if root[keyPath: path] { flags |= 1 << Int64(bit) }
        }
    }

    private static func collect(_ time: ClockTime, _ name: String, _ values: inout [String: FieldValue]) {
        for (part, path) in dateParts {
            values[name.isEmpty ? part : name + " " + part] = .integer(Int64(time[keyPath: path]))
        }
    }
}
