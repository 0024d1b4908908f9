/// The part of an advertisement that one format occupies.
public struct AdvertisedSection: Hashable, Sendable {
    /// Where the bytes are in the advertisement.
    public var kind: Kind
    /// The company identifier, the 16-bit service UUID, or the type of the AD structure.
    public var identifier: UInt16
    /// The bytes after the identifier.
    public var bytes: [UInt8]

    /// Makes a section.
    public init(_ kind: Kind, _ identifier: UInt16, _ bytes: [UInt8]) {
        self.kind = kind
        self.identifier = identifier
        self.bytes = bytes
    }

    /// Manufacturer data with a company identifier.
    public static func manufacturer(_ company: UInt16, _ bytes: [UInt8]) -> AdvertisedSection {
        AdvertisedSection(.manufacturer, company, bytes)
    }

    /// Data of a service with a 16-bit UUID.
    public static func service(_ uuid: UInt16, _ bytes: [UInt8]) -> AdvertisedSection {
        AdvertisedSection(.service, uuid, bytes)
    }

    /// An AD structure of another type.
    public static func structure(_ type: UInt8, _ bytes: [UInt8]) -> AdvertisedSection {
        AdvertisedSection(.structure, UInt16(type), bytes)
    }

    /// Where bytes are in an advertisement.
    public enum Kind: String, Hashable, Sendable {
        /// Manufacturer data.
        case manufacturer
        /// Service data with a 16-bit UUID.
        case service
        /// An AD structure of another type.
        case structure
    }
}

/// What is known about a sender in addition to the payload.
public struct Sender: Hashable, Sendable {
    /// The address; nil if unknown. Encrypted formats need it.
    public var address: SenderAddress?
    /// The advertised name; nil if unknown.
    ///
    /// Inkbird, ThermoPro and some models of Govee are recognised by it.
    public var name: String?
    /// The key of the device; nil if it has none.
    public var key: DeviceKey?

    /// Makes a sender.
    public init(address: SenderAddress? = nil, name: String? = nil, key: DeviceKey? = nil) {
        self.address = address
        self.name = name
        self.key = key
    }
}

/// A format of advertisements with its Swift type.
///
/// Decoding never traps, whatever the bytes are.
public protocol AdvertisementFormat: Hashable, Sendable {
    /// The format that the type decodes and encodes.
    static var format: SensorFormat { get }

    /// Whether a section belongs to this format, by its identifier, length and constant bytes.
    static func matches(_ section: AdvertisedSection, name: String?) -> Bool

    /// Decodes a section. Throws with the reason if the section is malformed or cannot be decrypted.
    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError)

    /// Encodes the value, so that decoding returns an equal one.
    ///
    /// Encrypted formats need the address and key of the sender.
    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection

    /// The value in the form that is independent of the format.
    ///
    /// It has the numbers that the device sent. A ``SensorDecoder`` separates those that are impossible.
    var reading: SensorReading { get }

    /// The local name with which the device must advertise; nil if any name is recognised.
    var requiredName: String? { get }

    /// Whether the company identifier of the data is a part of the measured values.
    ///
    /// Several sections of one device are then values of different times, of which only the newest counts. Default for
    /// a format of a program: false.
    static var hasMeasuredIdentifier: Bool { get }

    /// Whether bytes may follow those that the format defines.
    ///
    /// If decoding throws ``ValueDecodingError/Reason/tooLong(allowed:)``, the decoder then decodes the allowed bytes,
    /// and ``SensorReading/surplus`` has the others. Default for a format of a program: false.
    static func allowsSurplus(_ section: AdvertisedSection) -> Bool

    /// Whether an encrypted packet of the format proves that its sender has the key.
    ///
    /// After such a packet, the decoder refuses values of the device in formats without this proof. Default for a
    /// format of a program: false.
    static var isAuthenticated: Bool { get }

    /// Whether the encryption protects the packet counter, and the counter is long enough to detect replayed packets.
    ///
    /// The decoder then refuses old packets, and ``SensorDecoder/encryptedCounters`` has the counters of the types in
    /// ``SensorDecoder/formats``. Default for a format of a program: false.
    static var hasSecureCounter: Bool { get }
}

extension AdvertisementFormat {
    /// Any name is recognised.
    public var requiredName: String? { nil }

    /// The property of the format of the library; false for a format of a program.
    public static var hasMeasuredIdentifier: Bool { format.hasMeasuredIdentifier }

    /// The property of the format of the library; false for a format of a program.
    public static func allowsSurplus(_ section: AdvertisedSection) -> Bool { format.allowsSurplus(section) }

    /// The property of the format of the library; false for a format of a program.
    public static var isAuthenticated: Bool { format.isAuthenticated }

    /// The property of the format of the library; false for a format of a program.
    public static var hasSecureCounter: Bool { format.hasSecureCounter }

    /// Decodes a section that is not encrypted.
    public init(_ section: AdvertisedSection) throws(ValueDecodingError) { try self.init(section, from: Sender()) }

    /// Encodes the value without encryption.
    public func section() throws(ValueEncodingError) -> AdvertisedSection { try section(from: Sender()) }
}
