/// The firmware ATC1441 for Xiaomi thermometers, plain or encrypted.
///
/// The encrypted form has no address and no voltage, and steps of 0.5.
/// Source: published decoders and known payloads, not the vendor's document.
public struct ATC1441: ThermometerFirmware {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.atc1441
    /// The Environmental Sensing service.
    public static let service: UInt16 = 0x181A

    /// Temperature in °C, in steps of 0.1; encrypted, in steps of 0.5.
    public var temperature: Double?
    /// Relative humidity in percent, in steps of 1; encrypted, in steps of 0.5.
    public var humidity: Double?
    /// The charge of the battery in percent.
    public var battery: Double?
    /// The battery's voltage; nil in the encrypted form.
    public var voltage: Double?
    /// The number of the packet, modulo 256.
    public var counter = 0
    /// The address in the payload; nil in the encrypted form.
    public var address: SenderAddress?
    /// Whether the payload is encrypted.
    public var isEncrypted = false
    /// The state of the trigger. Encrypted form only.
    public var trigger = false

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value.
    public init(temperature: Double, humidity: Double, battery: Double, voltage: Double?, counter: Int = 0) {
        self.temperature = temperature
        self.humidity = humidity
        self.battery = battery
        self.voltage = voltage
        self.counter = counter
    }

    static let layout = Layout<ATC1441>(
        "atc1441", length: 13,
        [
            .address(\.address, .u48(0).bigEndian),
            .number(\.temperature, .s16(6).bigEndian, .tenth, .temperature, .celsius),
            .number(\.humidity, .u8(8), .one, .humidity, .percent),
            .number(\.battery, .u8(9), .one, .batteryLevel, .percent),
            .number(\.voltage, .u16(10).bigEndian, .thousandth, .voltage, .volt),
            .integer("counter", \.counter, .u8(12)),
        ])

    static let encryptedLayout = Layout<ATC1441>(
        "atc1441", length: 3,
        [
            .number(\.temperature, .u8(0), .over(2).plus(-80), .temperature, .celsius),
            .number(\.humidity, .u8(1), .over(2), .humidity, .percent),
            .number(\.battery, .bits(2, from: 0, count: 7), .one, .batteryLevel, .percent),
            .flag("trigger", \.trigger, 2, bit: 7),
        ])

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .service && section.identifier == service && [8, 13].contains(section.bytes.count)
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
        reading(model: "ATC1441")
    }
}
