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
        case optionalText(String, Path<String?>)
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

    // MARK: - Decoding

    func decode(_ bytes: [UInt8]) throws(ValueDecodingError) -> Root {
        try decode(try structure.decode(bytes), bytes)
    }

    /// Takes the properties from the fields of a record.
    func decode(_ record: CharacteristicRecord, _ bytes: [UInt8]) throws(ValueDecodingError) -> Root {
        var root = empty
        for property in properties { try set(property, record, bytes, &root) }
        return root
    }

    private func set(
        _ property: Property, _ record: CharacteristicRecord, _ bytes: [UInt8], _ root: inout Root
    ) throws(ValueDecodingError) {
        switch property {
        case .number(let name, let path):
            if case .special = record[name] { throw invalid(name, bytes) }
            root[keyPath: path] = record[name]?.number ?? .nan
        case .optional(let name, let path): root[keyPath: path] = record[name]?.number
        case .integer(let name, let path):
            guard let number = record.integer(name) else { throw invalid(name, bytes) }
            root[keyPath: path] = number
        case .optionalInteger(let name, let path): root[keyPath: path] = record.integer(name)
        case .medical(let name, let path):
            if case .medical(let number) = record[name] { root[keyPath: path] = number }
        case .optionalMedical(let name, let path):
            if case .medical(let number) = record[name] { root[keyPath: path] = number }
        case .text(let name, let path):
            guard case .text(let text) = record[name] else { throw invalid(name, bytes) }
            root[keyPath: path] = text
        case .bytes(let name, let path): if case .bytes(let data) = record[name] { root[keyPath: path] = data }
        case .numbers(let name, let path):
            if case .numbers(let numbers) = record[name] { root[keyPath: path] = numbers }
        case .optionalText(let name, let path):
            switch record[name] {
            case nil: root[keyPath: path] = nil
            case .text(let text): root[keyPath: path] = text
            default: throw invalid(name, bytes)
            }
        case .date(let name, let path):
            guard let time = record.time(name) else { throw invalid(name.isEmpty ? "Date Time" : name, bytes) }
            root[keyPath: path] = time
        case .optionalDate(let name, let path): root[keyPath: path] = record.time(name)
        case .flags(let lowest, let count, let path):
            root[keyPath: path] = Int(record.flags >> Int64(lowest)) & (1 << count - 1)
        case .flag(let bit, let path): root[keyPath: path] = record.flags >> Int64(bit) & 1 == 1
        }
    }

    private func invalid(_ name: String, _ bytes: [UInt8]) -> ValueDecodingError {
        ValueDecodingError(structure.name, .invalidValue(field: name), bytes: bytes)
    }

    // MARK: - Encoding

    func encode(_ root: Root) throws(ValueEncodingError) -> [UInt8] {
        try CharacteristicRecord(structure, try entries(of: root)).encoded()
    }

    /// Returns the fields of a value.
    func entries(of root: Root) throws(ValueEncodingError) -> [CharacteristicRecord.Entry] {
        var fields = FieldsToEncode()
        for property in properties { collect(property, root, &fields) }
        return try fields.entries(structure)
    }

    private func collect(_ property: Property, _ root: Root, _ fields: inout FieldsToEncode) {
        switch property {
        case .number(let name, let path): fields.values[name] = .number(root[keyPath: path])
        case .optional(let name, let path): fields.values[name] = root[keyPath: path].map { .number($0) }
        case .integer(let name, let path): fields.values[name] = .integer(Int64(root[keyPath: path]))
        case .optionalInteger(let name, let path):
            fields.values[name] = root[keyPath: path].map { .integer(Int64($0)) }
        case .medical(let name, let path): fields.values[name] = .medical(root[keyPath: path])
        case .optionalMedical(let name, let path): fields.values[name] = root[keyPath: path].map { .medical($0) }
        case .text(let name, let path): fields.values[name] = .text(root[keyPath: path])
        case .optionalText(let name, let path): fields.values[name] = root[keyPath: path].map { .text($0) }
        case .bytes(let name, let path): fields.values[name] = .bytes(root[keyPath: path])
        case .numbers(let name, let path):
            if !root[keyPath: path].isEmpty { fields.values[name] = .numbers(root[keyPath: path]) }
        case .date(let name, let path): fields.set(root[keyPath: path], name)
        case .optionalDate(let name, let path): if let time = root[keyPath: path] { fields.set(time, name) }
        case .flags(let lowest, let count, let path): fields.set(root[keyPath: path], lowest: lowest, count: count)
        case .flag(let bit, let path): fields.set(root[keyPath: path] ? 1 : 0, lowest: bit, count: 1)
        }
    }
}
