/// Apple's iBeacon: a UUID and two numbers. Source: Apple, Proximity Beacon Specification.
public struct IBeacon: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.iBeacon
    /// Apple's company identifier.
    public static let company: UInt16 = 0x004C

    /// The UUID of a group of beacons.
    public var uuid: AttributeUUID
    /// A number within the group.
    public var major: UInt16
    /// A number within `major`.
    public var minor: UInt16
    /// The signal strength at a distance of one metre, in dBm.
    public var calibratedPower: Int8

    /// Makes a beacon.
    public init(uuid: AttributeUUID, major: UInt16, minor: UInt16, calibratedPower: Int8 = -59) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.calibratedPower = calibratedPower
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == company && section.bytes.count >= 2
            && section.bytes[0] == 0x02 && section.bytes[1] == 0x15
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard bytes.count >= 23 else { throw ValueDecodingError("ibeacon", .tooShort(needed: 23), bytes: bytes) }
        guard bytes.count == 23 else { throw ValueDecodingError("ibeacon", .tooLong(allowed: 23), bytes: bytes) }
        guard bytes[0] == 0x02, bytes[1] == 0x15 else {
            throw ValueDecodingError("ibeacon", .reservedIdentifier(Int(bytes[0])), bytes: bytes)
        }
        uuid = AttributeUUID(bytes, at: 2)
        major = UInt16(bytes[18]) << 8 | UInt16(bytes[19])
        minor = UInt16(bytes[20]) << 8 | UInt16(bytes[21])
        calibratedPower = Int8(bitPattern: bytes[22])
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        let numbers = [major >> 8, major & 0xFF, minor >> 8, minor & 0xFF].map { UInt8(truncatingIfNeeded: $0) }
        return .manufacturer(
            Self.company, [0x02, 0x15] + uuid.bytes + numbers + [UInt8(bitPattern: calibratedPower)])
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .iBeacon)
        reading.identifiers = [
            SensorIdentifier(.uuid, .uuid(uuid)), SensorIdentifier(.major, .number(UInt64(major))),
            SensorIdentifier(.minor, .number(UInt64(minor))),
        ]
        reading.add(.calibratedPower, Double(calibratedPower), .decibelMilliwatt)
        return reading
    }
}
