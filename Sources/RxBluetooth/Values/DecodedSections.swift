import BluetoothValues
import FoundationEssentials

/// The results of decoding the sections of one advertisement, as far as a decoder would give others for it again.
///
/// A decoder compares packet counters, so it must not decode a packet twice. Several subscribers may request the
/// reading of one scan result, and each request returns the same one. Further scan results with the same data are
/// repetitions of the packet.
struct DecodedSections: Sendable {
    /// The scan result that was decoded, and the decoder.
    struct Origin: Equatable, Sendable {
        let reader: ObjectIdentifier
        let address: BluetoothAddress
        let time: Date
        let rssi: Int?

        func isOfSameDevice(as other: Origin) -> Bool { reader == other.reader && address == other.address }
    }

    private var entries: [(origin: Origin, section: AdvertisedSection, result: SensorResult)] = []

    /// The result for a section of a scan result; nil if the section was not decoded.
    ///
    /// A section that was refused in another scan result is decoded again, because each refusal is reported.
    func result(of section: AdvertisedSection, for origin: Origin) -> SensorResult? {
        guard let entry = index(of: section, for: origin).map({ entries[$0] }) else { return nil }
        if entry.origin == origin { return entry.result }
        guard case .reading(var reading) = entry.result else { return nil }
        reading.isRepeated = true
        reading.events = []
        reading.restartedAfter = nil
        return .reading(reading)
    }

    /// Stores the result for a section of a scan result.
    mutating func store(_ result: SensorResult, of section: AdvertisedSection, for origin: Origin) {
        if let known = index(of: section, for: origin) {
            entries[known] = (origin, section, result)
        } else {
            entries.append((origin, section, result))
        }
    }

    private func index(of section: AdvertisedSection, for origin: Origin) -> Int? {
        entries.firstIndex { $0.section == section && $0.origin.isOfSameDevice(as: origin) }
    }

    /// Removes all results, because the data has changed.
    mutating func removeAll() {
        if !entries.isEmpty { entries.removeAll() }
    }
}
