/// Mopeka tank sensors of the Pro family.
///
/// Source: published decoders and known payloads, not the vendor's document.
///
/// The level is the raw echo time; the height depends on the medium, see ``height(of:)``.
public struct Mopeka: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.mopeka
    /// The company identifier of the chip's manufacturer, Nordic Semiconductor.
    public static let company: UInt16 = 0x0059

    /// The kind of sensor.
    public var kind = 3
    /// The battery's voltage.
    public var voltage: Double?
    /// Whether the synchronisation button is pressed.
    public var isButtonPressed = false
    /// Temperature in °C.
    public var temperature: Double?
    /// The raw echo time.
    public var level = 0
    /// How good the echo is, from 0 (none) to 3.
    public var quality = 0
    /// The last three bytes of the address.
    public var addressEnd = 0
    /// The tilt along the x axis, in the sensor's units.
    public var tiltX = 0
    /// The tilt along the y axis, in the sensor's units.
    public var tiltY = 0

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value.
    public init(temperature: Double, voltage: Double, level: Int, quality: Int = 3) {
        self.temperature = temperature
        self.voltage = voltage
        self.level = level
        self.quality = quality
    }

    /// What is in a tank.
    public enum Medium: Sendable {
        /// Propane.
        case propane
        /// Air, measured from the top.
        case air
        /// Water.
        case water
    }

    static let layout = Layout<Mopeka>(
        "mopeka", length: 10,
        [
            .integer("kind", \.kind, .u8(0)),
            .number(\.voltage, .u8(1), .over(32), .voltage, .volt),
            .number(\.temperature, .bits(2, from: 0, count: 7), .one.plus(-40), .temperature, .celsius),
            .flag("button", \.isButtonPressed, 2, bit: 7),
            .integer("level", \.level, .bits(3, bytes: 2, from: 0, count: 14)),
            .integer("quality", \.quality, .bits(4, from: 6, count: 2), quantity: .quality),
            .integer("addressEnd", \.addressEnd, .u24(5).bigEndian),
            .integer("tiltX", \.tiltX, .s8(8)),
            .integer("tiltY", \.tiltY, .s8(9)),
        ])

    /// Whether a number is that of a kind with a payload of this layout.
    private static func isKind(_ number: UInt8) -> Bool {
        switch number {
        case 0x03...0x06, 0x08...0x0C, 0x12: true
        default: false
        }
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == company && section.bytes.count == 10
            && isKind(section.bytes[0])
    }

    /// Whether a section is that of a sensor, possibly with a wrong length.
    ///
    /// Many vendors use the company identifier, which is that of the manufacturer of the chip.
    static func resembles(_ section: AdvertisedSection) -> Bool {
        (8...12).contains(section.bytes.count) && isKind(section.bytes[0])
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        self = try Self.layout.decode(section.bytes)
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        .manufacturer(Self.company, try Self.layout.encode(self))
    }

    /// The charge of the battery in percent, estimated from its voltage.
    public var battery: Double? { voltage.map { (max(0, min(100, ($0 - 2.2) / 0.65 * 100)) * 10).rounded() / 10 } }

    /// Returns the height of a medium in millimetres; nil if there is no echo or no temperature.
    public func height(of medium: Medium) -> Double? {
        guard quality > 0, let temperature else { return nil }
        let raw = temperature + 40
        let factor =
            switch medium {
            case .propane: 0.573045 - 0.002822 * raw - 0.00000535 * raw * raw
            case .air: 0.153096 + 0.000327 * raw - 0.000000294 * raw * raw
            case .water: 0.600592 + 0.003124 * raw - 0.00001368 * raw * raw
            }
        return Double(level) * factor
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .mopeka, model: "Mopeka Pro")
        Self.layout.add(self, to: &reading)
        reading.add(.batteryLevel, battery, .percent)
        reading.add(.level, height(of: .propane), .millimetre)
        reading.states = [SensorState(.button, isButtonPressed)]
        return reading
    }
}
