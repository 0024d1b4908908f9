public import BluetoothValues
import RxBluetooth

/// Conversion between the bytes of a characteristic with a published structure, and JSON.
enum TypedAttribute {
    /// Returns the fields of a value; nil if the structure is not known, or the bytes do not match it.
    ///
    /// A field that its sensor cannot have measured has no value.
    static func decode(_ bytes: [UInt8], of uuid: BluetoothUUID) -> [DecodedField]? {
        guard let number = uuid.shortNumber, let structure = CharacteristicStructure.structure(of: number),
            let record = try? structure.decode(bytes)
        else { return nil }
        return record.entries.map { entry in
            let unit = entry.unit.symbol.isEmpty ? nil : entry.unit.symbol
            guard record.isPossible(entry) else { return DecodedField(impossible: entry.name, unit: unit) }
            return DecodedField(name: entry.name, value: entry.value, unit: unit)
        }
    }

    /// Encodes a number, a text, or an object with the names of fields as keys.
    static func encode(_ json: JSONNode, of uuid: BluetoothUUID) throws(CommandFailure) -> [UInt8] {
        guard let number = uuid.shortNumber, let structure = CharacteristicStructure.structure(of: number) else {
            throw .invalid(
                "the structure of \(uuid) is not known, so “typed” cannot be used; give the bytes as “value”")
        }
        let given: [(field: CharacteristicStructure.Field, json: JSONNode)]
        if case .object(let members) = json {
            given = try fields(members, structure)
        } else if structure.fields.count == 1, let field = structure.fields.first {
            given = [(field, json)]
        } else {
            throw .invalid("“typed” is an object with the fields \(names(of: structure))")
        }
        // A field has one type, so only one of the candidates can be encoded.
        var lists: [[CharacteristicRecord.Entry]] = [[]]
        for (field, json) in given {
            let entries = candidates(json).map { CharacteristicRecord.Entry(field.name, $0) }
            lists = lists.flatMap { list in entries.map { list + [$0] } }
            guard lists.count <= 4096 else { throw .invalid("“typed” has too many fields; give the bytes as “value”") }
        }
        for entries in lists {
            if let bytes = try? CharacteristicRecord(structure, entries).encoded() { return bytes }
        }
        throw .invalid("“typed” is not a valid \(structure.name), which has the fields \(names(of: structure))")
    }

    private static func names(of structure: CharacteristicStructure) -> String {
        structure.fields.map(\.name).joined(separator: ", ")
    }

    private static func fields(
        _ members: [JSONNode.Member], _ structure: CharacteristicStructure
    ) throws(CommandFailure) -> [(field: CharacteristicStructure.Field, json: JSONNode)] {
        for member in members where !structure.fields.contains(where: { $0.name == member.key }) {
            throw .invalid("\(structure.name) has no field “\(member.key.prefix(40))”, but \(names(of: structure))")
        }
        // Alternatives of a field have one name, of which a value has one.
        var names: Set<String> = []
        return structure.fields.filter { names.insert($0.name).inserted }
            .compactMap { field in members.first { $0.key == field.name }.map { (field, $0.value) } }
    }

    /// Returns the values of fields that a JSON value can mean.
    private static func candidates(_ json: JSONNode) -> [FieldValue] {
        switch json {
        case .null: return [.unknown]
        case .bool(let value): return [.integer(value ? 1 : 0)]
        case .number(let number):
            // A long number is converted to a short one if its digits fit, so it is tried first.
            let medical: [FieldValue] = [.medical(MedicalFloat(number, width: .long)), .medical(MedicalFloat(number))]
            let isWhole = number == number.rounded() && abs(number) < 1e15
            return (isWhole ? [.integer(Int64(number))] : []) + [.number(number)] + medical
        case .string(let text):
            return (HexDigits.bytes(text).map { [.bytes($0)] } ?? []) + [.text(text)]
        case .array(let items):
            var numbers: [Double] = []
            for item in items {
                guard case .number(let number) = item else { return [] }
                numbers.append(number)
            }
            return [.numbers(numbers)]
        case .object: return []
        }
    }
}

/// A field of a decoded value.
public struct DecodedField: Hashable, Sendable {
    /// The name of the field in the specification.
    public var name: String
    public var value: FieldValue
    /// The symbol of the unit; nil if the value has none.
    public var unit: String?
    /// Whether the device sent a number that its sensor cannot have measured. The value is not known then.
    public private(set) var isImpossible = false

    /// Creates a field.
    public init(name: String, value: FieldValue, unit: String? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
    }

    init(impossible name: String, unit: String?) {
        self.init(name: name, value: .unknown, unit: unit)
        isImpossible = true
    }
}

extension Optional<[DecodedField]> {
    /// The number of fields that a sensor cannot have measured.
    var impossibleCount: Int { self?.count { $0.isImpossible } ?? 0 }
}

extension FieldValue {
    /// The value in a message: a number, text, list of numbers, or null if it is not known or not valid.
    var json: JSONNode {
        switch self {
        case .number(let number): .number(number)
        case .integer(let number): .number(Double(number))
        case .medical(let number): .number(number.value)
        case .text(let text): .string(text)
        case .bytes(let bytes): .string(HexDigits.text(bytes))
        case .numbers(let numbers): .array(numbers.map { .number($0) })
        case .unknown, .special: .null
        }
    }
}
