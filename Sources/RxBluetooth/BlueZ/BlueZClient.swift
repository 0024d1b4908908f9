import DBus

/// The manager's client of bluetoothd. It mirrors bluetoothd's objects and runs our operations.
///
/// The client belongs to the bus context, so replies, signals and disposals are handled one after another. Public types
/// access the client through ``BlueZAccess``, which holds it as ``Confined``.
final class BlueZClient {
    let bus: BusContext
    let settings: Settings
    let peripherals: PeripheralTable
    weak let access: BlueZAccess?
    var eventLog: EventLog { settings.eventLog }

    /// The unique bus name of the running bluetoothd; nil if it does not run.
    private(set) var owner: String?
    private(set) var isOwnerKnown = false
    /// The version of the running bluetoothd; nil if it is not known.
    private(set) var version: BlueZVersion?
    /// Why the last snapshot failed; nil if none has failed since bluetoothd started.
    private(set) var syncFailure: BluetoothError?
    /// Why this client has ended: the bus is lost, or the manager was closed.
    private(set) var finalFailure: BluetoothError?
    /// When bluetoothd last started again; nil if it never has.
    private(set) var restartedAt: MonotonicTime?
    var choices: AdapterChoices
    /// The state in the last log entry.
    private var loggedState: BluetoothState?
    /// Work that waits until the state of Bluetooth is known.
    private var waiting: [(BlueZClient) -> Void] = []
    private var tasks: [BusTask] = []

    private(set) lazy var mirror = ObjectMirror(settings, peripherals, access: access, observer: self)
    private(set) lazy var signals = ObjectSignals(mirror) { [weak self] in self?.links[$0] }
    private(set) lazy var deviceSignals = DeviceSignals(self)
    private lazy var snapshots = SnapshotReader(self)
    private(set) lazy var scans = ScanSessions(self)
    private(set) lazy var links = Links(self)
    private(set) lazy var staleOperations = StaleOperations(self)
    private(set) lazy var removals = DeviceRemovals(self)
    private(set) lazy var attributes = AttributeTree(links, mirror)
    private(set) lazy var operations = AttributeOperations(self)
    private(set) lazy var agent = Agent(self)
    private(set) lazy var pairings = PairingQueue(self)
    private(set) lazy var deviceValues = DeviceValueObservers(mirror) { [weak self] in self?.deviceSignals.update() }
    private(set) lazy var advertising = AdvertisingSessions(self)
    private(set) lazy var channels = L2CAPChannels(self)
    private(set) lazy var adapterControl = AdapterControl(self)
    private(set) lazy var publishing = PublishedApplications(self)
    let teardowns = TeardownTracker()

    init(bus: BusContext, settings: Settings, peripherals: PeripheralTable, access: BlueZAccess) {
        self.bus = bus
        self.settings = settings
        self.peripherals = peripherals
        self.access = access
        choices = AdapterChoices(settings.adapter)
    }

    // MARK: Start and end

    func start() {
        signals.subscribe(bus)
        tasks = [
            bus.watchOwner(of: BlueZ.name) { [weak self] owner in self?.ownerChanged(owner) },
            bus.whenDisconnected { [weak self] error in self?.busLost(error) },
        ]
    }

    private func ownerChanged(_ owner: String?) {
        guard finalFailure == nil, owner != self.owner || !isOwnerKnown else { return }
        if isOwnerKnown, owner != nil { restartedAt = settings.now }
        isOwnerKnown = true
        self.owner = owner
        if owner == nil { reportObstacle() }
        // A crashed bluetoothd does not signal removed objects (Q2), so the loss of its name resets everything.
        forgetEverything(BluetoothError(.daemonUnavailable), .daemon)
        if owner != nil { snapshots.start() } else { stateChanged() }
    }

    private func busLost(_ error: DBusError) {
        guard finalFailure == nil else { return }
        let isRefused = BluetoothError(error).kind == .unauthorized
        let failure = BluetoothError(
            isRefused ? .unauthorized : .busUnavailable, dbusName: error.name, dbusMessage: error.message)
        finalFailure = failure
        reportObstacle()
        forgetEverything(failure, .bus)
        agent.fail(failure)
        deviceValues.fail(failure)
        stateChanged()
    }

