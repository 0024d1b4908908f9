/// b-parasite, a soil sensor: protocol versions 1 and 2.
///
/// Source: published decoders and known payloads, not the vendor's document.
public struct BParasite: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.bParasite
    /// The Environmental Sensing service.
    public static let service: UInt16 = 0x181A

    /// The version of the protocol: 1 has temperatures in steps of 0.001, 2 in steps of 0.01.
    public var version = 2
    /// Temperature of the air in °C.
    public var temperature: Double?
    /// Relative humidity in percent.
    public var humidity: Double?
    /// Moisture of the soil in percent.
    public var moisture: Double?
    /// The battery's voltage.
    public var voltage: Double?
    /// Illuminance in lux; nil without a light sensor.
    public var illuminance: Double?
    /// The number of the packet, modulo 16.
    public var counter = 0
    /// The address in the payload.
    public var address: SenderAddress?

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value.
    public init(temperature: Double, humidity: Double, moisture: Double, voltage: Double, illuminance: Double? = nil) {
        self.temperature = temperature
        self.humidity = humidity
        self.moisture = moisture
        self.voltage = voltage
        self.illuminance = illuminance
    }

    private static func layout(version: Int, divisor: Int32) -> Layout<BParasite> {
        Layout(
            "b-parasite", lengths: 16...18,
            [
                .integer("version", \.version, .bits(0, from: 4, count: 4), range: Int64(version)...Int64(version)),
                .integer("counter", \.counter, .bits(1, from: 0, count: 4)),
                .number(\.voltage, .u16(2).bigEndian, .thousandth, .voltage, .volt),
                .number(\.temperature, .s16(4).bigEndian, .over(divisor), .temperature, .celsius),
                .number(\.humidity, .u16(6).bigEndian, .times(100, over: 65535), .humidity, .percent),
                .number(\.moisture, .u16(8).bigEndian, .times(100, over: 65535), .moisture, .percent),
                .address(\.address, .u48(10).bigEndian),
                // The bit of the light sensor decides whether the value is used.
                .number(\.illuminance, .u16(16).bigEndian, .one, .illuminance, .lux, absent: -1),
            ])
    }

    static let layout1 = layout(version: 1, divisor: 1000)
    static let layout2 = layout(version: 2, divisor: 100)

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .service && section.identifier == service && [16, 18].contains(section.bytes.count)
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard let first = bytes.first else {
            throw ValueDecodingError("b-parasite", .tooShort(needed: 16), bytes: bytes)
        }
        guard bytes.count != 17 else { throw ValueDecodingError("b-parasite", .tooShort(needed: 18), bytes: bytes) }
        switch first >> 4 {
        case 1: self = try Self.layout1.decode(bytes)
        case 2: self = try Self.layout2.decode(bytes)
        default: throw ValueDecodingError("b-parasite", .unsupportedVersion(Int(first >> 4)), bytes: bytes)
        }
        if first & 1 == 0 { illuminance = nil }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard version == 1 || version == 2 else {
            throw ValueEncodingError("b-parasite", field: "version", .outOfRange)
        }
        var value = self
        value.illuminance = illuminance ?? 0
        value.address = address ?? sender.address ?? SenderAddress(0)
        var bytes = try (version == 1 ? Self.layout1 : Self.layout2).encode(value)
        if illuminance != nil { bytes[0] |= 1 } else { bytes.removeLast(2) }
        return .service(Self.service, bytes)
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .bParasite, model: "b-parasite")
        Self.layout2.add(self, to: &reading)
        reading.packetCounter = UInt32(truncatingIfNeeded: counter)
        if let address { reading.identifiers = [SensorIdentifier(.address, .address(address))] }
        return reading
    }
}
