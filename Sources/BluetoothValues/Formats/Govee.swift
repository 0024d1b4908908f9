/// Govee thermometers of the H5xxx families.
///
/// Source: published decoders and known payloads, not the vendor's document.
public struct Govee: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.govee

    /// The layout of the payload, named by a typical model.
    public enum Family: String, Hashable, Sendable, CaseIterable {
        /// H5072, H5075: one number for temperature and humidity.
        case h5075 = "H5072/H5075"
        /// H5074: separate numbers.
        case h5074 = "H5074"
        /// H5051, H5052, H5071: like H5074, and two more bytes.
        case h5051 = "H5051"
        /// H5100, H5101, H5102, H5104, H5105, H5174, H5177: one number.
        case h5100 = "H5100"
        /// H5178: one number, and the number of the sensor.
        case h5178 = "H5178"
        /// H5179: separate numbers.
        case h5179 = "H5179"
    }

    /// The layout of the payload.
    public var family: Family
    /// Temperature in °C; nil if the sensor reports a fault.
    public var temperature: Double?
    /// Relative humidity in percent; nil if the sensor reports a fault.
    public var humidity: Double?
    /// The charge of the battery in percent.
    public var battery: Int
    /// The number of the sensor: 0 is the display, 1 the remote sensor. H5178 only.
    public var sensor = 0

    /// Makes a value.
    public init(_ family: Family = .h5075, temperature: Double?, humidity: Double?, battery: Int, sensor: Int = 0) {
        self.family = family
        self.temperature = temperature
        self.humidity = humidity
        self.battery = battery
        self.sensor = sensor
    }

    /// How a family is recognised, and where its values are.
    private struct Place: Sendable {
        let family: Family
        let company: UInt16
        let count: Int
        /// The first byte of the temperature.
        let offset: Int
        /// Whether temperature and humidity are one number of three bytes.
        let isPacked: Bool
        /// Bytes that the encoder writes at the beginning.
        let prefix: [UInt8]
    }

    // Table: families, in the order in which they are tried.
    private static let places = [
        Place(family: .h5075, company: 0xEC88, count: 6, offset: 1, isPacked: true, prefix: [0x00]),
        Place(family: .h5074, company: 0xEC88, count: 7, offset: 1, isPacked: false, prefix: [0x00]),
        Place(family: .h5051, company: 0xEC88, count: 9, offset: 1, isPacked: false, prefix: [0x00]),
        Place(family: .h5100, company: 0x0001, count: 6, offset: 2, isPacked: true, prefix: [0x01, 0x01]),
        Place(family: .h5178, company: 0x0001, count: 9, offset: 3, isPacked: true, prefix: [0x01, 0x00]),
        Place(family: .h5179, company: 0x8801, count: 9, offset: 4, isPacked: false, prefix: [0xEC, 0x00]),
    ]

    private static func place(_ section: AdvertisedSection) -> Place? {
        guard section.kind == .manufacturer else { return nil }
        return places.first { $0.company == section.identifier && $0.count == section.bytes.count }
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool { place(section) != nil }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard let place = Self.place(section) else {
            throw ValueDecodingError(
                "govee", bytes.count < 6 ? .tooShort(needed: 6) : .tooLong(allowed: 9), bytes: bytes)
        }
        family = place.family
        sensor = place.family == .h5178 ? Int(bytes[2]) : 0
        let offset = place.offset
        if place.isPacked {
            let number = Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
            let status = bytes[offset + 3]
            battery = Int(status & 0x7F)
            guard status & 0x80 == 0 else { return }
            let size = number & 0x7F_FFFF
            temperature = Double(size / 1000) / 10 * (number & 0x80_0000 == 0 ? 1 : -1)
            humidity = Double(size % 1000) / 10
        } else {
            let number = Int16(truncatingIfNeeded: Int(bytes[offset]) | Int(bytes[offset + 1]) << 8)
            temperature = Double(number) / 100
            humidity = Double(Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8) / 100
            battery = Int(bytes[offset + 4])
        }
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard let place = Self.places.first(where: { $0.family == family }) else {
            throw ValueEncodingError("govee", field: "family", .outOfRange)
        }
        var bytes = place.prefix + [UInt8](repeating: 0, count: place.count - place.prefix.count)
        if family == .h5178 {
            guard let number = UInt8(exactly: sensor) else {
                throw ValueEncodingError("govee", field: "sensor", .outOfRange)
            }
            bytes[2] = number
        }
        bytes.replaceSubrange(place.offset..., with: try place.isPacked ? packed() : separate())
        bytes += [UInt8](repeating: 0, count: place.count - bytes.count)
        return .manufacturer(place.company, bytes)
    }

    private func packed() throws(ValueEncodingError) -> [UInt8] {
        guard let charge = UInt8(exactly: battery), charge < 0x80 else {
            throw ValueEncodingError("govee", field: "battery", .outOfRange)
        }
        guard let temperature, let humidity else {
            guard temperature == nil, humidity == nil else {
                throw ValueEncodingError("govee", field: "humidity", .contradiction)
            }
            return [0, 0, 0, charge | 0x80]
        }
        guard let tenths = Int(exactly: (abs(temperature) * 10).rounded()), tenths <= 8388 else {
            throw ValueEncodingError("govee", field: "temperature", .outOfRange)
        }
        guard let moisture = Int(exactly: (humidity * 10).rounded()), (0...999).contains(moisture) else {
            throw ValueEncodingError("govee", field: "humidity", .outOfRange)
        }
        guard tenths * 1000 + moisture <= 0x7F_FFFF else {
            throw ValueEncodingError("govee", field: "temperature", .outOfRange)
        }
        let number = (tenths * 1000 + moisture) | (temperature < 0 ? 0x80_0000 : 0)
        return [number >> 16, number >> 8, number].map { UInt8(truncatingIfNeeded: $0) } + [charge]
    }

    private func separate() throws(ValueEncodingError) -> [UInt8] {
        guard let temperature, let number = Int16(exactly: (temperature * 100).rounded()) else {
            throw ValueEncodingError("govee", field: "temperature", temperature == nil ? .missing : .outOfRange)
        }
        guard let humidity, let moisture = UInt16(exactly: (humidity * 100).rounded()) else {
            throw ValueEncodingError("govee", field: "humidity", humidity == nil ? .missing : .outOfRange)
        }
        guard let charge = UInt8(exactly: battery) else {
            throw ValueEncodingError("govee", field: "battery", .outOfRange)
        }
        return [
            UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8),
            UInt8(truncatingIfNeeded: moisture), UInt8(truncatingIfNeeded: moisture >> 8), charge,
        ]
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .govee, model: family.rawValue)
        reading.add(.temperature, temperature, .celsius)
        reading.add(.humidity, humidity, .percent)
        reading.add(.batteryLevel, Double(battery), .percent)
        if temperature == nil { reading.states.append(SensorState(.problem, true)) }
        if family == .h5178 { reading.identifiers.append(SensorIdentifier(.device, .number(UInt64(max(0, sensor))))) }
        return reading
    }
}
