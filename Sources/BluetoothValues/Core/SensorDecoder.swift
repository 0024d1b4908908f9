/// What decoding of a part of an advertisement resulted in.
public enum SensorResult: Hashable, Sendable {
    /// The section has none of the known formats.
    case unknown
    /// The reading. A phone or tracker has a reading without values.
    case reading(SensorReading)
    /// The section has a known format, and cannot be used.
    case failure(ValueDecodingError)
}

/// Decodes advertisements of all formats, with keys and protection against replayed packets.
///
/// The format is found by company identifier or service UUID first, then by length and constant bytes, so the cost does
/// not grow with the number of formats. An unknown section allocates no memory. Use one decoder for all advertisements,
/// because it compares the counters of each device's packets.
public struct SensorDecoder: Sendable {
    /// The keys of the devices. Changing identity keys forgets resolved private addresses.
    public var keys: KeyStore {
        didSet { if keys.identityRevision != resolver.revision { resolver = IdentityResolver(keys) } }
    }

    /// After a lower counter, an encrypted packet is accepted if its counter is below this limit.
    ///
    /// Default: 0, never.
    ///
    /// Some devices begin at 0 again after a change of the battery. A limit makes replay of packets below it possible.
    public var restartLimit: UInt32 = 0

    /// The largest number of packet counters that are remembered to detect repetitions.
    ///
    /// The counters that encryption protects are not included: they are remembered for all devices with a key.
    public var historyLimit: Int {
        get { history.limit }
        set { history.limit = newValue }
    }

    private var resolver: IdentityResolver
    private var history = PacketHistory(limit: 4096)

    /// Makes a decoder.
    public init(keys: KeyStore = KeyStore()) {
        self.keys = keys
        resolver = IdentityResolver(keys)
    }

    /// Returns the identity of a private address, or the address itself.
    ///
    /// The identity is known if one of the keys resolves the address.
    public mutating func identity(of address: SenderAddress) -> SenderAddress {
        resolver.identity(of: address) ?? address
    }

    /// Forgets the counters of a device, for example after a change of its battery.
    public mutating func forgetCounter(of address: SenderAddress) { history.forget(identity(of: address)) }

    /// Decodes a section of an advertisement.
    ///
    /// - Parameters:
    ///   - section: The bytes and where they are.
    ///   - address: The sender's address. Encrypted formats and repetitions need it.
    ///   - name: The advertised name. Inkbird, ThermoPro and some models of Govee are recognised by it.
    ///   - sections: All sections of the advertisement, as far as they are known. They distinguish meters of
    ///     SwitchBot from its other products.
    public mutating func decode(
        _ section: AdvertisedSection, from address: SenderAddress? = nil, name: String? = nil,
        among sections: [AdvertisedSection] = []
    ) -> SensorResult {
        guard let format = Self.format(of: section, name: name, among: sections) else { return .unknown }
        switch format {
        case .bthome: return run(BTHome.self, section, address, name)
        case .miBeacon: return run(MiBeacon.self, section, address, name)
        case .ruuvi: return run(RuuviTag.self, section, address, name)
        case .iBeacon: return run(IBeacon.self, section, address, name)
        case .tilt: return run(Tilt.self, section, address, name)
        case .altBeacon: return run(AltBeacon.self, section, address, name)
        case .eddystone: return run(Eddystone.self, section, address, name)
        case .atc1441: return run(ATC1441.self, section, address, name)
        case .pvvx: return run(PVVX.self, section, address, name)
        case .bParasite: return run(BParasite.self, section, address, name)
        case .govee: return run(Govee.self, section, address, name)
        case .inkbird: return run(Inkbird.self, section, address, name)
        case .thermoPro: return run(ThermoPro.self, section, address, name)
        case .switchBot: return run(SwitchBot.self, section, address, name)
        case .qingping: return run(Qingping.self, section, address, name)
        case .sensirion: return run(Sensirion.self, section, address, name)
        case .miScale: return run(MiScale.self, section, address, name)
        case .aranet: return run(Aranet.self, section, address, name)
        case .oralB: return run(OralB.self, section, address, name)
        case .mopeka: return run(Mopeka.self, section, address, name)
        case .victron: return run(Victron.self, section, address, name)
        case .environmentalSensing: return run(EnvironmentalData.self, section, address, name)
        case .appleContinuity, .findMy, .locationTracker, .fastPair, .exposureNotification, .encryptedData:
            return .reading(SensorReading(format: format))
        }
    }