    /// Ends all operations of this manager. ``teardowns`` counts the calls that undo them in bluetoothd.
    func shutDown() {
        guard finalFailure == nil else { return }
        let closed = BluetoothError(.closed)
        finalFailure = closed
        snapshots.cancel()
        runWaiting()
        deviceSignals.lost()
        scans.close(closed)
        adapterControl.fail(closed)
        channels.fail(closed)
        advertising.fail(closed)
        publishing.fail(closed)
        pairings.fail(closed)
        agent.fail(closed)
        deviceValues.fail(closed)
        links.close(closed)
    }

    /// Closes the bus when no teardown is in progress, because nothing uses the client any more.
    func closeWhenIdle() {
        teardowns.onIdle { [self] in
            // A later turn, because the code that ends the last teardown may still use the client.
            bus.perform { [self] in
                finalFailure = finalFailure ?? BluetoothError(.closed)
                snapshots.cancel()
                agent.daemonLost()
                bus.close()
                // Closing fails the pending calls. Their handlers use the client, which another thread may release now.
                _ = bus.whenDisconnected { [self] _ in withExtendedLifetime(self) {} }
            }
        }
    }

    private func forgetEverything(_ error: BluetoothError, _ reason: BluetoothError.DisconnectReason) {
        snapshots.cancel()
        mirror.stopFollowing()
        // Before the scans end: they would read the devices again, and the call would start bluetoothd.
        deviceSignals.lost()
        syncFailure = nil
        version = nil
        if reason == .daemon { scans.daemonEnded() }
        scans.lost(error)
        adapterControl.fail(error)
        advertising.fail(error)
        publishing.fail(error)
        links.lost(reason)
        staleOperations.daemonLost()
        removals.daemonLost(error)
        pairings.fail(error)
        agent.daemonLost()
        mirror.empty()
        choices.reset()
    }

    /// Begins to follow signals when the mirror contains the snapshot.
    ///
    /// Earlier signals were ignored, because the snapshot contains everything that was signalled before its reply
    /// (Q18).
    func snapshotArrived() {
        staleOperations.snapshotArrived()
        links.snapshotArrived()
        mirror.startFollowing()
        syncFailure = nil
        adaptersChanged()
        deviceValues.allChanged()
        agent.daemonAppeared()
        deviceSignals.update()
    }

    /// Handles the changes of all devices, which were not followed for some time.
    func devicesRefreshed(_ changes: [DeviceChange]) {
        for change in changes { deviceChanged(change) }
    }

    func snapshotFailed(_ error: DBusError, again pause: Duration) {
        let failure = BluetoothError(error)
        syncFailure = failure
        mirror.empty()
        eventLog.warning(.snapshotFailed(failure, again: pause))
        adaptersChanged()
    }

    // MARK: State

    /// Why Bluetooth cannot be used with any adapter; nil if it can be used, or if that is not known yet.
    private var obstacleToAll: BluetoothState? {
        if let finalFailure { return finalFailure.kind == .unauthorized ? .unauthorized : .busUnavailable }
        if owner == nil { return .daemonUnavailable }
        return syncFailure.map { $0.kind == .unauthorized ? .unauthorized : .daemonUnavailable }
    }

    private var isKnown: Bool {
        finalFailure != nil || isOwnerKnown && (owner == nil || syncFailure != nil || mirror.isSynced)
    }

    /// Returns the state of Bluetooth with an adapter; nil while it is not known.
    func state(of adapter: UInt16?) -> BluetoothState? {
        isKnown ? obstacleToAll ?? AdapterRecord.state(adapter.flatMap { mirror.adapters[$0] }) : nil
    }

    /// Returns why Bluetooth cannot be used with an adapter; nil if it can be used.
    func obstacle(on adapter: UInt16?) -> BluetoothError? {
        finalFailure ?? syncFailure.map(Self.obstacle(afterSyncFailure:)) ?? state(of: adapter)?.error
    }

