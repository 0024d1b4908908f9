/// The sessions of a manager's scans: for each adapter one for active scans (Q37), and one for passive scans.
final class ScanSessions {
    private unowned let client: BlueZClient
    private(set) var sessions: [UInt16: ScanSession] = [:]
    private(set) var passive: [UInt16: PassiveScanSession] = [:]
    /// The session of the latest advertisement, so that most advertisements need no look-up.
    private var latest: (adapter: UInt16, session: ScanSession)?
    /// The number of monitor applications so far, for their object paths.
    private var applications = 0
    private var filterGuard = ServiceFilterGuard()
    private(set) lazy var packets = ManagementAdvertisements(client)

    init(_ client: BlueZClient) { self.client = client }

    private func session(_ adapter: UInt16) -> ScanSession {
        if let session = sessions[adapter] { return session }
        let session = ScanSession(client, on: adapter)
        sessions[adapter] = session
        return session
    }

    private func passiveSession(_ adapter: UInt16) -> PassiveScanSession {
        if let session = passive[adapter] { return session }
        let session = PassiveScanSession(client, on: adapter)
        passive[adapter] = session
        return session
    }

    func nextApplication() -> Int {
        applications += 1
        return applications
    }

    var all: [(adapter: UInt16, session: ScanReceiver)] {
        let active = sessions.map { (adapter: $0.key, session: $0.value as ScanReceiver) }
        let passive = passive.map { (adapter: $0.key, session: $0.value as ScanReceiver) }
        return active.sorted { $0.adapter < $1.adapter } + passive.sorted { $0.adapter < $1.adapter }
    }

    /// Runs work for the sessions of an adapter.
    func forEach(on adapter: UInt16, _ work: (ScanReceiver) -> Void) {
        if let session = sessions[adapter] { work(session) }
        if let session = passive[adapter] { work(session) }
    }

    /// Adds a scan. Throws if the scan requires a source of advertisements that cannot be used.
    func add(_ subscriber: ScanSubscriber, on adapter: UInt16) throws(BluetoothError) {
        subscriber.usesPackets = try packets.join(subscriber.options.source)
        let session: ScanReceiver =
            subscriber.options.patterns == nil ? self.session(adapter) : passiveSession(adapter)
        if subscriber.options.source != .dbus { session.sourceFailure = packets.failure }
        if subscriber.usesPackets { session.findIdentities() }
        session.add(subscriber)
    }

    /// Whether bluetoothd may get a discovery filter with services. If not, the scans compare the services themselves.
    var mayFilterServices: Bool {
        !filterGuard.isClosed && !KnownProblem.mayAffect(client.version, .serviceFilterCrash)
    }

    /// Records the filter that an adapter has now; nil for none.
    func filterSent(_ filter: DiscoveryFilter?, on adapter: UInt16) {
        filterGuard.filterSent(filter?.services ?? [], on: adapter, at: client.settings.now)
    }

    /// Records that bluetoothd has ended, before the scans fail.
    func daemonEnded() {
        if filterGuard.daemonEnded(at: client.settings.now) { client.eventLog.warning(.serviceFilterAvoided) }
    }

    /// Fails all scans because the sessions were lost with bluetoothd or with the bus.
    func lost(_ error: BluetoothError) {
        for (_, session) in all { session.lost(error) }
    }

    /// Fails all scans because the manager is closed, and stops the sessions.
    func close(_ error: BluetoothError) {
        for (_, session) in all { session.close(error) }
    }

    /// Fails the scans on adapters that are not usable any more, or that are no longer selected.
    func adaptersChanged() {
        for (adapter, session) in all {
            if let error = client.obstacle(on: adapter) { session.lost(error) } else { session.adapterChanged() }
        }
    }

    /// Handles a change of the property `Discovering` of an adapter.
    func discoveringChanged(on adapter: UInt16, _ isDiscovering: Bool) {
        sessions[adapter]?.discoveringChanged(isDiscovering)
    }

    /// Handles an advertisement of a device.
    func received(_ device: DeviceRecord) {
        let adapter = device.key.adapter
        if let latest, latest.adapter == adapter { return latest.session.received(device) }
        guard let session = sessions[adapter] else { return }
        latest = (adapter, session)
        session.received(device)
    }

    /// Handles a connection to a device that any program has made or lost.
    func connectionChanged(_ key: DeviceKey) { forEach(on: key.adapter) { $0.connectionChanged(key) } }

    /// Handles the removal of a device by bluetoothd.
    func removed(_ key: DeviceKey) { forEach(on: key.adapter) { $0.removed(key) } }

    /// Returns the devices of an adapter in bluetoothd, sorted by address.
    func known(on adapter: UInt16) -> [ScannedPeripheral] { session(adapter).known }

    /// Returns whether this manager scans actively with an adapter.
    func isActive(on adapter: UInt16) -> Bool { sessions[adapter]?.isActive == true }

    /// The adapters with which this manager scans, actively or passively.
    var scanning: Set<UInt16> {
        Set(sessions.filter { $0.value.state.isScanning }.keys).union(passive.filter { $0.value.state.isActive }.keys)
    }

    /// The status of all sessions for a diagnosis.
    var diagnosis: [Diagnosis.ScanStatus] { all.compactMap(\.session.diagnosis) }
}
