/// The firmware pvvx for Xiaomi thermometers, plain or encrypted.
///
/// The encrypted form has no address and no voltage.
/// Source: published decoders and known payloads, not the vendor's document.
public struct PVVX: ThermometerFirmware {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.pvvx
    /// The Environmental Sensing service.
    public static let service: UInt16 = 0x181A

    /// Temperature in °C.
    public var temperature: Double?
    /// Relative humidity in percent.
    public var humidity: Double?
    /// The battery's voltage; nil in the encrypted form.
    public var voltage: Double?
    /// The charge of the battery in percent.
    public var battery: Double?
    /// The number of the packet, modulo 256.
    public var counter = 0
    /// The bits of the inputs and outputs.
    public var flags = 0
    /// The address in the payload; nil in the encrypted form.
    public var address: SenderAddress?
    /// Whether the payload is encrypted.
    public var isEncrypted = false

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value.
    public init(temperature: Double, humidity: Double, voltage: Double?, battery: Double, counter: Int = 0) {
        self.temperature = temperature
        self.humidity = humidity
        self.voltage = voltage
        self.battery = battery
        self.counter = counter
    }

    static let layout = Layout<PVVX>(
        "pvvx", length: 15,
        [
            .address(\.address, .u48(0)),
            .number(\.temperature, .s16(6), .hundredth, .temperature, .celsius),
            .number(\.humidity, .u16(8), .hundredth, .humidity, .percent),
            .number(\.voltage, .u16(10), .thousandth, .voltage, .volt),
            .number(\.battery, .u8(12), .one, .batteryLevel, .percent),
            .integer("counter", \.counter, .u8(13)),
            .integer("flags", \.flags, .u8(14)),
        ])

    static let encryptedLayout = Layout<PVVX>(
        "pvvx", length: 6,
        [
            .number(\.temperature, .s16(0), .hundredth, .temperature, .celsius),
            .number(\.humidity, .u16(2), .hundredth, .humidity, .percent),
            .number(\.battery, .u8(4), .one, .batteryLevel, .percent),
            .integer("flags", \.flags, .u8(5)),
        ])

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .service && section.identifier == service && [11, 15].contains(section.bytes.count)
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        self = try Self.decode(section, from: sender)
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        try encode(from: sender)
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        reading(model: "pvvx")
    }
}
