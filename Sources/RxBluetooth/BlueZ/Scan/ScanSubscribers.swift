import DBus
import FoundationEssentials

/// The scans that share a discovery session.
final class ScanSubscribers {
    unowned let client: BlueZClient
    let mirror: ObjectMirror
    private let adapter: UInt16
    let list = ObserverList<ScanSubscriber>()

    init(_ client: BlueZClient, on adapter: UInt16) {
        self.client = client
        mirror = client.mirror
        self.adapter = adapter
    }

    var isEmpty: Bool { list.isEmpty }
    var count: Int { list.all.count }
    /// The number of scan results that slow subscribers have lost.
    var drops: Int { list.all.reduce(0) { $0 + $1.drops.total } }
    var filter: DiscoveryFilter { DiscoveryFilter(list.all, mayContainServices: client.scans.mayFilterServices) }
    /// The shortest silence after which a scan restarts the session; nil if no scan has this option.
    var restartsAfterSilence: Duration? { list.all.compactMap(\.options.restartsAfterSilence).min() }

    /// Adds a subscriber. The caller removes it when it ends.
    func add(_ subscriber: ScanSubscriber) { list.insert(subscriber) }

    func remove(_ subscriber: ScanSubscriber) { list.remove(subscriber) }

    func fail(_ error: BluetoothError) { list.fail(error) }

    /// Fails the scans for which another adapter is chosen now. The other scans continue.
    func failThoseOfOtherAdapters() {
        for subscriber in list.all where client.adapter(for: subscriber.selection) != adapter {
            subscriber.fail(BluetoothError(.noAdapter))
        }
    }

    // MARK: Devices

    /// Emits the devices that are already in bluetoothd to a new subscriber.
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

    /// Emits an advertisement that bluetoothd has signalled to each subscriber that uses signals and admits it.
    ///
    /// For speed, a result is built only if a subscriber admits the advertisement.
    func received(_ record: DeviceRecord, during session: Int, at date: Date) {
        record.reception.lastSession = session
        let subscribers = list.all
        guard let first = subscribers.firstIndex(where: { $0.admitSignal(record) }) else { return }
        let result = scanned(record, during: session, at: date)
        subscribers[first].emitter.next(result)
        for subscriber in subscribers[(first + 1)...] where subscriber.admitSignal(record) {
            subscriber.emitter.next(result)
        }
    }

    /// Handles the removal of a device by bluetoothd.
    func removed(_ key: DeviceKey, during session: Int) {
        for subscriber in list.all { subscriber.forget(key) }
        connectionChanged(key, during: session)
    }

    /// Handles a connection to a device that any program has made or lost.
    func connectionChanged(_ key: DeviceKey, during session: Int) {
        for subscriber in list.all {
            subscriber.presence?.connectionChanged(key)
            if let record = client.mirror.devices[key] { findByLink(record, subscriber, during: session) }
        }
    }

    /// Reports a connected peripheral as present although it does not advertise.
    private func findByLink(_ record: DeviceRecord, _ subscriber: ScanSubscriber, during session: Int) {
        guard let presence = subscriber.presence, presence.isFound(byLink: record.key), subscriber.admit(record) else {
            return
        }
        presence.found(scanned(record, during: session, at: client.settings.date, isReceived: false))
    }

    /// Returns the adapter's devices in bluetoothd, sorted by address.
    func known(during session: Int) -> [ScannedPeripheral] {
        records.map { scanned($0, during: session, at: client.settings.date) }
    }

    private var records: [DeviceRecord] {
        client.mirror.devices.values.filter { $0.key.adapter == adapter }.sorted { $0.key.address < $1.key.address }
    }

    private func scanned(
        _ record: DeviceRecord, during session: Int, at date: Date, isReceived: Bool = true
    ) -> ScannedPeripheral {
        var data = record.advertisement
        // This data is that of bluetoothd, also if another scan has received a packet.
        if data.rawData != nil { data.values.rawData = nil }
        return ScannedPeripheral(
            peripheral: record.peripheral
                ?? client.peripherals.peripheral(for: record.key, kind: record.addressKind, of: client.access),
            advertisementData: data, rssi: record.rssi.map(Int.init),
            isCached: !isReceived || session == 0 || record.reception.lastSession != session, timestamp: date)
    }
}

/// One subscription to a scan: its options, and the peripherals that it has emitted.
final class ScanSubscriber: StreamObserver {
    let services: [BluetoothUUID]
    let options: ScanOptions
    /// The adapter that the user selected.
    let selection: AdapterSelection
    let emitter: Emitter<ScannedPeripheral>
    /// The tracker of present peripherals; nil for an ordinary scan.
    let presence: PresenceTracker?
    let drops: ScanDrops
    /// The patterns of a passive scan; nil for an active scan.
    let patterns: [AdvertisementPattern]?
    /// Whether this subscription emits every advertisement.
    private let admitsAll: Bool
    /// Whether the scan receives packets of the management socket instead of signals of bluetoothd.
    var usesPackets = false
    private var reported: [DeviceKey: Appearance] = [:]

