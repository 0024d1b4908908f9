/// ThermoPro thermometers TP35x and TP39x. The company identifier of their data is a part of the values.
///
/// They are recognised by a name that begins with `TP35` or `TP39`.
/// Source: published decoders and known payloads, not the vendor's document.
public struct ThermoPro: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.thermoPro

    /// Temperature in °C; nil if the device has none at the moment.
    public var temperature: Double?
    /// Relative humidity in percent; nil if the device has none at the moment.
    public var humidity: Double?
    /// The battery: 0 is nearly empty, 1 is half full, 2 is full.
    public var batteryStep = 2
    /// The model, with which the advertised name begins.
    public var model = "TP357"
    /// The first byte, of unknown meaning.
    public var header = 0xC2
    /// The last byte, of unknown meaning.
    public var trailer = 0x2C

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value.
    public init(temperature: Double?, humidity: Double?, batteryStep: Int = 2, model: String = "TP357") {
        self.temperature = temperature
        self.humidity = humidity
        self.batteryStep = batteryStep
        self.model = model
    }

    // The offsets count from the company identifier.
    static let layout = Layout<ThermoPro>(
        "thermopro", length: 6,
        [
            .integer("header", \.header, .u8(0)),
            .number(\.temperature, .s16(1), .tenth, .temperature, .celsius),
            .number(\.humidity, .u8(3), .one, .humidity, .percent),
            .integer("batteryStep", \.batteryStep, .bits(4, from: 0, count: 2)),
            .integer("trailer", \.trailer, .u8(5)),
        ])

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        guard section.kind == .manufacturer, section.bytes.count == 4, let name else { return false }
        return name.hasPrefix("TP35") || name.hasPrefix("TP39")
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        self = try Self.layout.decode(WholeManufacturerData.join(section))
        // Only the three bytes together mean that there are no values: −0.1 °C is a temperature.
        if temperature == -0.1, humidity == 255 { (temperature, humidity) = (nil, nil) }
        if let name = sender.name { model = String(name.prefix { $0 != " " }) }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        var value = self
        if temperature == nil, humidity == nil { (value.temperature, value.humidity) = (-0.1, 255) }
        return WholeManufacturerData.split(try Self.layout.encode(value))
    }

    /// The local name with which the device must advertise.
    public var requiredName: String? { model }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .thermoPro, model: model)
        Self.layout.add(self, to: &reading)
        let levels: [Double?] = [1, 50, 100, nil]
        reading.add(.batteryLevel, levels[batteryStep & 3], .percent)
        return reading
    }
}
