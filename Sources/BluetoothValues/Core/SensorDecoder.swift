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

    /// The largest number of devices without a key for which the last packet is remembered.
    public var historyLimit = 4096

    private var resolver: IdentityResolver
    private var history: [SenderAddress: UInt32] = [:]

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
    public mutating func forgetCounter(of address: SenderAddress) { history[address] = nil }

    /// Decodes a section of an advertisement.
    ///
    /// - Parameters:
    ///   - section: The bytes and where they are.
    ///   - address: The sender's address. Encrypted formats and repetitions need it.
    ///   - name: The advertised name. Inkbird, ThermoPro and some models of Govee are recognised by it.
    public mutating func decode(
        _ section: AdvertisedSection, from address: SenderAddress? = nil, name: String? = nil
    ) -> SensorResult {
        guard let format = Self.format(of: section, name: name) else { return .unknown }
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
        as type: Format.Type, _ section: AdvertisedSection, from address: SenderAddress? = nil, name: String? = nil
    ) throws(ValueDecodingError) -> Format? {
        guard Self.format(of: section, name: name) == Format.format else { return nil }
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
        guard let device, let counter = reading.packetCounter else { return (value, reading) }
        guard let place = history.index(forKey: device) else {
            remember(counter, of: device, hasKey: key != nil)
            return (value, reading)
        }
        let last = history.values[place]
        if counter == last {
            reading.isRepeated = true
            reading.events = []
            return (value, reading)
        }
        // Half of the numbers are later than the last one, so that a counter may wrap.
        let isOlder = (counter &- last) >= 0x8000_0000
        if isOlder, reading.isEncrypted, Format.format.hasSecureCounter, counter >= restartLimit {
            throw ValueDecodingError(
                Format.format.rawValue, .replayed(counter: counter, last: last), bytes: section.bytes)
        }
        history.values[place] = counter
        return (value, reading)
    }

    private mutating func remember(_ counter: UInt32, of identity: SenderAddress, hasKey: Bool) {
        if !hasKey, history.count >= historyLimit + keys.count {
            // Packets with changing addresses must not fill the memory, nor remove the counters of devices with keys.
            history = history.filter { keys[$0.key] != nil }
        }
        history[identity] = counter
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

    /// Whether the packet counter is protected by the encryption, and long enough to detect replayed packets.
    var hasSecureCounter: Bool { self == .bthome || self == .miBeacon }
}
