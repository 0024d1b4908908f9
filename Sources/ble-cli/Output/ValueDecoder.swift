import RxBluetooth

/// What a value means.
struct DecodedValue: Equatable, Sendable {
    /// The meaning as text; it may hold anything that came from the device.
    let text: String
    /// The number, in units of the last of its decimal places; nil where it is no number.
    var number: (value: Int, places: Int)?
    /// The unit of the number.
    var unit: String?
    /// Whether the text is one that the device sent, so that it is shown in quotes.
    var isQuoted = false

    static func == (one: DecodedValue, other: DecodedValue) -> Bool {
        one.text == other.text && one.number?.value == other.number?.value
            && one.number?.places == other.number?.places && one.unit == other.unit && one.isQuoted == other.isQuoted
    }

    /// The meaning for people, harmless.
    var shown: String { isQuoted ? "\"" + Sanitiser.clean(text, quote: true) + "\"" : text }

    /// The meaning for programs.
    var json: JSON {
        .object([
            ("text", .string(text)), ("number", number.map { .decimal($0.value, places: $0.places) } ?? .null),
            ("unit", .string(orNull: unit)),
        ])
    }

    /// A number with its unit.
    static func number(_ value: Int, places: Int = 0, _ unit: String) -> DecodedValue {
        DecodedValue(text: JSON.decimal(value, places) + " " + unit, number: (value, places), unit: unit)
    }

    /// A text that the device sent.
    static func quoted(_ text: String) -> DecodedValue { DecodedValue(text: text, isQuoted: true) }
}

/// What values say: beside their bytes, never instead of them.
enum ValueDecoder {
    /// A value for people: its bytes, and what they say where that is known or likely.
    static func line(_ value: [UInt8], of uuid: BluetoothUUID) -> String {
        guard !value.isEmpty else { return "(empty)" }
        return HexBytes.text(value) + (guess(value, of: uuid).map { "  " + $0 } ?? "")
    }

    /// What a value of a kind that is known says; nil for any other, and for one that is malformed.
    static func decoded(_ value: [UInt8], of uuid: BluetoothUUID) -> DecodedValue? {
        switch uuid.shortNumber ?? 0 {
        case 0x2A00, 0x2A24...0x2A29, 0x2901: text(value).map { .quoted($0) }
        case 0x2A19: value.count == 1 ? .number(Int(value[0]), "%") : nil
        case 0x2A37: heartRate(value)
        case 0x2A6E: value.count == 2 ? temperature(Int16(bitPattern: number(value))) : nil
        case 0x2902: switches(value)
        default: nil
        }
    }

    /// The same for people.
    static func known(_ value: [UInt8], of uuid: BluetoothUUID) -> String? { decoded(value, of: uuid)?.shown }

    /// What a value says, or may say: plain text, or a small number. Text wants four characters at least, since two or three
    /// bytes are easily letters by chance.
    static func guess(_ value: [UInt8], of uuid: BluetoothUUID) -> String? {
        if let known = known(value, of: uuid) { return known }
        if value.count >= 4, let text = text(value), !text.isEmpty, Sanitiser.isHarmless(text) {
            return DecodedValue.quoted(text).shown
        }
        return value.count == 1 ? String(value[0]) : nil
    }

    /// The text that bytes are; devices pad it with zeros. Nil where they are not UTF-8.
    private static func text(_ value: [UInt8]) -> String? {
        var bytes = value[...]
        while bytes.last == 0 { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func number(_ value: [UInt8]) -> UInt16 { UInt16(value[1]) << 8 | UInt16(value[0]) }

    /// Source: Heart Rate Service 1.0, 3.1.1: flags, then 8 or 16 bits.
    private static func heartRate(_ value: [UInt8]) -> DecodedValue? {
        guard let flags = value.first, value.count >= (flags & 1 == 0 ? 2 : 3) else { return nil }
        return .number(Int(flags & 1 == 0 ? UInt16(value[1]) : number(Array(value[1...2]))), "bpm")
    }

    /// Source: GATT Specification Supplement, Temperature: hundredths of a degree.
    private static func temperature(_ hundredths: Int16) -> DecodedValue {
        guard hundredths != .min else { return DecodedValue(text: "not known", unit: "°C") }
        return .number(Int(hundredths), places: 2, "°C")
    }

    /// Source: Core Specification 5.4, Vol 3, Part G, 3.3.3.3.
    private static func switches(_ value: [UInt8]) -> DecodedValue? {
        guard value.count == 2 else { return nil }
        let names = [(1, "notifications on"), (2, "indications on")].filter { Int(value[0]) & $0.0 != 0 }.map(\.1)
        return DecodedValue(text: names.isEmpty ? "off" : names.joined(separator: ", "))
    }
}
