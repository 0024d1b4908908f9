import DBus
import FoundationEssentials

/// The scans that share a discovery session, and what each of them is sent.
final class ScanSubscribers {
    private unowned let client: BlueZClient
    private let adapter: UInt16
    private var all: [ScanSubscriber] = []

    init(_ client: BlueZClient, on adapter: UInt16) {
        self.client = client
        self.adapter = adapter
    }

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }
    var filter: DiscoveryFilter { DiscoveryFilter(all) }
    /// The shortest silence after which one of them wants the session restarted; nil if none does.
    var restartsAfterSilence: Duration? { all.compactMap(\.options.restartsAfterSilence).min() }

    func add(_ subscriber: ScanSubscriber) { all.append(subscriber) }

    func remove(_ subscriber: ScanSubscriber) { all.removeAll { $0 === subscriber } }

    /// Fails all of them. They are removed first, because an error handler may subscribe again at once.
    func fail(_ error: BluetoothError) {
        let failed = all
        all = []
        for subscriber in failed { subscriber.emitter.fail(error.during(.scan, nil)) }
    }

    /// Fails those that have another adapter now. The others continue.
    func failThoseOfOtherAdapters() {
        for subscriber in all where client.adapter(for: subscriber.selection) != adapter {
            subscriber.emitter.fail(BluetoothError(.noAdapter).during(.scan, nil))
        }
    }

    // MARK: Devices

    /// Sends a new subscriber the devices that bluetoothd knows already.
    func sendKnownDevices(to subscriber: ScanSubscriber, during session: Int) {
        if subscriber.options.includesKnown {
            for record in records where subscriber.admit(record) {
                subscriber.emitter.next(scanned(record, during: session, at: client.settings.date))
            }
        }
        if subscriber.presence != nil {
            for record in records { findByLink(record, subscriber, during: session) }
        }
    }

    /// An advertisement of a device was received. Called for each, so nothing is built that nobody observes.
    func received(_ key: DeviceKey, during session: Int, at date: Date) {
        client.mirror.noteAdvertisement(of: key, during: session)
        guard let record = client.mirror.devices[key] else { return }
        var built: ScannedPeripheral?
        for subscriber in all where subscriber.admit(record) {
            let peripheral = built ?? scanned(record, during: session, at: date)
            built = peripheral
            subscriber.emitter.next(peripheral)
        }
    }

    /// bluetoothd has removed a device.
    func removed(_ key: DeviceKey, during session: Int) {
        for subscriber in all { subscriber.forget(key) }
        connectionChanged(key, during: session)
    }

    /// A connection to a device was made or lost, by any program.
    func connectionChanged(_ key: DeviceKey, during session: Int) {
        for subscriber in all {
            subscriber.presence?.connectionChanged(key)
            if let record = client.mirror.devices[key] { findByLink(record, subscriber, during: session) }
        }
    }

    /// A connected peripheral is present although it does not advertise.
    private func findByLink(_ record: DeviceRecord, _ subscriber: ScanSubscriber, during session: Int) {
        guard let presence = subscriber.presence, presence.isFound(byLink: record.key), subscriber.admit(record) else {
            return
        }
        presence.found(scanned(record, during: session, at: client.settings.date, isReceived: false))
    }

    /// What bluetoothd knows of the adapter's devices, by address.
    func known(during session: Int) -> [ScannedPeripheral] {
        records.map { scanned($0, during: session, at: client.settings.date) }
    }

    private var records: [DeviceRecord] {
        client.mirror.devices.values.filter { $0.key.adapter == adapter }.sorted { $0.key.address < $1.key.address }
    }

    private func scanned(
        _ record: DeviceRecord, during session: Int, at date: Date, isReceived: Bool = true
    ) -> ScannedPeripheral {
        ScannedPeripheral(
            peripheral: record.peripheral
                ?? client.peripherals.peripheral(for: record.key, kind: record.addressKind, of: client.access),
            advertisementData: record.advertisement, rssi: record.rssi,
            isCached: !isReceived || session == 0 || record.lastSession != session, timestamp: date)
    }
}

/// One subscription to a scan: what it wants, and what it has been told.
final class ScanSubscriber {
    let services: [BluetoothUUID]
    let options: ScanOptions
    /// With which adapter it wants to scan.
    let selection: AdapterSelection
    let emitter: Emitter<ScannedPeripheral>
    /// What follows the links of peripherals; nil for an ordinary scan.
    let presence: PresenceTracker?
    private var reported: [DeviceKey: Appearance] = [:]

    /// What makes a peripheral worth telling of again.
    private struct Appearance: Equatable {
        let name: String?
        let services: [BluetoothUUID]
    }

    init(
        services: [BluetoothUUID], options: ScanOptions, selection: AdapterSelection,
        emitter: Emitter<ScannedPeripheral>, presence: PresenceTracker?
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

/// What bluetoothd is asked to look for: the union of what all who share a session want, as far as it can be left to
/// bluetoothd. What comes is looked at here once more, since filters of other programs are merged in (Q43).
struct DiscoveryFilter: Equatable {
    /// The services of which one has to be listed, in order; empty for whatever there is.
    private let services: [BluetoothUUID]
    /// The least strength, in dBm.
    private let minimumRSSI: Int16

    init(_ subscribers: [ScanSubscriber]) {
        // bluetoothd overlooks a service that an advertisement only has data of (Q44), so it may choose only for those to whom
        // that does not matter.
        let mayChoose = subscribers.allSatisfy { $0.options.listedServicesOnly && !$0.services.isEmpty }
        services = mayChoose ? Set(subscribers.flatMap(\.services)).sorted { $0.longText < $1.longText } : []
        minimumRSSI = subscribers.map(\.options.minimumRSSI).min() ?? ScanOptions.anyRSSI
    }

    /// Only LE, or the controller also looks for classic devices (Q45); every packet with its strength (Q47, Q48, Q50).
    var properties: [String: Value] {
        var properties: [String: Value] = [
            "Transport": .string("le"), "DuplicateData": .bool(true), "RSSI": .int16(minimumRSSI),
        ]
        if !services.isEmpty { properties["UUIDs"] = .strings(services.map(\.longText)) }
        return properties
    }
}

extension ScanOptions {
    /// What nothing is weaker than, in dBm.
    static let anyRSSI: Int16 = -127

    /// The least strength that any of the filters lets pass, as bluetoothd takes it.
    fileprivate var minimumRSSI: Int16 {
        let least = filters.map { $0.minimumRSSI ?? Self.anyRSSI }.min() ?? Self.anyRSSI
        return max(Self.anyRSSI, min(20, least))
    }
}
