import RxBluetooth
import RxBluetoothSupport

/// Values of characteristics and descriptors in words, where numbers say little.
enum ValueWords {
    /// Returns the meaning of a value; nil if its fields say it, or it has numbers without a meaning.
    static func text(_ record: CharacteristicRecord) -> String? {
        switch record.structure.uuid {
        case 0x2900: bits(record, [(1, "reliable writes"), (2, "writable description")], none: "none")
        case 0x2902: bits(record, [(1, "notifications on"), (2, "indications on")], none: "off")
        case 0x2903: bits(record, [(1, "broadcasts on")], none: "off")
        case 0x2904: presentationFormat(record)
        case 0x2905: handles(record)
        case 0x2906: range(record)
        case 0x2907: record.number("Characteristic").map { "characteristic \(HexBytes.text(UInt16(clamping: $0)))" }
        case 0x2908: reportReference(record)
        case 0x2A05: changedHandles(record)
        case 0x2A08, 0x2A2B, 0x2A85, 0x2A86: DateText.text(record)
        case 0x2A0D, 0x2A0E, 0x2A0F: DateText.localTime(record)
        case 0x2A38: name(record, ["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"])
        case 0x2A50: product(record)
        default: nil
        }
    }

    private static func name(_ record: CharacteristicRecord, _ names: [String]) -> String? {
        guard let number = record.entries.first?.value.number.flatMap({ Int(exactly: $0) }) else { return nil }
        return names.indices.contains(number) ? names[number] : nil
    }

    private static func bits(
        _ record: CharacteristicRecord, _ names: [(bit: Int64, name: String)], none: String
    ) -> String? {
        guard case .integer(let number)? = record.entries.first?.value else { return nil }
        let set = names.filter { number & $0.bit != 0 }.map(\.name)
        return set.isEmpty ? none : set.joined(separator: ", ")
    }

    // Source: Assigned Numbers, 2.4.1.
    private static let formats = [
        "reserved", "boolean", "uint2", "uint4", "uint8", "uint12", "uint16", "uint24", "uint32", "uint48", "uint64",
        "uint128", "sint8", "sint12", "sint16", "sint24", "sint32", "sint48", "sint64", "sint128", "float32", "float64",
        "medfloat16", "medfloat32", "uint16[2]", "utf8s", "utf16s", "struct", "medASN1",
    ]

    private static func presentationFormat(_ record: CharacteristicRecord) -> String? {
        guard let format = record.number("Format"), let exponent = record.number("Exponent"),
            let unit = record.number("Unit"), let space = record.number("Name Space"),
            let description = record.number("Description")
        else { return nil }
        let type = formats.indices.contains(format) ? formats[format] : "\(format)"
        let name = UnitName.of(UInt16(clamping: unit)) ?? "0x" + HexBytes.text(UInt16(clamping: unit))
        let authority = space == 1 ? "1 (Bluetooth SIG)" : "\(space)"
        return "format \(type), exponent \(exponent), unit \(name), name space \(authority), "
            + "description 0x" + HexBytes.text(UInt16(clamping: description))
    }

    private static func handles(_ record: CharacteristicRecord) -> String? {
        guard case .numbers(let numbers)? = record.entries.first?.value, !numbers.isEmpty else { return nil }
        return "handles " + numbers.map { "@" + HexBytes.text(UInt16(clamping: Int($0))) }.joined(separator: ", ")
    }

    private static func changedHandles(_ record: CharacteristicRecord) -> String? {
        guard let first = record.number("First Handle"), let last = record.number("Last Handle") else { return nil }
        return "services between the handles @\(HexBytes.text(UInt16(clamping: first))) and "
            + "@\(HexBytes.text(UInt16(clamping: last))) have changed"
    }

    /// Two numbers of the same length, the format of which the characteristic defines.
    private static func range(_ record: CharacteristicRecord) -> String? {
        guard case .bytes(let bytes)? = record.entries.first?.value, !bytes.isEmpty, bytes.count.isMultiple(of: 2)
        else { return nil }
        let half = bytes.count / 2
        return "from \(HexBytes.text(Array(bytes[..<half]))) to \(HexBytes.text(Array(bytes[half...])))"
    }

    private static func reportReference(_ record: CharacteristicRecord) -> String? {
        guard let report = record.number("Report ID"), let type = record.number("Report Type") else { return nil }
        let names = [1: "input", 2: "output", 3: "feature"]
        return "report \(report), \(names[type] ?? "type \(type)")"
    }

    private static func product(_ record: CharacteristicRecord) -> String? {
        guard let source = record.number("Vendor ID Source"), let vendor = record.number("Vendor ID"),
            let product = record.number("Product ID"), let version = record.number("Product Version")
        else { return nil }
        let number = UInt16(clamping: vendor)
        let company = source == 1 ? CompanyName.of(number).map { " (\(Sanitiser.clean($0)))" } ?? "" : ""
        let lists = [1: " from the company list", 2: " from the list of USB"]
        return "vendor 0x\(HexBytes.text(number))\(lists[source] ?? " from the source \(source)")\(company), "
            + "product \(product), version \(version >> 8).\(version >> 4 & 0xF).\(version & 0xF)"
    }
}

extension CharacteristicRecord {
    /// The whole number of a field; nil if it has none.
    func number(_ name: String) -> Int? { self[name]?.number.flatMap { Int(exactly: $0) } }
}
