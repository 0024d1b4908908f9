/// A Tilt hydrometer: an iBeacon with temperature and density as its numbers.
public struct Tilt: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.tilt

    /// The colour of the hydrometer, which distinguishes several of them.
    public enum Color: UInt8, Hashable, Sendable, CaseIterable {
        /// Red.
        case red = 1
        /// Green.
        case green
        /// Black.
        case black
        /// Purple.
        case purple
        /// Orange.
        case orange
        /// Blue.
        case blue
        /// Yellow.
        case yellow
        /// Pink.
        case pink

        /// The name in lower case.
        var name: String {
            ["red", "green", "black", "purple", "orange", "blue", "yellow", "pink"][Int(rawValue) - 1]
        }
    }

    /// The colour of the hydrometer.
    public var color: Color
    /// Temperature in °F.
    public var temperature: Double
    /// Density relative to water.
    public var specificGravity: Double
    /// Whether the device is a Tilt Pro, which has one more decimal place.
    public var isPro: Bool
    /// The byte that iBeacons use for calibrated power.
    ///
    /// Tilt counts the weeks since the battery was changed in it.
    public var calibratedPower: Int8

    /// Whether the device has just started. It then sends the number of its firmware, and measures nothing.
    ///
    /// ``temperature`` is 999 in this case, and ``specificGravity`` a thousandth of the number of the firmware.
    public var isStarting: Bool { !isPro && temperature == 999 }

    /// Makes a value.
    public init(
        color: Color, temperature: Double, specificGravity: Double, isPro: Bool = false, calibratedPower: Int8 = -59
    ) {
        self.color = color
        self.temperature = temperature
        self.specificGravity = specificGravity
        self.isPro = isPro
        self.calibratedPower = calibratedPower
    }

    private static let uuidHigh: UInt64 = 0xA495_BB00_C5B1_4B44
    private static let uuidLow: UInt64 = 0xB512_1370_F02D_74DE

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        let bytes = section.bytes
        guard IBeacon.matches(section, name: name), bytes.count == 23 else { return false }
        // The first bytes decide for nearly all iBeacons, before their UUID is made.
        guard bytes[2] == 0xA4, bytes[3] == 0x95, bytes[4] == 0xBB, bytes[5] >> 4 >= 1, bytes[5] >> 4 <= 8 else {
            return false
        }
        let uuid = AttributeUUID(bytes, at: 2)
        return uuid.high & ~0x0000_00F0_0000_0000 == uuidHigh && uuid.low == uuidLow
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let beacon = try IBeacon(section, from: sender)
        guard Self.matches(section, name: nil), let color = Color(rawValue: section.bytes[5] >> 4) else {
            throw ValueDecodingError("tilt", .invalidValue(field: "UUID"), bytes: section.bytes)
        }
        self.color = color
        isPro = beacon.minor >= 5000
        temperature = Double(beacon.major) / (isPro ? 10 : 1)
        specificGravity = Double(beacon.minor) / (isPro ? 10_000 : 1000)
        calibratedPower = beacon.calibratedPower
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard let major = UInt16(exactly: (temperature * (isPro ? 10 : 1)).rounded()) else {
            throw ValueEncodingError("tilt", field: "temperature", .outOfRange)
        }
        guard let minor = UInt16(exactly: (specificGravity * (isPro ? 10_000 : 1000)).rounded()),
            (minor >= 5000) == isPro
        else { throw ValueEncodingError("tilt", field: "specificGravity", .outOfRange) }
        let uuid = AttributeUUID(high: Self.uuidHigh | UInt64(color.rawValue) << 36, low: Self.uuidLow)
        return try IBeacon(uuid: uuid, major: major, minor: minor, calibratedPower: calibratedPower).section(
            from: sender)
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .tilt, model: isPro ? "Tilt Pro" : "Tilt")
        reading.identifiers = [SensorIdentifier(.device, color.name)]
        guard !isStarting else {
            if let firmware = UInt64(exactly: (specificGravity * 1000).rounded()) {
                reading.identifiers.append(SensorIdentifier(.firmware, .number(firmware)))
            }
            return reading
        }
        reading.add(.temperature, temperature, .fahrenheit)
        reading.add(.specificGravity, specificGravity, .specificGravity)
        return reading
    }
}