    /// Returns the error of ``BluetoothState/daemonUnavailable`` for a bluetoothd that does not list its objects (S1).
    static func obstacle(afterSyncFailure failure: BluetoothError) -> BluetoothError {
        if failure.kind == .unauthorized { return failure }
        let detail =
            switch failure.kind {
            case .timedOut: "It does not reply"
            case .protocolViolation: "Its list of objects is malformed"
            default: "It does not list its objects: \(failure.dbusName ?? failure.code)"
            }
        return BluetoothError(
            .daemonUnavailable, detail: detail, dbusName: failure.dbusName, dbusMessage: failure.dbusMessage)
    }

    /// Returns the error of the closed manager if a call failed because of the closing; otherwise nil.
    func cause(of error: DBusError) -> BluetoothError? {
        if error.name == DBusError.Name.disconnected, finalFailure?.kind == .closed { finalFailure } else { nil }
    }

    /// Runs work when it is known whether Bluetooth can be used: at once, or after the first snapshot.
    ///
    /// The client is an argument of `work`, so that waiting work does not retain the client.
    func onStateKnown(_ work: @escaping (BlueZClient) -> Void) {
        if isKnown { work(self) } else { waiting.append(work) }
    }

    /// Runs work when it is known whether Bluetooth can be used, and the records of the devices are up to date.
    func onDevicesKnown(_ work: @escaping (BlueZClient) -> Void) {
        onStateKnown { client in client.deviceSignals.onCurrent(work) }
    }

    /// Begins a stream when it is known whether Bluetooth can be used, and the devices are up to date.
    ///
    /// If `work` throws, the stream fails with that error, which names the operation and the target.
    func begin<Element>(
        _ operation: BluetoothError.Operation, _ target: String?, _ emitter: Emitter<Element>,
        _ work: @escaping (BlueZClient, Emitter<Element>) throws(BluetoothError) -> Void
    ) {
        onDevicesKnown { client in
            emitter.attempt(operation, target) { () throws(BluetoothError) in try work(client, emitter) }
        }
    }

    private func runWaiting() {
        let waiting = waiting
        self.waiting = []
        for work in waiting { work(self) }
    }

    private func stateChanged() {
        // After `shutDown`, changes of state are ignored. Only the replies to earlier calls matter.
        guard let state = state(of: adapter(for: settings.adapter)), finalFailure?.kind != .closed else { return }
        if state != loggedState { eventLog.info(.stateChanged(state)) }
        loggedState = state
        scans.adaptersChanged()
        advertising.adaptersChanged()
        publishing.adaptersChanged()
        for adapter in mirror.adapters.values where !adapter.isPowered { links.lost(on: adapter.number) }
        adapterControl.adaptersChanged()
        channels.adaptersChanged()
        sendReport()
        runWaiting()
    }

    /// Reports that Bluetooth cannot be used, and that there is no adapter, before the operations fail.
    ///
    /// A subscriber to both then knows the cause of a failure.
    private func reportObstacle() {
        let none = AdapterCandidates(records: [:], linkCounts: [:], peripherals: peripherals)
        let report = ClientReport(
            obstacle: obstacleToAll, failure: finalFailure, choices: AdapterChoices(settings.adapter), candidates: none,
            daemonVersion: nil, scanning: [],
            powerFailures: [:], isFinal: false)
        access?.publish(report, from: self)
    }

    private func sendReport() {
        let report = ClientReport(
            obstacle: obstacleToAll, failure: finalFailure ?? syncFailure.map(Self.obstacle(afterSyncFailure:)),
            choices: choices, candidates: candidates, daemonVersion: version, scanning: scans.scanning,
            powerFailures: adapterControl.failures, isFinal: finalFailure != nil)
        access?.publish(report, from: self)
    }

    /// Publishes a change that does not affect whether Bluetooth can be used.
    ///
    /// While the mirror is not complete, the next change of state publishes it.
    func publishReport() {
        if mirror.isSynced, finalFailure == nil { sendReport() }
    }
}

// MARK: - Changes of the mirror

extension BlueZClient: ObjectMirrorObserver {
    func messageRejected(total: Int) { eventLog.debug(.messageRejected(total: total)) }

    func unknownObjectSignalled(total: Int) { eventLog.trace(.signalForUnknownObject(total: total)) }

