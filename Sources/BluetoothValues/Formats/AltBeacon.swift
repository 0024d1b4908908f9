/// AltBeacon: an open beacon with an identifier of 20 bytes. Source: AltBeacon specification 1.0.
public struct AltBeacon: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.altBeacon

    /// The company identifier of the beacon's manufacturer.
    public var company: UInt16
    /// The identifier: 20 bytes, of which the first 16 name an organisation.
    public var identifier: [UInt8]
    /// The signal strength at a distance of one metre, in dBm.
    public var calibratedPower: Int8
    /// A byte that the manufacturer may use.
    public var manufacturerByte: UInt8

    /// Makes a beacon.
    public init(company: UInt16, identifier: [UInt8], calibratedPower: Int8 = -59, manufacturerByte: UInt8 = 0) {
        self.company = company
        self.identifier = identifier
        self.calibratedPower = calibratedPower
        self.manufacturerByte = manufacturerByte
    }

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        let bytes = section.bytes
        return section.kind == .manufacturer && bytes.count == 24 && bytes[0] == 0xBE && bytes[1] == 0xAC
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        guard bytes.count >= 24 else { throw ValueDecodingError("altbeacon", .tooShort(needed: 24), bytes: bytes) }
        guard bytes.count == 24 else { throw ValueDecodingError("altbeacon", .tooLong(allowed: 24), bytes: bytes) }
        guard bytes[0] == 0xBE, bytes[1] == 0xAC else {
            throw ValueDecodingError("altbeacon", .reservedIdentifier(Int(bytes[0])), bytes: bytes)
        }
        company = section.identifier
        identifier = Array(bytes[2..<22])
        calibratedPower = Int8(bitPattern: bytes[22])
        manufacturerByte = bytes[23]
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        guard identifier.count == 20 else { throw ValueEncodingError("altbeacon", field: "identifier", .outOfRange) }
        return .manufacturer(
            company, [0xBE, 0xAC] + identifier + [UInt8(bitPattern: calibratedPower), manufacturerByte])
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .altBeacon)
        reading.identifiers = [
            SensorIdentifier(.namespace, .bytes(Array(identifier.prefix(16)))),
            SensorIdentifier(.instance, .bytes(Array(identifier.dropFirst(16)))),
        ]
        reading.add(.calibratedPower, Double(calibratedPower), .decibelMilliwatt)
        return reading
    }
}
