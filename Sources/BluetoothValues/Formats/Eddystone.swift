/// Google's Eddystone: an identifier, a URL, telemetry or an ephemeral identifier.
///
/// Source: Eddystone protocol specification.
public enum Eddystone: AdvertisementFormat {
    /// The format that this type decodes and encodes.
    public static let format = SensorFormat.eddystone
    /// Eddystone's service.
    public static let service: UInt16 = 0xFEAA

    /// An identifier: the power at a distance of 0 m in dBm, 10 bytes of namespace and 6 bytes of instance.
    case uid(power: Int8, namespace: [UInt8], instance: [UInt8])
    /// A URL: the power at a distance of 0 m in dBm, and the text.
    case url(power: Int8, String)
    /// Telemetry.
    case telemetry(Telemetry)
    /// Encrypted telemetry: 12 encrypted bytes, the salt and the integrity check.
    case encryptedTelemetry(data: [UInt8], salt: UInt16, check: UInt16)
    /// An identifier that changes: the power at a distance of 0 m in dBm, and 8 bytes.
    case ephemeral(power: Int8, [UInt8])

    /// What a beacon reports about itself.
    public struct Telemetry: TableFormat, Hashable, Sendable {
        /// The battery's voltage; nil if it has no battery.
        public var voltage: Double?
        /// The beacon's temperature in °C; nil if it has no sensor.
        public var temperature: Double?
        /// The number of advertisements since the beacon started.
        public var advertisementCount = 0
        /// The time since the beacon started, in seconds with one decimal place.
        public var upTime: Double?

        /// Makes telemetry without values.
        public init() {}

        /// Makes telemetry.
        public init(voltage: Double?, temperature: Double?, advertisementCount: Int, upTime: Double) {
            self.voltage = voltage
            self.temperature = temperature
            self.advertisementCount = advertisementCount
            self.upTime = upTime
        }

