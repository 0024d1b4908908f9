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
    /// The format of the packet: ``SensorFormat/bthome``, ``SensorFormat/miBeacon`` or one of the program.
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
    /// Only devices with a key have one, so there is at most one for each key and format.
    public var encryptedCounters: [EncryptedCounter] {
        let types = countingFormats
        return history.protectedCounters.compactMap { source, value in
            types.first { ObjectIdentifier($0) == source.format }.map {
                EncryptedCounter(address: source.identity, format: $0.format, value: value)
            }
        }
        .sorted { ($0.address.number, $0.format.rawValue) < ($1.address.number, $1.format.rawValue) }
    }

    /// Continues with the counters of an earlier process.
    ///
    /// Counters of other formats, and of devices without a key, are ignored.
    public mutating func restore(_ counters: [EncryptedCounter]) {
        let types = countingFormats
        for counter in counters where keys[counter.address] != nil {
            guard let type = types.first(where: { $0.format == counter.format }) else { continue }
            history.restore(
                counter.value,
                of: .init(identity: counter.address, format: ObjectIdentifier(type), isEncrypted: true))
        }
    }

    /// The types for which ``AdvertisementFormat/hasSecureCounter`` is true.
    private var countingFormats: [any AdvertisementFormat.Type] {
        Self.countingLibraryFormats + formats.filter { $0.hasSecureCounter }
    }

    private static let countingLibraryFormats: [any AdvertisementFormat.Type] = [BTHome.self, MiBeacon.self]
}