    func adaptersChanged() {
        let previous = adapter(for: settings.adapter)
        choices.update(candidates)
        let selected = adapter(for: settings.adapter)
        if previous != selected { eventLog.info(.adapterChosen(selected.map { "hci\($0)" })) }
        updateVersion()
        stateChanged()
    }

    /// Reads the version from the adapters.
    ///
    /// It stays known when the adapters are gone: only another bluetoothd has another version.
    private func updateVersion() {
        guard let version = BlueZVersion.common(of: mirror.adapters.values), version != self.version else { return }
        self.version = version
        eventLog.info(.daemonVersionKnown(version))
    }

    func adapterRemoved(_ number: UInt16) {
        links.lost(on: number)
        adaptersChanged()
    }

    func discoveringChanged(on adapter: UInt16, _ isDiscovering: Bool) {
        scans.discoveringChanged(on: adapter, isDiscovering)
    }

    func deviceFound(_ key: DeviceKey) { links[key]?.deviceFound() }

    func deviceAdded(_ device: DeviceRecord) {
        scans.received(device)
        scans.deviceAdded(device.key)
        scans.connectionChanged(device.key)
        deviceValues.changed(device.key)
    }

    func deviceChanged(_ change: DeviceChange) {
        let device = change.device
        let key = device.key
        let advertised = change.wasConnected ? DeviceRecord.advertisedWhileConnected : DeviceRecord.advertised
        if change.set.intersects(advertised) { scans.received(device) }
        if change.set.intersects(DeviceRecord.addressed) { scans.addressChanged(of: key) }
        if change.all.intersects(DeviceRecord.observed) { deviceValues.changed(key) }
        if device.isConnected != change.wasConnected {
            device.hasLostLink = change.wasConnected && !device.isBonded
            if change.wasConnected { links.recordDisconnected(key) } else { device.connectedAt = settings.now }
            scans.connectionChanged(key)
        } else if device.isConnected, change.set.intersects(DeviceRecord.filtered) {
            // A connected peripheral may be present for a filter only when its services are read.
            scans.connectionChanged(key)
        }
        guard let link = links[key] else { return }
        if change.set.intersects(DeviceRecord.bonding), device.isPaired || device.isBonded { link.queue.paired() }
        if change.all.intersects(DeviceRecord.named) { link.name.changed() }
        if change.all.intersects(DeviceRecord.connected) { link.connectedChanged(device.isConnected) }
        if change.all.intersects(DeviceRecord.resolved) { link.resolvedChanged(device.isResolved) }
    }

    func deviceRemoved(_ key: DeviceKey) {
        scans.removed(key)
        deviceValues.changed(key)
        // The link ends here: if another program removes a device, bluetoothd does not signal Connected=false (Q61).
        links[key]?.deviceRemoved()
        staleOperations.deviceRemoved(key)
        removals.deviceRemoved(key)
    }

    func deviceRemovedWithAdapter(_ key: DeviceKey) {
        deviceValues.changed(key)
        staleOperations.deviceRemoved(key)
    }

    func batteryChanged(_ key: DeviceKey) { links[key]?.battery.changed() }

    func wereServicesRead(of key: DeviceKey) -> Bool { links[key]?.serviceDiscovery.wasResolved == true }

    func attributeAdded(to key: DeviceKey) { links[key]?.serviceDiscovery.attributeAdded() }

    func serviceAdded(to key: DeviceKey) { links[key]?.modifications.added() }

    func serviceRemoved(_ record: ServiceRecord, _ handle: UInt16, from key: DeviceKey) {
        links[key]?.modifications.removed(record, handle)
    }

    func characteristicRemoved(_ key: CharacteristicKey) {
        links[key.device]?.removed(key)
        staleOperations.attributeRemoved(key)
    }

    func observedProperties(of key: CharacteristicKey) -> ObservedProperties {
        guard let link = links[key.device] else { return .none }
        return link.notifications[key] == nil ? .mtu : .all
    }

    func valueReceived(_ value: [UInt8], of key: CharacteristicKey) {
        links[key.device]?.notifications[key]?.received(value)
    }

    func mtuReceived(_ mtu: UInt16, of key: DeviceKey) { links[key]?.mtu.received(mtu) }
}
