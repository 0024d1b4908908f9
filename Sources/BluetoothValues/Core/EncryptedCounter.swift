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
    /// The counter before a restart that ``RestartProof`` accepted; nil if there was none, or if it continued.
    public var before: UInt32?
    /// Whether a restart was made of recorded packets, so that no later one is accepted.
    public var isRestartForged: Bool
    /// The key check value of the key with which the packet was encrypted; nil if it is not known.
    ///
    /// A device that gets a new key may count again, so ``SensorDecoder/restore(_:)`` ignores counters of another key.
    /// It is the first 4 bytes of a block of zeros, encrypted with the key.
    public var keyCheck: UInt32?

    /// Makes a counter. Default: the device has not counted again.
    public init(
        address: SenderAddress, format: SensorFormat, value: UInt32, before: UInt32? = nil,
        isRestartForged: Bool = false, keyCheck: UInt32? = nil
    ) {
        self.address = address
        self.format = format
        self.value = value
        self.before = before
        self.isRestartForged = isRestartForged
        self.keyCheck = keyCheck
    }

    /// Whether the packet may have been encrypted with a key. A counter without key check value fits each key.
    package func matches(_ key: DeviceKey?) -> Bool {
        guard let key else { return false }
        let check = key.check
        return (keyCheck ?? check) == check
    }

    fileprivate func protected(isChanged: Bool = false) -> ProtectedCounter {
        ProtectedCounter(saved: value, before: before, isRestartForged: isRestartForged, isChanged: isChanged)
    }
}

extension SensorDecoder {
    /// The counters that encryption protects, in the order of their devices.
    ///
    /// Only devices with a key have one, so there is at most one for each key and format.
    public var encryptedCounters: [EncryptedCounter] {
        counters(where: { _ in true })
            .sorted { ($0.address.number, $0.format.rawValue) < ($1.address.number, $1.format.rawValue) }
    }

    /// Those of ``encryptedCounters`` that differ from what was restored or saved.
    package var changedCounters: [EncryptedCounter] { history.hasChanges ? counters(where: \.isChanged) : [] }

    /// Stores that counters were saved. One that has changed meanwhile stays in ``changedCounters``.
    package mutating func markSaved(_ counters: [EncryptedCounter]) {
        let types = countingFormats
        for counter in counters {
            guard let source = historySource(of: counter, types) else { continue }
            history.markSaved(counter.protected(), of: source)
        }
        history.updateChanges()
    }

    private func counters(where isIncluded: (ProtectedCounter) -> Bool) -> [EncryptedCounter] {
        let types = countingFormats
        return history.protectedCounters.compactMap { source, counter -> EncryptedCounter? in
            guard isIncluded(counter), let type = types.first(where: { ObjectIdentifier($0) == source.format }) else {
                return nil
            }
            return EncryptedCounter(
                address: source.identity, format: type.format, value: counter.last, before: counter.before,
                isRestartForged: counter.isRestartForged, keyCheck: keys[source.identity]?.check)
        }
    }

    private func historySource(
        of counter: EncryptedCounter, _ types: [any AdvertisementFormat.Type]
    ) -> PacketHistory.Source? {
        types.first { $0.format == counter.format }
            .map { PacketHistory.Source(identity: counter.address, format: ObjectIdentifier($0), isEncrypted: true) }
    }

    /// Continues with the counters of an earlier process.
    ///
    /// Counters of other formats, of devices without a key, and of other keys are ignored.
    public mutating func restore(_ counters: [EncryptedCounter]) { restore(counters, areChanged: false) }

    /// Continues with counters of keys that were not in use for a while. They are in ``changedCounters`` then.
    package mutating func resume(_ counters: [EncryptedCounter]) { restore(counters, areChanged: true) }

    private mutating func restore(_ counters: [EncryptedCounter], areChanged: Bool) {
        let types = countingFormats
        for counter in counters where counter.matches(keys[counter.address]) {
            guard let source = historySource(of: counter, types) else { continue }
            history.restore(counter.protected(isChanged: areChanged), of: source)
        }
    }

    /// The types for which ``AdvertisementFormat/hasSecureCounter`` is true.
    private var countingFormats: [any AdvertisementFormat.Type] {
        Self.countingLibraryFormats + formats.filter { $0.hasSecureCounter }
    }

    private static let countingLibraryFormats: [any AdvertisementFormat.Type] = [BTHome.self, MiBeacon.self]
}
