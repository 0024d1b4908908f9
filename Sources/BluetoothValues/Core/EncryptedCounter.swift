/// The counter of the last encrypted packet of a device, for a program that is restarted.
///
/// Without it, the decoder of the next process accepts any recorded packet first. Example:
///
///     var decoder = SensorDecoder(keys: keys)
///     decoder.restore(load())
///     // From time to time, and at the end:
///     save(decoder.encryptedCounters)
public struct EncryptedCounter: Hashable, Sendable {
    /// The device.
    public var address: SenderAddress
    /// The format of the packet, ``SensorFormat/bthome`` or ``SensorFormat/miBeacon``.
    public var format: SensorFormat
    /// The counter of the last packet that was accepted.
    public var value: UInt32

    /// Makes a counter.
    public init(address: SenderAddress, format: SensorFormat, value: UInt32) {
        self.address = address
        self.format = format
        self.value = value
    }
}

extension SensorDecoder {
    /// The counters that encryption protects, in the order of their devices.
    ///
    /// Only devices with a key have one, so there are as many as ``keys``, at most.
    public var encryptedCounters: [EncryptedCounter] {
        history.protectedCounters.compactMap { source, value in
            Self.countingFormats.first { ObjectIdentifier($0.value) == source.format }.map {
                EncryptedCounter(address: source.identity, format: $0.key, value: value)
            }
        }
        .sorted { ($0.address.number, $0.format.rawValue) < ($1.address.number, $1.format.rawValue) }
    }

    /// Continues with the counters of an earlier process.
    ///
    /// Counters of other formats, and of devices without a key, are ignored.
    public mutating func restore(_ counters: [EncryptedCounter]) {
        for counter in counters where keys[counter.address] != nil {
            guard let type = Self.countingFormats[counter.format] else { continue }
            history.restore(
                counter.value,
                of: .init(identity: counter.address, format: ObjectIdentifier(type), isEncrypted: true))
        }
    }

    /// The formats for which ``SensorFormat/hasSecureCounter`` is true.
    private static let countingFormats: [SensorFormat: any AdvertisementFormat.Type] = [
        .bthome: BTHome.self, .miBeacon: MiBeacon.self,
    ]
}
