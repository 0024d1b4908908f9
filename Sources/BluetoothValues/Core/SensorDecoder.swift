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

    /// The formats of the program, in the order in which they are tried, before those of the library.
    ///
    /// Default: none. Each type needs a ``SensorFormat/custom(_:)`` of its own as its format. Its
    /// ``AdvertisementFormat/matches(_:name:)`` is called for each section, so it should compare the identifier first.
    public var formats: [any AdvertisementFormat.Type]

    /// After a lower counter, an encrypted packet is accepted if its counter is below this limit.
    ///
    /// Default: 0, never.
    ///
    /// Some devices begin at 0 again after a change of the battery. A limit makes replay of packets below it possible.
    /// ``restartProof`` accepts such a device without a limit.
    public var restartLimit: UInt32 = 0

    /// How a device proves that its counter began again, for example after a change of the battery.
    ///
    /// Default: four packets in 5 s. Nil: a lower counter is never accepted, except below ``restartLimit``.
    ///
    /// The proof needs the times of the packets, see ``decode(_:from:name:among:at:)``.
    public var restartProof: RestartProof? = RestartProof()

    /// The largest number of packet counters that are remembered to detect repetitions.
    ///
    /// The counters that encryption protects are not included: they are remembered for all devices with a key.
    public var historyLimit: Int {
        get { history.limit }
        set { history.limit = newValue }
    }

    /// The number of measurements that were impossible since the decoder was made.
    ///
    /// They are in ``SensorReading/impossible``.
    public private(set) var impossibleValueCount = 0

    private var resolver: IdentityResolver
    /// The devices with a key that have sent packets which prove that they have it.
    private var authenticated: Set<SenderAddress> = []
    var history = PacketHistory(limit: 4096)

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - keys: The keys of the devices. Default: none.
    ///   - formats: The formats of the program. Default: none.
    public init(keys: KeyStore = KeyStore(), formats: [any AdvertisementFormat.Type] = []) {
        self.keys = keys
        self.formats = formats
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
    ///   - time: The time of the reception since any fixed time. ``restartProof`` needs it.
    public mutating func decode(
        _ section: AdvertisedSection, from address: SenderAddress? = nil, name: String? = nil,
        among sections: [AdvertisedSection] = [], at time: Duration? = nil
    ) -> SensorResult {
        if let own = ownFormat(of: section, name: name) { return run(own, section, address, name, time) }
        guard let format = Self.format(of: section, name: name, among: sections) else { return .unknown }
        switch format {
        case .bthome: return run(BTHome.self, section, address, name, time)
        case .miBeacon: return run(MiBeacon.self, section, address, name, time)
        case .ruuvi: return run(RuuviTag.self, section, address, name, time)
        case .iBeacon: return run(IBeacon.self, section, address, name, time)
        case .tilt: return run(Tilt.self, section, address, name, time)
        case .altBeacon: return run(AltBeacon.self, section, address, name, time)
        case .eddystone: return run(Eddystone.self, section, address, name, time)
        case .atc1441: return run(ATC1441.self, section, address, name, time)
        case .pvvx: return run(PVVX.self, section, address, name, time)
        case .bParasite: return run(BParasite.self, section, address, name, time)
        case .govee: return run(Govee.self, section, address, name, time)
        case .inkbird: return run(Inkbird.self, section, address, name, time)
        case .thermoPro: return run(ThermoPro.self, section, address, name, time)
        case .switchBot: return run(SwitchBot.self, section, address, name, time)
        case .qingping: return run(Qingping.self, section, address, name, time)
        case .sensirion: return run(Sensirion.self, section, address, name, time)
        case .miScale: return run(MiScale.self, section, address, name, time)
        case .aranet: return run(Aranet.self, section, address, name, time)
        case .oralB: return run(OralB.self, section, address, name, time)
        case .mopeka: return run(Mopeka.self, section, address, name, time)
        case .victron: return run(Victron.self, section, address, name, time)
        case .environmentalSensing: return run(EnvironmentalData.self, section, address, name, time)
        case .appleContinuity, .findMy, .locationTracker, .fastPair, .exposureNotification, .encryptedData:
            return .reading(SensorReading(format: format))
        case .custom: return .unknown
        }
    }

    /// Returns whether the section has a format of the program or of the library.
    public func recognises(
        _ section: AdvertisedSection, name: String? = nil, among sections: [AdvertisedSection] = []
    ) -> Bool {
        ownFormat(of: section, name: name) != nil || Self.format(of: section, name: name, among: sections) != nil
    }

    private func ownFormat(of section: AdvertisedSection, name: String?) -> (any AdvertisementFormat.Type)? {
        formats.isEmpty ? nil : formats.first { $0.matches(section, name: name) }
    }

    /// Decodes a section as one format; nil if it has another format.
    ///
    /// A format of the program need not be one of ``formats``.
    ///
    /// Throws the reason if the section has the format and cannot be used.
    public mutating func decode<Format: AdvertisementFormat>(
        as type: Format.Type, _ section: AdvertisedSection, from address: SenderAddress? = nil, name: String? = nil,
        among sections: [AdvertisedSection] = [], at time: Duration? = nil
    ) throws(ValueDecodingError) -> Format? {
        let isMatch =
            Format.format.isCustom
            ? Format.matches(section, name: name)
            : ownFormat(of: section, name: name) == nil
                && Self.format(of: section, name: name, among: sections) == Format.format
        guard isMatch else { return nil }
        return try value(type, section, address, name, time).value
    }

    private mutating func run<Format: AdvertisementFormat>(
        _ type: Format.Type, _ section: AdvertisedSection, _ address: SenderAddress?, _ name: String?, _ time: Duration?
    ) -> SensorResult {
        do {
            return .reading(try value(type, section, address, name, time).reading)
        } catch {
            return .failure(error)
        }
    }

    private mutating func value<Format: AdvertisementFormat>(
        _ type: Format.Type, _ section: AdvertisedSection, _ address: SenderAddress?, _ name: String?, _ time: Duration?
    ) throws(ValueDecodingError) -> (value: Format, reading: SensorReading) {
        var device: SenderAddress?
        if let address { device = identity(of: address) }
        let key = device.flatMap { keys[$0] }
        let (value, surplus) = try Self.make(type, section, Sender(address: address, name: name, key: key))
        var reading = value.reading
        if !surplus.isEmpty { reading.surplus = surplus }
        if let device {
            if key != nil {
                try checkEncryption(of: reading, Format.isAuthenticated, from: device, bytes: section.bytes)
            }
            try checkSender(of: reading, device, address, bytes: section.bytes)
            try checkCounter(of: &reading, type, from: device, hasKey: key != nil, bytes: section.bytes, at: time)
        }
        reading.separateImpossible()
        impossibleValueCount += reading.impossible.count
        // Without `consume`, the reading is copied.
        return (value, consume reading)
    }

    /// Makes a value, without the bytes after the last one that the format defines.
    private static func make<Format: AdvertisementFormat>(
        _ type: Format.Type, _ section: AdvertisedSection, _ sender: Sender
    ) throws(ValueDecodingError) -> (value: Format, surplus: [UInt8]) {
        do {
            return (try Format(section, from: sender), [])
        } catch {
            guard case .tooLong(let allowed) = error.reason, allowed > 0, allowed < section.bytes.count,
                Format.allowsSurplus(section)
            else { throw error }
            var defined = section
            defined.bytes.removeLast(section.bytes.count - allowed)
            guard let value = try? Format(defined, from: sender) else { throw error }
            return (value, Array(section.bytes[allowed...]))
        }
    }

    private var restartRule: PacketHistory.RestartRule { .init(limit: restartLimit, proof: restartProof) }

    /// Throws if a device with a key sent values that the encryption does not protect.
    private mutating func checkEncryption(
        of reading: SensorReading, _ isAuthenticated: Bool, from device: SenderAddress, bytes: [UInt8]
    ) throws(ValueDecodingError) {
        if reading.isEncrypted, isAuthenticated {
            authenticated.insert(device)
        } else if reading.hasContent, !reading.isEncrypted || authenticated.contains(device) {
            throw ValueDecodingError(reading.format.rawValue, .downgraded, bytes: bytes)
        }
    }

    /// Marks a reading that repeats an earlier packet. Throws if the packet is older than the last one.
    private mutating func checkCounter<Format: AdvertisementFormat>(
        of reading: inout SensorReading, _ type: Format.Type, from device: SenderAddress, hasKey: Bool, bytes: [UInt8],
        at time: Duration?
    ) throws(ValueDecodingError) {
        guard let counter = reading.packetCounter else { return }
        let source = PacketHistory.Source(
            identity: device, format: ObjectIdentifier(Format.self), isEncrypted: reading.isEncrypted)
        let isProtected = hasKey && reading.isEncrypted && Format.hasSecureCounter
        switch history.receive(counter, from: source, isProtected: isProtected, at: time, restartRule) {
        case .new: break
        case .repeated:
            reading.isRepeated = true
            reading.events = []
        case .restarted(let last): reading.restartedAfter = last
        case .replayed(let last):
            throw ValueDecodingError(Format.format.rawValue, .replayed(counter: counter, last: last), bytes: bytes)
        }
    }

    /// Throws if the address in a payload names another device than the sender.
    private func checkSender(
        of reading: SensorReading, _ device: SenderAddress, _ sender: SenderAddress?, bytes: [UInt8]
    ) throws(ValueDecodingError) {
        let isMiBeacon = reading.format == .miBeacon
        guard isMiBeacon || keys.count > 0 else { return }
        for identifier in reading.identifiers {
            guard case .address(let named) = identifier.value, named != device, named != sender else { continue }
            // Gateways may relay data of other formats, but not that of a device that encrypts its data.
            guard isMiBeacon || keys[named] != nil else { continue }
            throw ValueDecodingError(
                reading.format.rawValue, .contradiction("the address in the payload is not that of the sender"),
                bytes: bytes)
        }
    }
}

extension SensorFormat {
    /// Whether an encrypted packet of the format proves that its sender has the key.
    ///
    /// Victron has no integrity check except one byte of the key. Encrypted Eddystone telemetry is not decrypted.
    var isAuthenticated: Bool {
        switch self {
        case .bthome, .miBeacon, .atc1441, .pvvx: true
        default: false
        }
    }

    /// Whether bytes may follow those that the format defines.
    ///
    /// Another length means another layout in the formats that are recognised by it.
    func allowsSurplus(_ section: AdvertisedSection) -> Bool {
        switch self {
        case .ruuvi, .iBeacon, .sensirion, .switchBot, .oralB, .environmentalSensing: true
        // A URL without its end is another one.
        case .eddystone: section.bytes.first != 0x10
        default: false
        }
    }

    /// Whether the packet counter is protected by the encryption, and long enough to detect replayed packets.
    var hasSecureCounter: Bool { self == .bthome || self == .miBeacon }
}
