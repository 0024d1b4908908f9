/// One subscription to a scan: what it wants, and what it has been told.
final class ScanSubscriber {
    let services: [BluetoothUUID]
    let options: ScanOptions
    /// With which adapter it wants to scan.
    let selection: AdapterSelection
    let emitter: Emitter<ScannedPeripheral>
    /// What follows the links of peripherals; nil for an ordinary scan.
    let presence: Presence?
    private var reported: [DeviceKey: Appearance] = [:]

    /// What makes a peripheral worth telling of again.
    private struct Appearance: Equatable {
        let name: String?
        let services: [BluetoothUUID]
    }

    init(
        services: [BluetoothUUID], options: ScanOptions, selection: AdapterSelection,
        emitter: Emitter<ScannedPeripheral>, presence: Presence?
    ) {
        self.services = services
        self.options = options
        self.selection = selection
        self.emitter = emitter
        self.presence = presence
    }

    /// Whether this subscription is to be told of a sighting. Remembers that it was.
    func admit(_ record: DeviceRecord) -> Bool {
        let advertisement = record.advertisement
        let isListed = options.listedServicesOnly ? advertisement.lists : advertisement.contains
        guard services.isEmpty || services.contains(where: isListed) else { return false }
        guard options.filters.isEmpty || options.filters.contains(where: { $0.matches(record) }) else { return false }
        if options.allowsDuplicates { return true }
        let appearance = Appearance(name: advertisement.localName, services: advertisement.serviceUUIDs)
        return reported.updateValue(appearance, forKey: record.key) != appearance
    }

    /// bluetoothd forgot the device: what was told of it is dropped, so that a long scan does not grow for ever.
    func forget(_ key: DeviceKey) { reported[key] = nil }
}
