/// The devices that bluetoothd stores on disk: those that are not temporary.
final class DeviceStorage {
    struct StoredDevice {
        let address: DeviceAddress
        var name: String?
        var alias: String?
        var isTrusted = false
        /// The security level of the bond; none if not bonded.
        var bond = SimulatedProtection.none
        var isBlocked = false
        var services: [String] = []
        /// The advertised UUIDs among the services.
        var keptServices: Set<String> = []
    }

    private var records: [String: [StoredDevice]] = [:]

    func records(of adapter: String) -> [StoredDevice] { records[adapter] ?? [] }

    func keep(_ record: StoredDevice, of adapter: String) {
        if let index = records[adapter]?.firstIndex(where: { $0.address == record.address }) {
            records[adapter]?[index] = record
        } else {
            records[adapter, default: []].append(record)
        }
    }

    func remove(_ device: DeviceAddress, of adapter: String) {
        records[adapter]?.removeAll { $0.address == device }
    }
}
