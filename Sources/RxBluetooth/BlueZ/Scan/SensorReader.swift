import BluetoothValues
import FoundationEssentials
import Rx
import Synchronization

/// Decodes the advertisements of a manager's scans on demand, with the keys of the configuration.
///
/// ``DecodedSections`` keeps the results that depend on earlier packets.
final class SensorReader: Sendable {
    private let decoder: Guarded<SensorDecoder>
    /// Whether the decoder has formats of the program. Without them, most advertisements do not need the lock.
    private let hasOwnFormats: Atomic<Bool>
    private let eventLog: EventLog

    init(_ keys: KeyStore, _ formats: [any AdvertisementFormat.Type], _ eventLog: EventLog) {
        decoder = Guarded(SensorDecoder(keys: keys, formats: formats))
        hasOwnFormats = Atomic(!formats.isEmpty)
        self.eventLog = eventLog
    }

    /// Decodes one of the sections of a scan result, or returns the result of an earlier call.
    func decode(
        _ section: AdvertisedSection, among sections: [AdvertisedSection], of scanned: ScannedPeripheral
    ) -> SensorResult {
        let name = scanned.advertisementData.localName
        // Most advertisements end here.
        guard
            SensorDecoder.format(of: section, name: name, among: sections) != nil
                || hasOwnFormats.load(ordering: .acquiring)
        else { return .unknown }
        let address = scanned.peripheral.address
        let origin = DecodedSections.Origin(
            reader: ObjectIdentifier(self), address: address, time: scanned.timestamp, rssi: scanned.rssi)
        let (result, isFirst) = scanned.advertisementData.withDecoded { decoded in
            if let known = decoded.result(of: section, for: origin) { return (known, false) }
            let result = decoder.withLock { decoder in
                decoder.decode(
                    section, from: SenderAddress(address), name: name, among: sections,
                    at: .seconds(origin.time.timeIntervalSinceReferenceDate))
            }
            // Other results do not depend on earlier packets.
            switch result {
            case .reading(let reading) where reading.packetCounter == nil: break
            case .reading, .failure: decoded.store(result, of: section, for: origin)
            default: break
            }
            return (result, true)
        }
        if isFirst, case .failure(let error) = result {
            eventLog.debug(.readingRefused(scanned.peripheral, error))
        }
        return result
    }

    /// The formats of the program.
    var formats: [any AdvertisementFormat.Type] {
        hasOwnFormats.load(ordering: .acquiring) ? decoder.withLock { $0.formats } : []
    }

    /// Adds a format of the program, unless the decoder has it.
    func add(_ format: any AdvertisementFormat.Type) {
        guard format.format.isCustom else { return }
        decoder.withLock { decoder in
            if !decoder.formats.contains(where: { $0 == format }) { decoder.formats.append(format) }
        }
        hasOwnFormats.store(true, ordering: .releasing)
    }

    /// The key of a device; nil if it has none.
    func sender(_ address: BluetoothAddress, name: String?) -> Sender {
        decoder.withLock { decoder in
            let address = SenderAddress(address)
            let identity = decoder.identity(of: address)
            return Sender(address: address, name: name, key: decoder.keys[identity])
        }
    }
}
