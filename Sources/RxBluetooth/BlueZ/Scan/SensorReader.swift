import BluetoothValues
import FoundationEssentials
import Rx
import Synchronization

/// Decodes the advertisements of a manager's scans on demand, with the keys of the configuration.
///
/// A decoder compares packet counters, so it must not decode a packet twice. Several subscribers may request the
/// reading of one scan result, so the results of the latest packets are kept.
final class SensorReader: Sendable {
    private let state: Guarded<State>
    /// Whether the decoder has formats of the program. Without them, most advertisements do not need the lock.
    private let hasOwnFormats: Atomic<Bool>
    private let eventLog: EventLog

    private struct State {
        var decoder: SensorDecoder
        var recent: [BluetoothAddress: [(packet: Packet, result: SensorResult)]] = [:]

        mutating func decode(
            _ packet: Packet, from address: BluetoothAddress, name: String?, among sections: [AdvertisedSection]
        ) -> (result: SensorResult, isFirst: Bool) {
            if let known = recent[address]?.first(where: { $0.packet == packet }) { return (known.result, false) }
            let result = decoder.decode(
                packet.section, from: SenderAddress(address), name: name, among: sections,
                at: .seconds(packet.time.timeIntervalSinceReferenceDate))
            // Other results do not depend on earlier packets.
            switch result {
            case .reading(let reading) where reading.packetCounter != nil: break
            case .failure: break
            default: return (result, true)
            }
            if recent.count >= SensorReader.mostDevices, recent[address] == nil { recent.removeAll() }
            var results = recent[address] ?? []
            if results.count >= SensorReader.resultsPerDevice { results.removeFirst() }
            results.append((packet, result))
            recent[address] = results
            return (result, true)
        }
    }

    /// A section of one scan result.
    private struct Packet: Equatable {
        let time: Date
        let rssi: Int?
        let section: AdvertisedSection
    }

    /// The number of results that are kept for each device.
    private static let resultsPerDevice = 4
    /// The number of devices with kept results. It is bounded, because private addresses change constantly.
    private static let mostDevices = 1024

    init(_ keys: KeyStore, _ formats: [any AdvertisementFormat.Type], _ eventLog: EventLog) {
        state = Guarded(State(decoder: SensorDecoder(keys: keys, formats: formats)))
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
        let packet = Packet(time: scanned.timestamp, rssi: scanned.rssi, section: section)
        let (result, isFirst) = state.withLock { $0.decode(packet, from: address, name: name, among: sections) }
        if isFirst, case .failure(let error) = result {
            eventLog.debug(.readingRefused(scanned.peripheral, error))
        }
        return result
    }

    /// The formats of the program.
    var formats: [any AdvertisementFormat.Type] {
        hasOwnFormats.load(ordering: .acquiring) ? state.withLock { $0.decoder.formats } : []
    }

    /// Adds a format of the program, unless the decoder has it.
    func add(_ format: any AdvertisementFormat.Type) {
        guard format.format.isCustom else { return }
        state.withLock { state in
            if !state.decoder.formats.contains(where: { $0 == format }) { state.decoder.formats.append(format) }
        }
        hasOwnFormats.store(true, ordering: .releasing)
    }

    /// The key of a device; nil if it has none.
    func sender(_ address: BluetoothAddress, name: String?) -> Sender {
        state.withLock { state in
            let address = SenderAddress(address)
            let identity = state.decoder.identity(of: address)
            return Sender(address: address, name: name, key: state.decoder.keys[identity])
        }
    }
}
