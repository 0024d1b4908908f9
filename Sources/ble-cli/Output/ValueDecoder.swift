import RxBluetooth

/// The meaning of a characteristic's or descriptor's value.
struct DecodedValue: Equatable, Sendable {
    /// The meaning as text, which may contain raw text from the device.
    let text: String
    /// A fixed-point number with its decimal places; nil if the value is not a number.
    var number: (value: Int, places: Int)?
    /// The unit of the number.
    var unit: String?
    /// Whether the text is one that the device sent, which is printed in quotes.
    var isQuoted = false

    static func == (one: DecodedValue, other: DecodedValue) -> Bool {
        one.text == other.text && one.number?.value == other.number?.value
            && one.number?.places == other.number?.places && one.unit == other.unit && one.isQuoted == other.isQuoted
    }

    /// The meaning as sanitised text.
    var display: String { isQuoted ? "\"" + Sanitiser.clean(text, quote: true) + "\"" : text }

    /// The meaning as a JSON object.
    var json: JSON {
        .object([
            ("text", .string(text)), ("number", number.map { .decimal($0.value, places: $0.places) } ?? .null),
            ("unit", .string(orNull: unit)),
        ])
    }

    /// Makes the meaning of a number with its unit.
    static func number(_ value: Int, places: Int = 0, _ unit: String) -> DecodedValue {
        DecodedValue(text: JSON.decimal(value, places) + " " + unit, number: (value, places), unit: unit)
    }

    /// Makes the meaning of a text that the device sent.
    static func quoted(_ text: String) -> DecodedValue { DecodedValue(text: text, isQuoted: true) }
}

/// Decodes values of well-known characteristics and descriptors, and guesses other values.
enum ValueDecoder {
    /// Returns a value as text: its bytes, followed by their meaning if it is known or likely.
    static func line(_ value: [UInt8], of uuid: BluetoothUUID) -> String {
        guard !value.isEmpty else { return "(empty)" }
        return HexBytes.text(value) + (guess(value, of: uuid).map { "  " + $0 } ?? "")
    }

    /// Returns the meaning of a value; nil if the UUID is not a known one or the value is malformed.
    static func decode(_ value: [UInt8], of uuid: BluetoothUUID) -> DecodedValue? {
        switch uuid.shortNumber ?? 0 {
        case 0x2A00, 0x2A24...0x2A29, 0x2901: text(value).map { .quoted($0) }
        case 0x2A19: value.count == 1 ? .number(Int(value[0]), "%") : nil
        case 0x2A37: heartRate(value)
        case 0x2A6E: value.count == 2 ? temperature(Int16(bitPattern: number(value))) : nil
        case 0x2902: clientConfiguration(value)
        default: nil
        }
    }

    /// Returns the meaning of a value as text; nil if the UUID is unknown or the value is malformed.
    static func knownText(_ value: [UInt8], of uuid: BluetoothUUID) -> String? { decode(value, of: uuid)?.display }

    /// Returns the known meaning of a value, or a guess: plain text or a small number.
    ///
    /// Only four or more bytes are taken as text, because two or three bytes are often letters by chance.
    static func guess(_ value: [UInt8], of uuid: BluetoothUUID) -> String? {
        if let known = knownText(value, of: uuid) { return known }
        if value.count >= 4, let text = text(value), !text.isEmpty, Sanitiser.isHarmless(text) {
            return DecodedValue.quoted(text).display
        }
        return value.count == 1 ? String(value[0]) : nil
    }

    /// Returns the bytes as text without padding zeros; nil if they are not UTF-8.
    private static func text(_ value: [UInt8]) -> String? {
        var bytes = value[...]
        while bytes.last == 0 { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func number(_ value: [UInt8]) -> UInt16 { UInt16(value[1]) << 8 | UInt16(value[0]) }

    /// Decodes a heart rate: flags, then 8 or 16 bits. Source: Heart Rate Service 1.0, 3.1.1.
    private static func heartRate(_ value: [UInt8]) -> DecodedValue? {
        guard let flags = value.first, value.count >= (flags & 1 == 0 ? 2 : 3) else { return nil }
        return .number(Int(flags & 1 == 0 ? UInt16(value[1]) : number(Array(value[1...2]))), "bpm")
    }

    /// Decodes hundredths of a degree Celsius. Source: GATT Specification Supplement, Temperature.
    private static func temperature(_ hundredths: Int16) -> DecodedValue {
        guard hundredths != .min else { return DecodedValue(text: "not known", unit: "°C") }
        return .number(Int(hundredths), places: 2, "°C")
    }

    /// Decodes a Client Characteristic Configuration.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part G, 3.3.3.3.
    private static func clientConfiguration(_ value: [UInt8]) -> DecodedValue? {
        guard value.count == 2 else { return nil }
        let names = [(1, "notifications on"), (2, "indications on")].filter { Int(value[0]) & $0.0 != 0 }.map(\.1)
        return DecodedValue(text: names.isEmpty ? "off" : names.joined(separator: ", "))
    }
}
