import RxBluetooth

/// What a value says, for people: beside its bytes, never instead of them.
enum ValueText {
    /// What a value of a kind that is known says; nil for any other, and for one that is malformed.
    static func known(_ value: [UInt8], of uuid: BluetoothUUID) -> String? {
        switch uuid.shortNumber ?? 0 {
        case 0x2A00, 0x2A24...0x2A29, 0x2901: text(value).map(quoted)
        case 0x2A19: value.count == 1 ? "\(value[0]) %" : nil
        case 0x2A37: heartRate(value)
        case 0x2A6E: value.count == 2 ? temperature(Int16(bitPattern: number(value))) : nil
        case 0x2902: switches(value)
        default: nil
        }
    }

    /// What a value says, or may say: plain text, or a small number. Text wants four characters at least, since two or three
    /// bytes are easily letters by chance.
    static func guess(_ value: [UInt8], of uuid: BluetoothUUID) -> String? {
        if let known = known(value, of: uuid) { return known }
        if value.count >= 4, let text = text(value), !text.isEmpty,
            !text.unicodeScalars.contains(where: Sanitiser.isHarmful)
        {
            return quoted(text)
        }
        return value.count == 1 ? String(value[0]) : nil
    }

    /// The text that bytes are; devices pad it with zeros. Nil where they are not UTF-8.
    private static func text(_ value: [UInt8]) -> String? {
        var bytes = value[...]
        while bytes.last == 0 { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func quoted(_ text: String) -> String { "\"" + Sanitiser.clean(text, quote: true) + "\"" }

    private static func number(_ value: [UInt8]) -> UInt16 { UInt16(value[1]) << 8 | UInt16(value[0]) }

    /// Source: Heart Rate Service 1.0, 3.1.1: flags, then 8 or 16 bits.
    private static func heartRate(_ value: [UInt8]) -> String? {
        guard let flags = value.first, value.count >= (flags & 1 == 0 ? 2 : 3) else { return nil }
        return "\(flags & 1 == 0 ? UInt16(value[1]) : number(Array(value[1...2]))) bpm"
    }

    /// Source: GATT Specification Supplement, Temperature: hundredths of a degree.
    private static func temperature(_ hundredths: Int16) -> String? {
        guard hundredths != .min else { return "not known" }
        let magnitude = hundredths.magnitude
        let fraction = String(magnitude % 100)
        let padding = fraction.count == 1 ? "0" : ""
        return "\(hundredths < 0 ? "-" : "")\(magnitude / 100).\(padding)\(fraction) °C"
    }

    /// Source: Core Specification 5.4, Vol 3, Part G, 3.3.3.3.
    private static func switches(_ value: [UInt8]) -> String? {
        guard value.count == 2 else { return nil }
        let names = [(1, "notifications on"), (2, "indications on")].filter { Int(value[0]) & $0.0 != 0 }.map(\.1)
        return names.isEmpty ? "off" : names.joined(separator: ", ")
    }
}
