/// Govee thermometers of the H5xxx families.
///
/// Source: published decoders and known payloads, not the vendor's document.
public struct Govee: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.govee

    /// The layout of the payload, named by a typical model.
    public enum Family: String, Hashable, Sendable, CaseIterable {
        /// H5072, H5075, H5129: one number for temperature and humidity.
        case h5075 = "H5072/H5075"
        /// H5074: separate numbers.
        case h5074 = "H5074"
        /// H5051, H5052, H5071: like H5074, and two more bytes.
        case h5051 = "H5051"
        /// H5100, H5101, H5102, H5103, H5104, H5105, H5110, H5174, H5177, and H5179 of 2024: one number.
        ///
        /// Recognised by its name.
        case h5100 = "H5100"
        /// H5108: like H5100, and two more bytes.
        case h5108 = "H5108"
        /// H5106: one number for temperature, humidity and particles. Recognised by its name.
        case h5106 = "H5106"
        /// H5112: like H5108, for one of two probes. Recognised by its name.
        case h5112 = "H5112"
        /// H5140: one number, and carbon dioxide. Recognised by its name.
        case h5140 = "H5140"
        /// H5178: one number, and the number of the sensor.
        case h5178 = "H5178"
        /// H5179: separate numbers.
        case h5179 = "H5179"
    }

    /// The layout of the payload.
    public var family: Family
    /// Temperature in °C; nil if the sensor reports a fault.
    public var temperature: Double?
    /// Relative humidity in percent; nil if the temperature is nil, and for the second probe of an H5112.
    public var humidity: Double?
    /// The charge of the battery in percent; nil for H5106 and H5140.
    public var battery: Int?
    /// Carbon dioxide in ppm. H5140 only; nil if the sensor reports a fault.
    public var carbonDioxide: Int?
    /// Particles of at most 2.5 µm, in µg/m³. H5106 only; nil if the sensor reports a fault.
    public var particles: Int?
    /// The number of the sensor. H5178: 0 is the display, 1 the remote sensor. H5112: probe 1 or 2.
    public var sensor = 0

    /// Makes a value.
    public init(_ family: Family = .h5075, temperature: Double?, humidity: Double?, battery: Int?, sensor: Int = 0) {
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
        let content: Content
        /// The bytes at the beginning.
        let prefix: [UInt8]
        /// Parts of the names of these devices; empty if the data alone identifies them.
        var names: [String] = []

        func matches(_ bytes: [UInt8], count: Int, company: UInt16, name: String?) -> Bool {
            guard self.count == count, self.company == company else { return false }
            for index in prefix.indices where bytes[index] != prefix[index] { return false }
            if names.isEmpty { return true }
            if let name, names.contains(where: { name.contains($0) }) { return true }
            // Without a name, the last bytes distinguish an H5108 from an H5112 and an H5140.
            return family == .h5108 && bytes[6] == 0 && bytes[7] == 0
        }
    }

    /// How the values are stored.
    private enum Content: Sendable {
        /// Two numbers of two bytes, and the battery.
        case separate
        /// Temperature and humidity in three bytes, and the battery.
        case packed
        /// Temperature and humidity in three bytes, carbon dioxide, and a byte for faults.
        case packedWithGas
        /// Temperature, humidity and particles in four bytes.
        case packedWithParticles
    }

    // Table: families, in the order in which they are tried.
    private static let places = [
        Place(family: .h5075, company: 0xEC88, count: 6, offset: 1, content: .packed, prefix: [0x00]),
        Place(family: .h5074, company: 0xEC88, count: 7, offset: 1, content: .separate, prefix: [0x00]),
        Place(family: .h5051, company: 0xEC88, count: 9, offset: 1, content: .separate, prefix: [0x00]),
        Place(
            family: .h5106, company: 0x0001, count: 6, offset: 2, content: .packedWithParticles, prefix: [0x01, 0x01],
            names: ["H5106"]),
        Place(
            family: .h5140, company: 0x0001, count: 8, offset: 2, content: .packedWithGas, prefix: [0x01, 0x01],
            names: ["5140"]),
        Place(
            family: .h5112, company: 0x0001, count: 8, offset: 2, content: .packed, prefix: [0x01, 0x01],
            names: ["5112"]),
        Place(
            family: .h5100, company: 0x0001, count: 6, offset: 2, content: .packed, prefix: [0x01, 0x01],
            names: [
                "H5100", "H5101", "H5102", "H5103", "H5104", "H5105", "H5108", "H5110", "H5174", "H5177", "GV5179",
            ]),
        Place(
            family: .h5108, company: 0x0001, count: 8, offset: 2, content: .packed, prefix: [0x01, 0x01],
            names: ["5108"]),
        Place(family: .h5178, company: 0x0001, count: 9, offset: 3, content: .packed, prefix: [0x01, 0x01]),
        Place(family: .h5179, company: 0x8801, count: 9, offset: 4, content: .separate, prefix: [0xEC, 0x00]),
    ]

    // Table: the last byte of the data of each probe of an H5112.
    private static let probes: [UInt8: Int] = [0x41: 1, 0x82: 2]

    /// The number of bytes without the iBeacon that some models append to their own data.
    private static func count(_ bytes: [UInt8]) -> Int {
        let end = bytes.count - 25
        guard end >= 6, bytes[end] == 0x4C, bytes[end + 1] == 0, bytes[end + 2] == 2, bytes[end + 3] == 0x15 else {
            return bytes.count
        }
        return end
    }

    /// Returns the index of the family's place; nil if the section has none of the families.
    private static func place(_ section: AdvertisedSection, _ name: String?) -> Int? {
        guard section.kind == .manufacturer else { return nil }
        let count = count(section.bytes)
        for index in places.indices
        where places[index].matches(section.bytes, count: count, company: section.identifier, name: name) {
            return index
        }
        return nil
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool { place(section, name) != nil }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard let index = Self.place(section, sender.name) else {
            let lengths = Self.places.filter { $0.company == section.identifier }.map(\.count)
            let longer = lengths.filter { $0 > bytes.count }.min()
            throw ValueDecodingError(
                "govee", longer.map { .tooShort(needed: $0) } ?? .tooLong(allowed: lengths.max() ?? 9), bytes: bytes)
        }
        family = Self.places[index].family
        sensor = family == .h5178 ? Int(bytes[2]) : 0
        if family == .h5112 {
            guard let probe = Self.probes[bytes[7]] else {
                throw ValueDecodingError("govee", .invalidValue(field: "probe"), bytes: bytes)
            }
            sensor = probe
        }
        let (offset, content) = (Self.places[index].offset, Self.places[index].content)
        if case .separate = content {
            let number = Int(Int16(truncatingIfNeeded: Int(bytes[offset]) | Int(bytes[offset + 1]) << 8))
            let moisture = Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8
            battery = Int(bytes[offset + 4])
            temperature = Double(number) / 100
            humidity = Double(moisture) / 100
            return
        }
        var number = Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
        var sign = 0x80_0000
        var thousandths: Int?
        switch content {
        case .packedWithGas: if bytes[offset + 5] != 0 { return }
        case .packedWithParticles:
            (number, sign) = (number << 8 | Int(bytes[offset + 3]), sign << 8)
            thousandths = (number & (sign - 1)) % 1000
        default:
            battery = Int(bytes[offset + 3] & 0x7F)
            if bytes[offset + 3] & 0x80 != 0 { return }
        }
        var size = number & (sign - 1)
        if thousandths != nil { size /= 1000 }
        temperature = Double(size / 1000) / 10 * (number & sign == 0 ? 1 : -1)
        if family != .h5112 || sensor == 1 { humidity = Double(size % 1000) / 10 }
        particles = thousandths
        if case .packedWithGas = content { carbonDioxide = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4]) }
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
        let values: [UInt8] =
            switch place.content {
            case .separate: try separate()
            case .packed: try packed()
            case .packedWithGas: try packedWithGas()
            case .packedWithParticles: try packedWithParticles()
            }
        bytes.replaceSubrange(place.offset..., with: values)
        bytes += [UInt8](repeating: 0, count: place.count - bytes.count)
        if family == .h5112 {
            guard let probe = Self.probes.first(where: { $0.value == sensor }) else {
                throw ValueEncodingError("govee", field: "sensor", .outOfRange)
            }
            bytes[7] = probe.key
        }
        return .manufacturer(place.company, bytes)
    }

    private func packed() throws(ValueEncodingError) -> [UInt8] {
        let charge = try charge(below: 0x80)
        guard let number = try packedNumber() else { return [0, 0, 0, charge | 0x80] }
        return bigEndian(number.size | (number.isNegative ? 0x80_0000 : 0), 3) + [charge]
    }

    private func packedWithGas() throws(ValueEncodingError) -> [UInt8] {
        guard let number = try packedNumber() else {
            guard carbonDioxide == nil else {
                throw ValueEncodingError("govee", field: "carbonDioxide", .contradiction)
            }
            return [0, 0, 0, 0, 0, 1]
        }
        let gas = try field("carbonDioxide", carbonDioxide, below: 0x1_0000)
        return bigEndian(number.size | (number.isNegative ? 0x80_0000 : 0), 3) + bigEndian(gas, 2) + [0]
    }

    private func packedWithParticles() throws(ValueEncodingError) -> [UInt8] {
        guard let number = try packedNumber() else {
            guard particles == nil else { throw ValueEncodingError("govee", field: "particles", .contradiction) }
            // There is no bit for a fault, so a fault is an impossible temperature.
            return [0x7F, 0xFF, 0xFF, 0xFF]
        }
        let size = number.size * 1000 + (try field("particles", particles, below: 1000))
        guard size <= 0x7FFF_FFFF else { throw ValueEncodingError("govee", field: "temperature", .outOfRange) }
        return bigEndian(size | (number.isNegative ? 0x8000_0000 : 0), 4)
    }

    private func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> ((count - 1 - $0) * 8)) }
    }

    private func field(_ name: String, _ value: Int?, below limit: Int) throws(ValueEncodingError) -> Int {
        guard let value else { throw ValueEncodingError("govee", field: name, .missing) }
        guard value >= 0, value < limit else { throw ValueEncodingError("govee", field: name, .outOfRange) }
        return value
    }

    private func charge(below limit: Int) throws(ValueEncodingError) -> UInt8 {
        UInt8(truncatingIfNeeded: try field("battery", battery, below: limit))
    }

    /// The thousandfold of the tenths of a degree plus the tenths of a percent; nil if the sensor reports a fault.
    private func packedNumber() throws(ValueEncodingError) -> (size: Int, isNegative: Bool)? {
        guard let temperature, let humidity = family == .h5112 && sensor == 2 ? humidity ?? 0 : humidity else {
            guard temperature == nil, humidity == nil else {
                throw ValueEncodingError("govee", field: "humidity", .contradiction)
            }
            return nil
        }
        guard let tenths = Int(exactly: (temperature * 10).rounded()), (-8388...8388).contains(tenths) else {
            throw ValueEncodingError("govee", field: "temperature", .outOfRange)
        }
        guard let moisture = Int(exactly: (humidity * 10).rounded()), (0...999).contains(moisture) else {
            throw ValueEncodingError("govee", field: "humidity", .outOfRange)
        }
        let size = abs(tenths) * 1000 + moisture
        guard size <= 0x7F_FFFF else { throw ValueEncodingError("govee", field: "temperature", .outOfRange) }
        return (size, temperature < 0)
    }

    private func separate() throws(ValueEncodingError) -> [UInt8] {
        // There is no bit for a fault, so a fault is an impossible temperature and humidity.
        if temperature == nil, humidity == nil { return [0xFF, 0x7F, 0xFF, 0xFF, try charge(below: 0x100)] }
        guard let temperature, let number = Int16(exactly: (temperature * 100).rounded()) else {
            throw ValueEncodingError("govee", field: "temperature", temperature == nil ? .missing : .outOfRange)
        }
        guard let humidity, let moisture = UInt16(exactly: (humidity * 100).rounded()) else {
            throw ValueEncodingError("govee", field: "humidity", humidity == nil ? .missing : .outOfRange)
        }
        return [
            UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8),
            UInt8(truncatingIfNeeded: moisture), UInt8(truncatingIfNeeded: moisture >> 8), try charge(below: 0x100),
        ]
    }

    /// The local name with which the device must advertise.
    public var requiredName: String? {
        switch family {
        case .h5100: "GVH5100"
        case .h5106: "GVH5106"
        case .h5112: "GV5112"
        case .h5140: "GV5140"
        default: nil
        }
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .govee, model: family.rawValue)
        let isProbe = family == .h5112
        let celsius = temperature.map {
            SensorMeasurement(
                isProbe ? .probeTemperature : .temperature, $0, .celsius, index: isProbe ? max(0, sensor - 1) : 0)
        }
        if let celsius { reading.measurements.append(celsius) }
        reading.add(.humidity, humidity, .percent)
        reading.add(.batteryLevel, battery.map(Double.init), .percent)
        reading.add(.carbonDioxide, carbonDioxide.map(Double.init), .partsPerMillion)
        reading.add(.particles2_5, particles.map(Double.init), .microgramPerCubicMetre)
        // Impossible temperatures mean a fault, as the bit beside the battery does.
        if !(celsius.map { PossibleValues.contain($0, of: .govee) } ?? false) {
            reading.states.append(SensorState(.problem, true))
            separateDigits(of: &reading)
        }
        if family == .h5178 || isProbe {
            reading.identifiers.append(SensorIdentifier(.device, .number(UInt64(max(0, sensor)))))
        }
        return reading
    }

    /// Moves the other digits of an impossible number to the impossible values.
    private func separateDigits(of reading: inout SensorReading) {
        switch family {
        case .h5051, .h5074, .h5179: return
        default: break
        }
        func isDigits(_ measurement: SensorMeasurement) -> Bool {
            measurement.quantity == .humidity || measurement.quantity == .particles2_5
        }
        reading.impossible = reading.measurements.filter(isDigits)
        reading.measurements.removeAll(where: isDigits)
    }
}
