/// A characteristic of the Environmental Sensing or Battery service as service data.
///
/// Source: GATT Specification Supplement; the payload is the characteristic's value.
public struct EnvironmentalData: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.environmentalSensing

    /// The UUIDs among which those of the table are.
    static let services: ClosedRange<UInt16> = 0x2A19...0x2BD9

    /// The UUID of the characteristic, see ``supportedCharacteristics``.
    public var characteristic: UInt16
    /// The value; nil if the device has none at the moment.
    public var value: Double?

    /// Makes a value.
    public init(_ characteristic: UInt16, _ value: Double?) {
        self.characteristic = characteristic
        self.value = value
    }

    /// The characteristics that are supported.
    public static var supportedCharacteristics: [UInt16] { records.keys.sorted() }

    // Table: characteristics by UUID.
    static let records: [UInt16: Record] = [
        0x2A19: Record(1, [RecordField(.batteryLevel, .u8(0), .one, .percent)]),
        0x2A6D: Record(4, [RecordField(.pressure, .u32(0), .thousandth, .hectopascal)]),
        0x2A6E: Record(2, [RecordField(.temperature, .s16(0), .hundredth, .celsius, absent: -0x8000)]),
        0x2A6F: Record(2, [RecordField(.humidity, .u16(0), .hundredth, .percent, absent: 0xFFFF)]),
        0x2A70: Record(2, [RecordField(.speed, .u16(0), .hundredth, .metrePerSecond)]),
        0x2A71: Record(2, [RecordField(.direction, .u16(0), .hundredth, .degree)]),
        0x2A72: Record(2, [RecordField(.speed, .u16(0), .hundredth, .metrePerSecond)]),
        0x2A73: Record(2, [RecordField(.direction, .u16(0), .hundredth, .degree)]),
        0x2A76: Record(1, [RecordField(.uvIndex, .u8(0))]),
        0x2A78: Record(2, [RecordField(.precipitation, .u16(0), .one, .millimetre)]),
        0x2A7B: Record(1, [RecordField(.dewPoint, .s8(0), .one, .celsius)]),
        0x2AFB: Record(3, [RecordField(.illuminance, .u24(0), .hundredth, .lux, absent: 0xFFFFFF)]),
        0x2B8C: Record(2, [RecordField(.carbonDioxide, .u16(0), .one, .partsPerMillion, absent: 0xFFFF)]),
    ]

    /// Whether a section belongs to this format. A wrong length is an error of decoding.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .service && records[section.identifier] != nil
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        guard let record = Self.records[section.identifier] else {
            throw ValueDecodingError("ess", .reservedIdentifier(Int(section.identifier)), bytes: section.bytes)
        }
        guard section.bytes.count <= record.length else {
            throw ValueDecodingError("ess", .tooLong(allowed: record.length), bytes: section.bytes)
        }
        guard let measurements = record.decode(section.bytes) else {
            throw ValueDecodingError("ess", .tooShort(needed: record.length), bytes: section.bytes)
        }
        characteristic = section.identifier
        value = Self.isValue(section) ? measurements.first?.value : nil
    }

    /// Whether the number is a value. One that the specification forbids is, as in all formats, and may be impossible.
    private static func isValue(_ section: AdvertisedSection) -> Bool {
        guard let record = try? CharacteristicStructure.structure(of: section.identifier)?.decode(section.bytes),
            let entry = record.entries.first, let meaning = record.meaning(of: entry)
        else { return true }
        return meaning == .reserved
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard let record = Self.records[characteristic], let field = record.fields.first else {
            throw ValueEncodingError("ess", field: "characteristic", .outOfRange)
        }
        let measurements = value.map { [SensorMeasurement(field.quantity, $0, field.unit)] } ?? []
        return .service(characteristic, try record.encode(measurements, subject: "ess"))
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .environmentalSensing)
        if let field = Self.records[characteristic]?.fields.first { reading.add(field.quantity, value, field.unit) }
        return reading
    }
}