    /// Decodes a section as one format; nil if it has another format.
    ///
    /// Throws the reason if the section has the format and cannot be used.
    public mutating func decode<Format: AdvertisementFormat>(
        as type: Format.Type, _ section: AdvertisedSection, from address: SenderAddress? = nil, name: String? = nil,
        among sections: [AdvertisedSection] = []
    ) throws(ValueDecodingError) -> Format? {
        guard Self.format(of: section, name: name, among: sections) == Format.format else { return nil }
        return try value(type, section, address, name).value
    }

    private mutating func run<Format: AdvertisementFormat>(
        _ type: Format.Type, _ section: AdvertisedSection, _ address: SenderAddress?, _ name: String?
    ) -> SensorResult {
        do {
            return .reading(try value(type, section, address, name).reading)
        } catch {
            return .failure(error)
        }
    }

    private mutating func value<Format: AdvertisementFormat>(
        _ type: Format.Type, _ section: AdvertisedSection, _ address: SenderAddress?, _ name: String?
    ) throws(ValueDecodingError) -> (value: Format, reading: SensorReading) {
        var device: SenderAddress?
        if let address { device = identity(of: address) }
        let key = device.flatMap { keys[$0] }
        let value = try Format(section, from: Sender(address: address, name: name, key: key))
        var reading = value.reading
        if key != nil, !reading.isEncrypted, Format.format.isEncryptable,
            !(reading.measurements.isEmpty && reading.states.isEmpty && reading.events.isEmpty)
        {
            throw ValueDecodingError(Format.format.rawValue, .downgraded, bytes: section.bytes)
        }
        guard let device else { return (value, reading) }
        if Format.format.namesSender { try check(reading, isFrom: device, address, bytes: section.bytes) }
        guard let counter = reading.packetCounter else { return (value, reading) }
        let isProtected = key != nil && reading.isEncrypted && Format.format.hasSecureCounter
        let source = PacketHistory.Source(
            identity: device, format: ObjectIdentifier(Format.self), isEncrypted: reading.isEncrypted)
        if let last = history.last(of: source, isProtected: isProtected) {
            if counter == last {
                reading.isRepeated = true
                reading.events = []
                return (value, reading)
            }
            // Half of the numbers are later than the last one, so that a counter may wrap.
            let isOlder = (counter &- last) >= 0x8000_0000
            if isProtected, isOlder, counter >= restartLimit {
                throw ValueDecodingError(
                    Format.format.rawValue, .replayed(counter: counter, last: last), bytes: section.bytes)
            }
        }
        history.store(counter, of: source, isProtected: isProtected)
        return (value, reading)
    }

    /// Throws if the address in a payload names another device than the sender.
    private func check(
        _ reading: SensorReading, isFrom device: SenderAddress, _ sender: SenderAddress?, bytes: [UInt8]
    ) throws(ValueDecodingError) {
        for identifier in reading.identifiers {
            guard case .address(let named) = identifier.value, named != device, named != sender else { continue }
            // Gateways may relay data of other formats, but not that of a device that encrypts its data.
            guard reading.format == .miBeacon || keys[named] != nil else { continue }
            throw ValueDecodingError(
                reading.format.rawValue, .contradiction("the address in the payload is not that of the sender"),
                bytes: bytes)
        }
    }
}

extension SensorFormat {
    /// Whether devices may encrypt this format, so that plain data of a device with a key is suspicious.
    var isEncryptable: Bool {
        switch self {
        case .bthome, .miBeacon, .atc1441, .pvvx: true
        default: false
        }
    }

    /// Whether the payload names the address of a device that may have a key.
    var namesSender: Bool {
        switch self {
        case .miBeacon, .atc1441, .pvvx, .qingping: true
        default: false
        }
    }

    /// Whether the packet counter is protected by the encryption, and long enough to detect replayed packets.
    var hasSecureCounter: Bool { self == .bthome || self == .miBeacon }
}
