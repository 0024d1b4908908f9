/// SwitchBot meters, from manufacturer data (0969) or service data (FD3D).
///
/// Manufacturer data has the address, service data the battery.
/// Source: published decoders and known payloads, not the vendor's document.
public struct SwitchBot: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.switchBot
    /// SwitchBot's company identifier.
    public static let company: UInt16 = 0x0969
    /// SwitchBot's service.
    public static let service: UInt16 = 0xFD3D

    /// Temperature in °C.
    public var temperature: Double?
    /// Relative humidity in percent.
    public var humidity: Double?
    /// The charge of the battery in percent; nil in manufacturer data.
    public var battery: Double?
    /// Whether the display shows °F.
    public var showsFahrenheit = false
    /// The kind of meter: 54 is Meter, 69 Meter Plus, 77 Outdoor Meter; 0 in manufacturer data.
    public var kind = 0
    /// A byte of alarms (service data), or of unknown meaning (manufacturer data).
    public var status = 0
    /// The bits beside the decimal place of the temperature: alarms.
    public var alarms = 0
    /// A counter. Manufacturer data only.
    public var sequence = 0
    /// The address in the payload. Manufacturer data only.
    public var address: SenderAddress?

    /// Makes a value without measurements.
    public init() {}

    /// Makes a value of service data.
    public init(temperature: Double, humidity: Double, battery: Double, kind: Int = 0x69) {
        self.temperature = temperature
        self.humidity = humidity
        self.battery = battery
        self.kind = kind
    }

    static let manufacturerLayout = Layout<SwitchBot>(
        "switchbot", length: 11,
        [
            .address(\.address, .u48(0).bigEndian),
            .integer("sequence", \.sequence, .u8(6)),
            .integer("status", \.status, .u8(7)),
            .integer("alarms", \.alarms, .bits(8, from: 4, count: 4)),
            .curve(\.temperature, temperatureCell(8), .tenthsAndPositive, .temperature, .celsius),
            .flag("showsFahrenheit", \.showsFahrenheit, 10, bit: 7),
            .number(\.humidity, .bits(10, from: 0, count: 7), .one, .humidity, .percent),
        ])

    static let serviceLayout = Layout<SwitchBot>(
        "switchbot", length: 6,
        [
            .integer("kind", \.kind, .u8(0)),
            .integer("status", \.status, .u8(1)),
            .number(\.battery, .bits(2, from: 0, count: 7), .one, .batteryLevel, .percent),
            .integer("alarms", \.alarms, .bits(3, from: 4, count: 4)),
            .curve(\.temperature, temperatureCell(3), .tenthsAndPositive, .temperature, .celsius),
            .flag("showsFahrenheit", \.showsFahrenheit, 5, bit: 7),
            .number(\.humidity, .bits(5, from: 0, count: 7), .one, .humidity, .percent),
        ])

    private static func temperatureCell(_ offset: Int) -> Cell { .bits(offset, bytes: 2, from: 0, count: 12).bigEndian }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        switch section.kind {
        case .manufacturer: section.identifier == company && section.bytes.count == 11
        case .service:
            section.identifier == service && section.bytes.count == 6 && [0x54, 0x69, 0x77].contains(section.bytes[0])
        case .structure: false
        }
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        self = try (section.kind == .service ? Self.serviceLayout : Self.manufacturerLayout).decode(section.bytes)
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        if kind != 0 { return .service(Self.service, try Self.serviceLayout.encode(self)) }
        var value = self
        value.address = address ?? sender.address ?? SenderAddress(0)
        return .manufacturer(Self.company, try Self.manufacturerLayout.encode(value))
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        let models = [0x54: "Meter", 0x69: "Meter Plus", 0x77: "Outdoor Meter"]
        var reading = SensorReading(format: .switchBot, model: models[kind])
        reading.add(.temperature, temperature, .celsius)
        reading.add(.humidity, humidity, .percent)
        reading.add(.batteryLevel, battery, .percent)
        if let address { reading.identifiers = [SensorIdentifier(.address, .address(address))] }
        return reading
    }
}
