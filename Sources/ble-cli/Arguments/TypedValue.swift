import RxBluetooth

/// The value of `ble-cli write --value`: text that the structure of the characteristic encodes.
enum TypedValue {
    /// Words for numbers of control points. Source: Heart Rate Service 1.0, 3.3; Alert Level, GATT Specification
    /// Supplement.
    private static let words: [UInt16: [String: Int64]] = [
        0x2A39: ["reset": 1],
        0x2A06: ["none": 0, "mild": 1, "high": 2],
    ]

    /// Encodes the value of a characteristic: a number, a word, a text, or `FIELD=VALUE, FIELD=VALUE`.
    static func encode(_ text: String, for uuid: BluetoothUUID) throws(CLIError) -> [UInt8] {
        guard let number = uuid.shortNumber, let structure = CharacteristicStructure.structure(of: number) else {
            throw CLIError(
                .usage, "The structure of \(uuid) is not known, so --value cannot encode it. Give the bytes.")
        }
        let record = CharacteristicRecord(structure, [])
        let choices: [[CharacteristicRecord.Entry]]
        if let word = words[number]?[text.trimmed.lowercased()] {
            choices = [entry(structure.fields.first?.name ?? "", .integer(word))]
        } else if structure.fields.count == 1, let field = structure.fields.first {
            choices = Self.choices(text, field)
        } else {
            choices = try Self.choices(ofAll: text, structure)
        }
        var reason: ValueEncodingError?
        for entries in choices {
            var attempt = record
            attempt.entries = entries
            do throws(ValueEncodingError) { return try attempt.encoded() } catch {
                // Every text is tried as text last, which does not fit a field for numbers.
                if choices.count > 1 { reason = reason ?? error }
            }
        }
        throw refused(text, structure, reason)
    }

    private static func refused(
        _ text: String, _ structure: CharacteristicStructure, _ reason: ValueEncodingError?
    ) -> CLIError {
        let known = words[structure.uuid].map { $0.keys.sorted() } ?? []
        let fields = structure.fields.map { field in
            field.unit.symbol.isEmpty ? field.name : "\(field.name) (\(field.unit.symbol))"
        }
        let forms =
            structure.fields.count == 1
            ? known + ["a value of \(fields[0])"]
            : [
                "FIELD=VALUE for the fields "
                    + fields.joined(separator: ", ")
            ]
        let why = reason.map { " \($0)" } ?? ""
        return CLIError(
            .usage, "“\(text)” is not a \(structure.name).\(why) Give \(forms.joined(separator: " or ")).")
    }

    private static func entry(_ name: String, _ value: FieldValue) -> [CharacteristicRecord.Entry] {
        [CharacteristicRecord.Entry(name, value)]
    }

    /// Returns the values that a text can mean. Only one of them can be encoded in the field.
    private static func values(_ text: String, _ field: CharacteristicStructure.Field) -> [FieldValue] {
        var digits = text.trimmed
        let symbol = field.unit.symbol
        if !symbol.isEmpty, digits.hasSuffix(symbol) { digits = String(digits.dropLast(symbol.count)).trimmed }
        var values: [FieldValue] = []
        if let integer = Int64(digits) { values.append(.integer(integer)) }
        if let number = Double(digits), number.isFinite {
            // A long number is converted to a short one if its digits fit, so it is tried first.
            values += [.number(number), .medical(MedicalFloat(number, width: .long)), .medical(MedicalFloat(number))]
        }
        if digits.lowercased() == "unknown" { values.append(.unknown) }
        return values + [.text(text)]
    }

    private static func choices(
        _ text: String, _ field: CharacteristicStructure.Field
    ) -> [[CharacteristicRecord.Entry]] {
        values(text, field).map { entry(field.name, $0) }
    }

    /// Returns the entries of a value with several fields, which the text names in any order.
    private static func choices(
        ofAll text: String, _ structure: CharacteristicStructure
    ) throws(CLIError) -> [[CharacteristicRecord.Entry]] {
        var given: [(name: String, text: String)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw refused(text, structure, nil) }
            given.append((String(sides[0]).trimmed.lowercased(), String(sides[1]).trimmed))
        }
        // A structure may have alternatives of one name, and the first field decides which one is present.
        var lists: [[CharacteristicRecord.Entry]] = [[]]
        var used = 0
        var names: Set<String> = []
        for field in structure.fields where names.insert(field.name).inserted {
            guard let value = given.first(where: { $0.name == field.name.lowercased() }) else { continue }
            used += 1
            let alternatives = structure.fields.filter { $0.name == field.name }
                .flatMap { values(value.text, $0) }
            lists = lists.flatMap { list in alternatives.map { list + entry(field.name, $0) } }
            guard lists.count <= 4096 else { throw refused(text, structure, nil) }
        }
        guard used == given.count else { throw refused(text, structure, nil) }
        return lists
    }
}
