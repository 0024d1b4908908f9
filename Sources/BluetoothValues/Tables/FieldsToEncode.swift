// The code of tables that does not depend on the type of the value: a program contains it once, not once per type.

private let dateParts: [(String, any WritableKeyPath<ClockTime, Int> & Sendable)] = [
    ("Year", \.year), ("Month", \.month), ("Day", \.day), ("Hours", \.hour), ("Minutes", \.minute),
    ("Seconds", \.second),
]

extension CharacteristicRecord {
    /// The flags, which are always the first field.
    var flags: Int64 {
        guard case .integer(let flags) = entries.first?.value else { return 0 }
        return flags
    }

    /// Returns a field as an integer; nil if it is absent or not a number.
    func integer(_ name: String) -> Int? {
        switch self[name] {
        case .integer(let number): Int(number)
        case .number(let number): Int(exactly: number.rounded())
        default: nil
        }
    }

    /// Returns the time with fields that begin with a name; nil if one is absent.
    func time(_ name: String) -> ClockTime? {
        var time = ClockTime()
        for (part, path) in dateParts {
            guard let number = integer(name.isEmpty ? part : name + " " + part) else { return nil }
            time[keyPath: path] = number
        }
        return time
    }
}

/// The fields of a value that is encoded.
struct FieldsToEncode {
    var values: [String: FieldValue] = [:]
    private var flags: Int64 = 0
    // The bits of `flags` that a property decides.
    private var decided: Int64 = 0

    /// Sets the fields of a time.
    mutating func set(_ time: ClockTime, _ name: String) {
        for (part, path) in dateParts {
            values[name.isEmpty ? part : name + " " + part] = .integer(Int64(time[keyPath: path]))
        }
    }

    /// Sets bits of the flags.
    mutating func set(_ number: Int, lowest: Int, count: Int) {
        let mask: Int64 = 1 << Int64(count) - 1
        decided |= mask << Int64(lowest)
        flags |= (Int64(number) & mask) << Int64(lowest)
    }

    /// Returns the fields in the order of the structure.
    func entries(
        _ structure: CharacteristicStructure
    ) throws(ValueEncodingError) -> [CharacteristicRecord.Entry] {
        var flags = flags
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
            guard let value = value ?? field.absentValue else {
                throw ValueEncodingError(structure.name, field: field.name, .missing)
            }
            entries.append(.init(field.name, Self.suit(value, field), field.unit))
        }
        return entries
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
}