        static let layout = Layout<Telemetry>(
            "eddystone", length: 14, constants: [.init(offset: 0, value: 0x20), .init(offset: 1, value: 0x00)],
            [
                .number(\.voltage, .u16(2).bigEndian, .thousandth, .voltage, .volt, absent: 0),
                .number(\.temperature, .s16(4).bigEndian, .over(256), .temperature, .celsius, absent: -0x8000),
                .integer("advertisementCount", \.advertisementCount, .u32(6).bigEndian, quantity: .advertisementCount),
                .number(\.upTime, .u32(10).bigEndian, .tenth, .upTime, .second),
            ])
    }

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/", ".com", ".org", ".edu", ".net", ".info", ".biz",
        ".gov",
    ]

    /// Whether a section belongs to this format.
    public static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .service && section.identifier == service
            && [0x00, 0x10, 0x20, 0x30].contains(section.bytes.first)
    }

    /// Decodes a section. Throws with the reason if it is malformed or cannot be decrypted.
    public init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        let bytes = section.bytes
        func check(_ counts: ClosedRange<Int>) throws(ValueDecodingError) {
            if bytes.count < counts.lowerBound {
                throw ValueDecodingError("eddystone", .tooShort(needed: counts.lowerBound), bytes: bytes)
            }
            if bytes.count > counts.upperBound {
                throw ValueDecodingError("eddystone", .tooLong(allowed: counts.upperBound), bytes: bytes)
            }
        }
        try check(2...20)
        let power = Int8(bitPattern: bytes[1])
        switch bytes[0] {
        case 0x00:
            // The two bytes after the instance are reserved; many beacons omit them.
            try check(18...20)
            self = .uid(power: power, namespace: Array(bytes[2..<12]), instance: Array(bytes[12..<18]))
        case 0x10:
            try check(3...20)
            self = .url(power: power, try Self.url(bytes))
        case 0x20 where bytes[1] == 0x01:
            try check(18...18)
            self = .encryptedTelemetry(
                data: Array(bytes[2..<14]), salt: UInt16(bytes[14]) << 8 | UInt16(bytes[15]),
                check: UInt16(bytes[16]) << 8 | UInt16(bytes[17]))
        case 0x20:
            guard bytes[1] == 0 else {
                throw ValueDecodingError("eddystone", .unsupportedVersion(Int(bytes[1])), bytes: bytes)
            }
            self = .telemetry(try Telemetry.layout.decode(bytes))
        case 0x30:
            try check(10...10)
            self = .ephemeral(power: power, Array(bytes[2..<10]))
        default: throw ValueDecodingError("eddystone", .reservedIdentifier(Int(bytes[0])), bytes: bytes)
        }
    }

    private static func url(_ bytes: [UInt8]) throws(ValueDecodingError) -> String {
        guard Int(bytes[2]) < schemes.count else {
            throw ValueDecodingError("eddystone", .invalidValue(field: "URL scheme"), bytes: bytes)
        }
        var url = schemes[Int(bytes[2])]
        for byte in bytes.dropFirst(3) {
            if Int(byte) < endings.count {
                url += endings[Int(byte)]
            } else if byte > 0x20, byte < 0x7F {
                url.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                throw ValueDecodingError("eddystone", .invalidValue(field: "URL"), bytes: bytes)
            }
        }
        return url
    }

    /// Encodes the value. Throws with the field that cannot be represented.
    public func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        .service(Self.service, try encoded())
    }

    private func encoded() throws(ValueEncodingError) -> [UInt8] {
        switch self {
        case .uid(let power, let namespace, let instance):
            guard namespace.count == 10 else { throw ValueEncodingError("eddystone", field: "namespace", .outOfRange) }
            guard instance.count == 6 else { throw ValueEncodingError("eddystone", field: "instance", .outOfRange) }
            return [0x00, UInt8(bitPattern: power)] + namespace + instance + [0, 0]
        case .url(let power, let url):
            return [0x10, UInt8(bitPattern: power)] + (try Self.encoded(url))
        case .telemetry(let telemetry): return try Telemetry.layout.encode(telemetry)
        case .encryptedTelemetry(let data, let salt, let check):
            guard data.count == 12 else { throw ValueEncodingError("eddystone", field: "data", .outOfRange) }
            let tail = [salt >> 8, salt & 0xFF, check >> 8, check & 0xFF].map { UInt8(truncatingIfNeeded: $0) }
            return [0x20, 0x01] + data + tail
        case .ephemeral(let power, let identifier):
            guard identifier.count == 8 else { throw ValueEncodingError("eddystone", field: "identifier", .outOfRange) }
            return [0x30, UInt8(bitPattern: power)] + identifier
        }
    }

    private static func encoded(_ url: String) throws(ValueEncodingError) -> [UInt8] {
        guard let scheme = schemes.firstIndex(where: { url.hasPrefix($0) }) else {
            throw ValueEncodingError("eddystone", field: "URL scheme", .outOfRange)
        }
        var bytes = [UInt8(scheme)]
        var rest = url.dropFirst(schemes[scheme].count)
        while let character = rest.first {
            if let ending = endings.firstIndex(where: { rest.hasPrefix($0) }) {
                bytes.append(UInt8(ending))
                rest = rest.dropFirst(endings[ending].count)
            } else {
                guard let byte = character.asciiValue, byte > 0x20, byte < 0x7F else {
                    throw ValueEncodingError("eddystone", field: "URL", .outOfRange)
                }
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        guard bytes.count <= 18 else { throw ValueEncodingError("eddystone", field: "URL", .tooLong) }
        return bytes
    }

    /// The value in the form that is independent of the format.
    public var reading: SensorReading {
        var reading = SensorReading(format: .eddystone)
        switch self {
        case .uid(let power, let namespace, let instance):
            reading.identifiers = [
                SensorIdentifier(.namespace, .bytes(namespace)),
                SensorIdentifier(.instance, .bytes(instance)),
            ]
            reading.add(.calibratedPower, Double(power), .decibelMilliwatt)
        case .url(let power, let url):
            reading.texts = [url]
            reading.add(.calibratedPower, Double(power), .decibelMilliwatt)
        case .telemetry(let telemetry): Telemetry.layout.add(telemetry, to: &reading)
        case .encryptedTelemetry: reading.isEncrypted = true
        case .ephemeral(let power, let identifier):
            reading.identifiers = [SensorIdentifier(.ephemeral, .bytes(identifier))]
            reading.add(.calibratedPower, Double(power), .decibelMilliwatt)
        }
        return reading
    }
}
