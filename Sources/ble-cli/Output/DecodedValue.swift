import RxBluetooth
import RxBluetoothSupport

/// The meaning of a characteristic's or descriptor's value.
struct DecodedValue: Equatable, Sendable {
    /// A field of the value.
    struct Field: Equatable, Sendable {
        let name: String
        let value: FieldValue
        var unit = ""
        /// What a number means that is not a value.
        var meaning: SpecialMeaning?
        /// Whether the number is one that the sensor cannot have measured. A remark of the value has it.
        var isImpossible = false

        /// The value with its unit, sanitised.
        var display: String {
            if isImpossible { return "impossible" }
            let text =
                switch value {
                case .number(let number): NumberText.of(number)
                case .integer(let number): String(number)
                // The other meanings have one number each.
                case .special(let number):
                    meaning.map { $0 == .reserved ? "\($0.rawValue) \(number)" : $0.rawValue } ?? String(number)
                case .medical(let number): number.description
                case .text(let text): "\"" + Sanitiser.clean(text.withoutPadding, quote: true) + "\""
                case .bytes(let bytes): HexBytes.text(bytes)
                case .numbers(let numbers): numbers.map(NumberText.of).joined(separator: ", ")
                case .unknown: "not known"
                }
            return hasUnit ? text + " " + unit : text
        }

        private var hasUnit: Bool {
            if case .special = value { return false }
            return !unit.isEmpty && value != .unknown
        }

        /// The number, text or list of numbers as JSON; null if it is not known, impossible, or not a number.
        var jsonValue: JSON {
            if isImpossible { return .null }
            return switch value {
            case .number(let number): .double(number)
            case .integer(let number): .number(Int(number))
            case .medical(let number): .double(number.value)
            case .text(let text): .string(text.withoutPadding)
            case .bytes(let bytes): .string(HexBytes.text(bytes))
            case .numbers(let numbers): .array(numbers.map { .double($0) })
            case .unknown, .special: .null
            }
        }
    }

    /// The fields, without those that only say which other fields are present.
    let fields: [Field]
    /// The meaning in words; nil if it consists of the fields.
    private var words: String?
    /// What was decided about the bytes, for example how many bytes a number has.
    private var remarks: [String] = []
    /// The bytes after the last field.
    private var surplus: [UInt8] = []

    /// The meaning as sanitised text.
    var display: String {
        let rest = surplus.isEmpty ? [] : ["surplus bytes \(HexBytes.text(surplus))"]
        return ([meaning] + remarks + rest).joined(separator: "; ")
    }

    private var meaning: String {
        if let words { return words }
        guard fields.count != 1 else { return fields[0].display }
        return fields.map { Sanitiser.clean($0.name) + " " + $0.display }.joined(separator: ", ")
    }

    /// The meaning as a JSON object. The number is that of the first field.
    var json: JSON {
        let first = fields.first
        let isNumber = first?.value.number?.isFinite == true
        let text: String = if case .text(let text)? = first?.value { text.withoutPadding } else { display }
        return .object([
            ("text", .string(text)), ("number", isNumber ? first?.jsonValue ?? .null : .null),
            ("unit", .string(orNull: first.flatMap { $0.unit.isEmpty ? nil : $0.unit })),
            (
                "fields",
                .array(
                    fields.map { field in
                        .object([
                            ("name", .string(field.name)), ("value", field.jsonValue),
                            ("unit", .string(orNull: field.unit.isEmpty ? nil : field.unit)),
                        ])
                    })
            ),
            ("surplus", surplus.isEmpty ? .null : .string(HexBytes.text(surplus))),
            ("remarks", .array(remarks.map { .string($0) })),
        ])
    }

    /// Decodes a value; nil if the UUID has no published structure, or the value is malformed.
    init?(_ value: [UInt8], of uuid: BluetoothUUID) {
        guard let decoded = try? DecodedValue(checking: value, of: uuid) else { return nil }
        self = decoded
    }

    /// Decodes a value; nil if its structure is not known, or it is text that is not UTF-8.
    ///
    /// Throws the reason if the value is malformed.
    init?(checking value: [UInt8], of uuid: BluetoothUUID) throws(ValueDecodingError) {
        guard let structure = Self.structure(of: uuid) else { return nil }
        let record = try structure.decode(value)
        let entries = record.entries
        let isFlags = { (entry: CharacteristicRecord.Entry) in entry.name == "Flags" && entries.count > 1 }
        fields = entries.filter { !isFlags($0) }
            .map {
                // The text of a number that the specification forbids says so already.
                let isImpossible = $0.value.number != nil && !record.isPossible($0)
                return Field(
                    name: $0.name, value: $0.value, unit: $0.unit.symbol, meaning: record.meaning(of: $0),
                    isImpossible: isImpossible)
            }
        words = ValueWords.text(record)
        remarks = record.remarks
        surplus = record.surplus
        // Text that is not UTF-8 has no meaning but its bytes.
        guard fields.count == 1, case .bytes = fields[0].value,
            structure.fields.contains(where: { $0.name == fields[0].name && $0.isText })
        else { return }
        if structure.uuid == 0x2901 {
            throw ValueDecodingError(structure.name, .invalidValue(field: "the text"), bytes: value)
        }
        return nil
    }

    /// Returns the structure of a characteristic's or descriptor's value; nil if none is known.
    static func structure(of uuid: BluetoothUUID) -> CharacteristicStructure? {
        uuid.shortNumber.flatMap {
            CharacteristicStructure.structure(of: $0) ?? CharacteristicStructure.structure(ofDescriptor: $0)
        }
    }
}

/// Lines with a value: its bytes, followed by their meaning.
enum ValueText {
    /// Returns a value as text: its bytes, followed by their meaning if it is known or likely.
    static func line(_ value: [UInt8], of uuid: BluetoothUUID) -> String {
        guard !value.isEmpty else { return "(empty)" }
        let digits = HexBytes.text(value)
        guard let meaning = meaning(value, of: uuid), meaning != digits else { return digits }
        return digits + "  " + meaning
    }

    /// Returns the known meaning of a value, why it is malformed, or a guess: plain text or a small number.
    ///
    /// Only four or more bytes are taken as text, because two or three bytes are often letters by chance.
    static func meaning(_ value: [UInt8], of uuid: BluetoothUUID) -> String? {
        do throws(ValueDecodingError) {
            if let known = try DecodedValue(checking: value, of: uuid) { return known.display }
        } catch {
            return "(not a valid \(error.subject): \(error.reason))"
        }
        if value.count >= 4, let text = String(validating: value, as: UTF8.self)?.withoutPadding, !text.isEmpty,
            Sanitiser.isHarmless(text)
        {
            return "\"" + Sanitiser.clean(text, quote: true) + "\""
        }
        return value.count == 1 ? String(value[0]) : nil
    }
}

extension String {
    /// The text without the zeros with which devices pad it.
    fileprivate var withoutPadding: String {
        var text = unicodeScalars[...]
        while text.last == "\0" { text.removeLast() }
        return String(text)
    }
}
