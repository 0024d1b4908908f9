/// SwitchBot meters, from manufacturer data (0969) or service data (FD3D).
///
/// Manufacturer data has the address, service data the kind and the battery. Newer meters send the values in
/// manufacturer data only. All products of SwitchBot have data of both, of which only the kind says what it is.
/// Source: published decoders and known payloads, not the vendor's document.
public struct SwitchBot: AdvertisementFormat, TableFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.switchBot
    /// SwitchBot's company identifier.
    public static let company: UInt16 = 0x0969
    /// SwitchBot's service.
    public static let service: UInt16 = 0xFD3D

    /// Temperature in °C; above 65,535 if the tenths of the device are no digit.
    public var temperature: Double?
    /// Relative humidity in percent.
    public var humidity: Double?
    /// The charge of the battery in percent; nil in manufacturer data.
    public var battery: Double?
    /// Carbon dioxide in ppm. Manufacturer data of Meter Pro CO2 only.
    public var carbonDioxide: Int?
    /// Whether the display shows °F.
    public var showsFahrenheit = false
    /// The kind of meter in hexadecimal; 0 in manufacturer data.
    ///
    /// 34 is Meter Pro, 35 Meter Pro CO2, 54 Meter, 69 Meter Plus, 77 Outdoor Meter.
    public var kind = 0
    /// A byte of alarms (service data), or of unknown meaning (manufacturer data).
    public var status = 0
    /// The bits beside the decimal place of the temperature: alarms.
    public var alarms = 0
    /// A counter. Manufacturer data only.
    public var sequence = 0
    /// The address in the payload. Manufacturer data only.
    public var address: SenderAddress?
    /// The bytes after the humidity without those of carbon dioxide, of unknown meaning. Manufacturer data only.
    public var undecoded: [UInt8] = []

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

    static let batteryLayout = Layout<SwitchBot>(
        "switchbot", length: 3,
        [
            .integer("kind", \.kind, .u8(0)),
            .integer("status", \.status, .u8(1)),
            .number(\.battery, .bits(2, from: 0, count: 7), .one, .batteryLevel, .percent),
        ])

    private static func temperatureCell(_ offset: Int) -> Cell { .bits(offset, bytes: 2, from: 0, count: 12).bigEndian }

    // Table: names of the kinds. The highest bit of a kind means something else.
    private static let models: [Int: String] = [
        0x14: "Meter Pro", 0x15: "Meter Pro CO2", 0x34: "Meter Pro", 0x35: "Meter Pro CO2", 0x49: "Meter Plus",
        0x54: "Meter", 0x57: "Outdoor Meter", 0x69: "Meter Plus", 0x74: "Meter", 0x77: "Outdoor Meter",
    ]

    private static func isMeter(_ serviceData: [UInt8]) -> Bool {
        serviceData.first.map { models[Int($0 & 0x7F)] != nil } ?? false
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        switch section.kind {
        case .manufacturer: section.identifier == company && section.bytes.count >= 11
        case .service: section.identifier == service && isMeter(section.bytes)
        case .structure: false
        }
    }

    /// Whether manufacturer data is that of a meter.
    ///
    /// Service data in the same advertisement decides. Without it, only data of a meter's length with values that a
    /// meter has indoors or outdoors, and with a digit for the tenths, is accepted: the other products known to have
    /// such a length have other values.
    static func isMeter(_ section: AdvertisedSection, among sections: [AdvertisedSection]) -> Bool {
        for other in sections where other.kind == .service && other.identifier == service {
            return isMeter(other.bytes)
        }
        let bytes = section.bytes
        guard [11, 12, 15, 16].contains(bytes.count), bytes[8] & 0x0F < 10 else { return false }
        let degrees = Int(bytes[9] & 0x7F) * (bytes[9] & 0x80 == 0 ? -1 : 1)
        return (-40...80).contains(degrees) && (5...100).contains(bytes[10] & 0x7F)
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard section.kind == .service else {
            guard bytes.count >= 11 else { throw ValueDecodingError("switchbot", .tooShort(needed: 11), bytes: bytes) }
            self = try Self.manufacturerLayout.decode(Array(bytes.prefix(11)), of: bytes)
            undecoded = Array(bytes.dropFirst(11))
            if bytes.count >= 15 {
                carbonDioxide = Int(bytes[13]) << 8 | Int(bytes[14])
                undecoded.removeSubrange(2..<4)
            }
            return
        }
        self = try (bytes.count == 3 ? Self.batteryLayout : Self.serviceLayout).decode(bytes)
        // Meters without values send zeros.
        if bytes.count != 3, temperature == 0, humidity == 0 {
            (temperature, humidity, battery) = (nil, nil, battery == 0 ? nil : battery)
        }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        var value = self
        if kind != 0 {
            guard temperature == nil, humidity == nil else {
                return .service(Self.service, try Self.serviceLayout.encode(self))
            }
            guard battery == nil || alarms != 0 || showsFahrenheit else {
                return .service(Self.service, try Self.batteryLayout.encode(self))
            }
            (value.temperature, value.humidity, value.battery) = (0, 0, battery ?? 0)
            return .service(Self.service, try Self.serviceLayout.encode(value))
        }
        value.address = address ?? sender.address ?? SenderAddress(0)
        var rest = undecoded
        if let carbonDioxide {
            guard (0...0xFFFF).contains(carbonDioxide) else {
                throw ValueEncodingError("switchbot", field: "carbonDioxide", .outOfRange)
            }
            if rest.count < 2 { rest += [UInt8](repeating: 0, count: 2 - rest.count) }
            rest.insert(contentsOf: [UInt8(carbonDioxide >> 8), UInt8(carbonDioxide & 0xFF)], at: 2)
        } else if rest.count >= 4 {
            throw ValueEncodingError("switchbot", field: "undecoded", .contradiction)
        }
        return .manufacturer(Self.company, try Self.manufacturerLayout.encode(value) + rest)
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .switchBot, model: Self.models[kind & 0x7F])
        // Another product may have other data in the place of carbon dioxide.
        if let carbonDioxide,
            PossibleValues.range(of: .carbonDioxide, in: .switchBot)?.contains(Double(carbonDioxide)) == true
        {
            reading.model = "Meter Pro CO2"
        }
        reading.add(.temperature, temperature, .celsius)
        reading.add(.humidity, humidity, .percent)
        reading.add(.batteryLevel, battery, .percent)
        reading.add(.carbonDioxide, carbonDioxide.map(Double.init), .partsPerMillion)
        if let address { reading.identifiers = [SensorIdentifier(.address, .address(address))] }
        return reading
    }
}
