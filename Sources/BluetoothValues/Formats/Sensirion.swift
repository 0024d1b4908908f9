/// Sensirion gadgets: temperature, humidity and carbon dioxide.
///
/// Source: published decoders and known payloads, not the vendor's document.
public struct Sensirion: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.sensirion
    /// Sensirion's company identifier.
    public static let company: UInt16 = 0x06D5

    /// The type of the sample: 4 and 6 have temperature and humidity, 8 also carbon dioxide.
    public var sampleType = 4
    /// The number of the device.
    public var device = 0
    /// Temperature in °C.
    public var temperature: Double?
    /// Relative humidity in percent.
    public var humidity: Double?
    /// Carbon dioxide in ppm. Sample type 8.
    public var carbonDioxide: Double?

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value: of sample type 8 with carbon dioxide, and 4 without.
    public init(temperature: Double, humidity: Double, carbonDioxide: Double? = nil, device: Int = 0) {
        sampleType = carbonDioxide == nil ? 4 : 8
        self.temperature = temperature
        self.humidity = humidity
        self.carbonDioxide = carbonDioxide
        self.device = device
    }

    // Formula: −45 °C + 175 °C × ticks / 65535.
    private static let temperatureField = Field<Sensirion>.number(
        \.temperature, .u16(4), .times(175, over: 65535).plus(-45 * 65535), .temperature, .celsius)
    private static let deviceField = Field<Sensirion>.integer("device", \.device, .u16(2).bigEndian)
    private static let typeField = Field<Sensirion>.integer("sampleType", \.sampleType, .u8(1))
    private static let start = [Layout<Sensirion>.Constant(offset: 0, value: 0)]

    static let layout4 = Layout<Sensirion>(
        "sensirion", length: 8, constants: start,
        [
            typeField, deviceField, temperatureField,
            .number(\.humidity, .u16(6), .times(100, over: 65535), .humidity, .percent),
        ])

    // Formula: −6 % + 125 % × ticks / 65535.
    static let layout6 = Layout<Sensirion>(
        "sensirion", length: 8, constants: start,
        [
            typeField, deviceField, temperatureField,
            .number(\.humidity, .u16(6), .times(125, over: 65535).plus(-6 * 65535), .humidity, .percent),
        ])

    static let layout8 = Layout<Sensirion>(
        "sensirion", length: 10, constants: start,
        [
            typeField, deviceField, temperatureField,
            .number(\.humidity, .u16(6), .times(100, over: 65535), .humidity, .percent),
            .number(\.carbonDioxide, .u16(8), .one, .carbonDioxide, .partsPerMillion),
        ])

    private static func layout(_ type: Int) -> Layout<Sensirion>? {
        switch type {
        case 4: layout4
        case 6: layout6
        case 8: layout8
        default: nil
        }
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == company
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard bytes.count >= 2 else { throw ValueDecodingError("sensirion", .tooShort(needed: 8), bytes: bytes) }
        guard let layout = Self.layout(Int(bytes[1])) else {
            throw ValueDecodingError("sensirion", .unsupportedVersion(Int(bytes[1])), bytes: bytes)
        }
        self = try layout.decode(bytes)
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard let layout = Self.layout(sampleType) else {
            throw ValueEncodingError("sensirion", field: "sampleType", .outOfRange)
        }
        return .manufacturer(Self.company, try layout.encode(self))
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .sensirion, model: "Sensirion")
        Self.layout(sampleType)?.add(self, to: &reading)
        reading.identifiers = [SensorIdentifier(.device, .number(UInt64(max(0, device))))]
        return reading
    }
}
