/// Inkbird thermometers IBS-TH and IBS-TH2. The company identifier of their data is the temperature.
///
/// They are recognised by their names `sps` and `tps`.
/// Source: published decoders and known payloads, not the vendor's document.
public struct Inkbird: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.inkbird

    /// Temperature in °C.
    public var temperature: Double?
    /// Relative humidity in percent; 0 for a device without such a sensor.
    public var humidity: Double?
    /// The number of the probe: 0 is in the device, 1 at its cable.
    public var probe = 0
    /// The charge of the battery in percent.
    public var battery: Double?
    /// The last byte, of unknown meaning.
    public var trailer = 8
    /// Bytes 5 and 6, of unknown meaning.
    public var check = 0
    /// Whether the device is an IBS-TH2, which advertises as `tps`.
    public var isSecondGeneration = false

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value.
    public init(temperature: Double, humidity: Double, battery: Double, probe: Int = 0) {
        self.temperature = temperature
        self.humidity = humidity
        self.battery = battery
        self.probe = probe
    }

    // The offsets count from the company identifier.
    static let layout = Layout<Inkbird>(
        "inkbird", length: 9,
        [
            .number(\.temperature, .s16(0), .hundredth, .temperature, .celsius),
            .number(\.humidity, .u16(2), .hundredth, .humidity, .percent),
            .integer("probe", \.probe, .u8(4)),
            .integer("check", \.check, .u16(5)),
            .number(\.battery, .u8(7), .one, .batteryLevel, .percent),
            .integer("trailer", \.trailer, .u8(8)),
        ])

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.bytes.count == 7 && (name == "sps" || name == "tps")
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        self = try Self.layout.decode(WholeManufacturerData.join(section))
        isSecondGeneration = sender.name == "tps"
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        WholeManufacturerData.split(try Self.layout.encode(self))
    }

    /// The local name with which the device must advertise.
    public var requiredName: String? { isSecondGeneration ? "tps" : "sps" }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .inkbird, model: isSecondGeneration ? "IBS-TH2" : "IBS-TH")
        Self.layout.add(self, to: &reading)
        reading.identifiers = [SensorIdentifier(.device, probe == 0 ? "internal" : "external")]
        return reading
    }
}

/// Manufacturer data of devices that use the company identifier for their own data.
enum WholeManufacturerData {
    static func join(_ section: AdvertisedSection) -> [UInt8] {
        let company = section.identifier
        return [UInt8(truncatingIfNeeded: company), UInt8(truncatingIfNeeded: company >> 8)] + section.bytes
    }

    static func split(_ bytes: [UInt8]) -> AdvertisedSection {
        .manufacturer(UInt16(bytes[0]) | UInt16(bytes[1]) << 8, Array(bytes.dropFirst(2)))
    }
}