    /// A peripheral is emitted again when one of these values has changed.
    private struct Appearance: Equatable {
        let name: String?
        let services: [BluetoothUUID]
    }

    init(
        services: [BluetoothUUID], options: ScanOptions, selection: AdapterSelection,
        emitter: Emitter<ScannedPeripheral>, presence: PresenceTracker?, drops: ScanDrops
    ) {
        self.services = services
        self.options = options
        self.selection = selection
        self.emitter = emitter
        self.presence = presence
        self.drops = drops
        patterns = options.patterns
        admitsAll = services.isEmpty && options.filters.isEmpty && options.allowsDuplicates && patterns == nil
    }

    /// Returns whether this subscription emits an advertisement, and records its name and services.
    func admit(_ record: DeviceRecord) -> Bool {
        if admitsAll { return true }
        let advertisement = record.advertisement
        let isListed = options.listedServicesOnly ? advertisement.lists : advertisement.contains
        guard services.isEmpty || services.contains(where: isListed) else { return false }
        guard options.filters.isEmpty || options.filters.contains(where: { $0.matches(record) }) else { return false }
        if options.allowsDuplicates { return true }
        let appearance = Appearance(name: advertisement.localName, services: advertisement.serviceUUIDs)
        return reported.updateValue(appearance, forKey: record.key) != appearance
    }

    /// Returns whether this subscription emits an advertisement that bluetoothd has signalled.
    func admitSignal(_ record: DeviceRecord) -> Bool { !usesPackets && admit(record) }

    /// Returns whether a packet matches a pattern of this passive scan; true for an active scan.
    func matches(_ buffer: [UInt8], _ packet: Range<Int>) -> Bool {
        guard let patterns else { return true }
        return AdvertisementPattern.matches(any: patterns, buffer, packet)
    }

    /// Returns whether this subscription emits a packet of the management socket.
    func admitPacket(_ record: DeviceRecord, _ buffer: [UInt8], _ packet: Range<Int>) -> Bool {
        usesPackets && (admitsAll || matches(buffer, packet) && admit(record))
    }

    /// Removes the entry of a device that bluetoothd has removed.
    ///
    /// Without this, a long scan would need more and more memory.
    func forget(_ key: DeviceKey) { reported[key] = nil }

    func fail(_ error: BluetoothError) { emitter.fail(error.during(.scan, nil)) }

    func onEnd(_ undo: @escaping () -> Void) { emitter.onEnd(undo) }
}

/// The filter for bluetoothd: the union of all scans' filters, as far as bluetoothd supports it.
///
/// bluetoothd also merges the filters of other programs (Q43), so ``ScanSubscriber/admit(_:)`` filters again.
struct DiscoveryFilter: Equatable {
    /// The services of which a device must list at least one, sorted; empty for all devices.
    let services: [BluetoothUUID]
    /// The lowest RSSI in dBm that a scan admits.
    private let minimumRSSI: Int

    /// - Parameter mayContainServices: False if bluetoothd may crash from a filter with services (Q127).
    init(_ subscribers: [ScanSubscriber], mayContainServices: Bool) {
        // bluetoothd does not search service data for services (Q44), so it filters only if all scans need listed
        // services.
        let mayChoose =
            mayContainServices
            && subscribers.allSatisfy { $0.options.listedServicesOnly && !$0.services.isEmpty }
        services = mayChoose ? Set(subscribers.flatMap(\.services)).sorted { $0.longText < $1.longText } : []
        minimumRSSI = subscribers.map(\.options.minimumRSSI).min() ?? ScanOptions.anyRSSI
    }

    /// The properties for `SetDiscoveryFilter`: LE only, and every packet with its RSSI.
    ///
    /// Without `Transport`, bluetoothd would pause to scan for classic devices (Q45). The other properties make it
    /// report each packet with its RSSI (Q47, Q48, Q50).
    var properties: [String: Value] {
        var properties: [String: Value] = [
            "Transport": .string("le"), "DuplicateData": .bool(true), "RSSI": .int16(Int16(minimumRSSI)),
        ]
        if !services.isEmpty { properties["UUIDs"] = .strings(services.map(\.longText)) }
        return properties
    }
}

extension ScanOptions {
    /// The lowest RSSI in dBm: a filter with this value admits all advertisements.
    static let anyRSSI = -127

    /// The lowest RSSI in dBm that one of the filters admits, limited to bluetoothd's range.
    fileprivate var minimumRSSI: Int {
        let least = filters.map { $0.minimumRSSI ?? Self.anyRSSI }.min() ?? Self.anyRSSI
        return max(Self.anyRSSI, min(20, least))
    }
}
