/// Sensirion gadgets: the climate, gases and particles, by the type of the sample.
///
/// Source: Sensirion's specification of advertisement samples (github.com/Sensirion/ble-services). Sample type 38, air
/// velocity, is not supported, because the specification does not state its unit.
public struct Sensirion: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.sensirion
    /// Sensirion's company identifier.
    public static let company: UInt16 = 0x06D5

    /// The type of the sample, see ``supportedSamples``.
    ///
    /// 4 and 6 have temperature and humidity, 10 also carbon dioxide.
    public var sampleType = 4
    /// The number of the device.
    public var device = 0
    /// Temperature in °C.
    public var temperature: Double?
    /// Relative humidity in percent.
    public var humidity: Double?
    /// Carbon dioxide in ppm. Sample type 8.
    public var carbonDioxide: Double?

    /// Index of volatile organic compounds. Sample types 3, 16, 20, 22, 24, 26, 30 and 32.
    public var vocIndex: Double?
    /// Index of nitrogen oxides. Sample types 22, 24 and 26.
    public var noxIndex: Double?
    /// Formaldehyde in ppb. Sample types 14, 20 and 32.
    public var formaldehyde: Double?
    /// Particles of at most 1 µm in µg/m³. Sample type 34.
    public var particles1: Double?
    /// Particles of at most 2.5 µm in µg/m³. Sample types 12, 16, 20, 24 to 34.
    public var particles2_5: Double?
    /// Particles of at most 4 µm in µg/m³. Sample type 34.
    public var particles4: Double?
    /// Particles of at most 10 µm in µg/m³. Sample type 34.
    public var particles10: Double?

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

    /// The types of samples that can be decoded and encoded.
    public static var supportedSamples: [Int] { layouts.keys.sorted() }

    // Formula: −45 °C + 175 °C × ticks / 65535; 100 % × ticks / 65535; for the SHT4x −6 % + 125 % × ticks / 65535.
    private static let temperature = Field<Sensirion>.number(
        \.temperature, .u16(4), .times(175, over: 65535).plus(-45 * 65535), .temperature, .celsius)
    private static let humidity = Field<Sensirion>.number(
        \.humidity, .u16(6), .times(100, over: 65535), .humidity, .percent)
    private static let humidity4 = Field<Sensirion>.number(
        \.humidity, .u16(6), .times(125, over: 65535).plus(-6 * 65535), .humidity, .percent)

    private static func carbon(_ offset: Int) -> Field<Sensirion> {
        .number(\.carbonDioxide, .u16(offset), .one, .carbonDioxide, .partsPerMillion)
    }
    private static func voc(_ offset: Int) -> Field<Sensirion> {
        .number(\.vocIndex, .u16(offset), .one, .vocIndex, .none)
    }
    private static func nox(_ offset: Int) -> Field<Sensirion> {
        .number(\.noxIndex, .u16(offset), .one, .noxIndex, .none)
    }
    private static func formaldehyde(_ offset: Int) -> Field<Sensirion> {
        .number(\.formaldehyde, .u16(offset), .over(5), .formaldehyde, .partsPerBillion)
    }
    private static func dust(_ offset: Int, _ scale: Scale = .tenth) -> Field<Sensirion> {
        .number(\.particles2_5, .u16(offset), scale, .particles2_5, .microgramPerCubicMetre)
    }

    // Table: fields by sample type. The first samples with particles have another scale than the later ones.
    static let layouts: [Int: Layout<Sensirion>] = {
        let wide = Scale.times(1000, over: 65535)
        let rows: [(type: Int, fields: [Field<Sensirion>])] = [
            (0x03, [temperature, humidity, voc(8)]),
            (0x04, [temperature, humidity]),
            (0x06, [temperature, humidity4]),
            (0x08, [temperature, humidity, carbon(8)]),
            (0x0A, [temperature, humidity, carbon(8)]),
            (0x0C, [temperature, humidity, carbon(8), dust(10, wide)]),
            (0x0E, [temperature, humidity, formaldehyde(8)]),
            (0x10, [temperature, humidity, voc(8), dust(10, wide)]),
            (0x14, [temperature, humidity, carbon(8), voc(10), dust(12, wide), formaldehyde(14)]),
            (0x16, [temperature, humidity, voc(8), nox(10)]),
            (0x18, [temperature, humidity, voc(8), nox(10), dust(12)]),
            (0x1A, [temperature, humidity, carbon(8), voc(10), nox(12), dust(14)]),
            (0x1C, [temperature, humidity, carbon(8), dust(10)]),
            (0x1E, [temperature, humidity, voc(8), dust(10)]),
            (0x20, [temperature, humidity, carbon(8), voc(10), dust(12), formaldehyde(14)]),
            (
                0x22,
                [
                    .number(\.particles1, .u16(4), .tenth, .particles1, .microgramPerCubicMetre), dust(6),
                    .number(\.particles4, .u16(8), .tenth, .particles4, .microgramPerCubicMetre),
                    .number(\.particles10, .u16(10), .tenth, .particles10, .microgramPerCubicMetre),
                ]
            ),
            (0x24, [carbon(4)]),
        ]
        let start = [
            Field<Sensirion>.integer("sampleType", \.sampleType, .u8(1)),
            .integer("device", \.device, .u16(2).bigEndian),
        ]
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let layout = Layout<Sensirion>(
                    "sensirion", length: 4 + 2 * row.fields.count, constants: [.init(offset: 0, value: 0)],
                    start + row.fields)
                return (row.type, layout)
            })
    }()

    private static func layout(_ type: Int) -> Layout<Sensirion>? { layouts[type] }

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
        // Two reserved bytes may follow.
        let isPadded = (bytes[1] == 3 || bytes[1] == 8) && bytes.count == 12
        self = try layout.decode(isPadded ? Array(bytes.prefix(10)) : bytes, of: bytes)
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
