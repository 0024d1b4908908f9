import DBus
import FoundationEssentials

/// The discovery session of a manager on one adapter, shared by all its scans.
///
/// bluetoothd allows one discovery session for each D-Bus client and adapter (Q37).
///
/// ``ScanState`` decides what to do; this class makes the calls and runs the timers.
final class ScanSession {
    unowned let client: BlueZClient
    let adapter: UInt16
    let subscribers: ScanSubscribers
    private(set) var state = ScanState()
    /// When the current phase of `state` began.
    private var since: MonotonicTime?
    /// When an advertisement of any device was received last.
    var lastReceived: MonotonicTime?
    /// The time stamp of the advertisements in this turn of the bus context; nil before the first.
    private var turnDate: Date?
    /// Why the latest scan that did not require D-Bus uses it; nil if that scan uses packets.
    var sourceFailure: BluetoothError?
    /// The packets of devices that bluetoothd has not shown yet.
    var pending = PendingPackets()
    /// The devices with another address in their packets than in their object path, by that address (Q62).
    var identities: [BluetoothAddress: DeviceKey] = [:]
    /// The timer of the pause before the next start.
    private var pause: BusTask?
    /// The last filter that was sent to bluetoothd; nil if cleared, or if bluetoothd may have exited.
    private var sentFilter: DiscoveryFilter?
    private(set) lazy var watchdog = ScanWatchdog(client.bus) { [weak self] in self?.handle(.silent) }
    private lazy var lostSession = LostSessionDetector(client.bus) { [weak self] in self?.handle(.silent) }

    init(_ client: BlueZClient, on adapter: UInt16) {
        self.client = client
        self.adapter = adapter
        subscribers = ScanSubscribers(client, on: adapter)
    }

    // MARK: Scans

    func add(_ subscriber: ScanSubscriber) {
        subscribers.add(subscriber)
        subscriptionsChanged()
        if state.phase != .idle { handle(.wanted) }
        subscriber.emitter.onEnd { [weak self] in self?.remove(subscriber) }
        subscribers.sendKnownDevices(to: subscriber, during: state.number)
        if state.phase == .idle, !subscribers.isEmpty { handle(.wanted) }
    }

    private func remove(_ subscriber: ScanSubscriber) {
        subscribers.remove(subscriber)
        leavePackets(subscriber)
        subscriptionsChanged()
        if subscribers.isEmpty { handle(.unwanted) } else if state.phase == .active { updateFilter() }
    }

    private func subscriptionsChanged() { watchdog.watch(subscribers.restartsAfterSilence) }

    /// Fails all scans because the session was lost with its adapter or with bluetoothd (S13).
    func lost(_ error: BluetoothError) { handle(.lost(error)) }

    /// Fails all scans because the manager is closed, and stops the session.
    func close(_ error: BluetoothError) { handle(.closed(error)) }

    /// Fails the scans that now have to use another adapter.
    func adapterChanged() { subscribers.failThoseOfOtherAdapters() }

    // MARK: The state machine

    private func handle(_ event: ScanState.Event) {
        let before = state
        let actions = state.handle(event)
        // Executing an action may change `state`, so the value after this event is stored before.
        let isUndoing = state.isUndoing
        if state.phase.step != before.phase.step { since = client.settings.now }
        if isUndoing, !before.isUndoing { client.teardowns.begin() }
        for action in actions { execute(action) }
        if !isUndoing, before.isUndoing { client.teardowns.end() }
    }

    private func execute(_ action: ScanState.Action) {
        switch action {
        case .start: start()
        case .stop: stop()
        case .pause(let duration): wait(duration)
        case .endOrphanedDiscovery: endOrphanedDiscovery()
        case .stopLateSession: stopLateSession()
        case .updateFilter: updateFilter()
        case .clearFilter: clearFilter()
        case .failScans(let error):
            subscribers.fail(error)
            subscriptionsChanged()
        case .logBegan: client.eventLog.debug(.scanBegan(adapter: name))
        case .logRefused(let error, let again):
            client.eventLog.debug(.scanRefused(adapter: name, error, again: again))
        case .logRestarted: client.eventLog.info(.scanRestarted(adapter: name))
        case .logEnded(let error):
            lostSession.sessionEnded()
            client.eventLog.debug(.scanEnded(adapter: name, error))
        }
    }

    /// Handles an event if its session is still the current one.
    private func handle(_ event: ScanState.Event, of number: Int) {
        if number == state.number { handle(event) }
    }

    private var name: String { "hci\(adapter)" }

    // MARK: Calls

    private func start() {
        setFilter()
        let number = state.number
        client.call(.startDiscovery(on: adapter), deadline: client.settings.deadlines.startScan) { [weak self] result in
            switch result {
            case .success: self?.handle(.started, of: number)
            case .failure(let error):
                self?.forgetFilter(after: error)
                self?.handle(.startFailed(BluetoothError(error, operation: .scan, target: nil)), of: number)
            }
        }
    }

    private func setFilter() {
        let filter = subscribers.filter
        sentFilter = filter
        client.call(.setDiscoveryFilter(filter, on: adapter), deadline: client.settings.deadlines.startScan) { _ in
            // The result is ignored: a bluetoothd without filters scans unfiltered, and after any other error the start
            // fails too.
        }
    }

    private func updateFilter() {
        if subscribers.filter != sentFilter { setFilter() }
    }

    private func clearFilter() {
        guard sentFilter != nil, AdapterRecord.state(client.mirror.adapters[adapter]) == .poweredOn else { return }
        sentFilter = nil
        client.teardowns.begin()
        client.call(.clearDiscoveryFilter(on: adapter), deadline: client.settings.deadlines.cleanup) {
            [teardowns = client.teardowns] _ in
            // The result is ignored: after an error, the filter stays until the next scan or the end of this program.
            teardowns.end()
        }
    }

    /// Forgets the sent filter if an error shows that bluetoothd may have exited.
    ///
    /// Without this, a later call that clears the filter could make the bus start bluetoothd again.
    private func forgetFilter(after error: DBusError) {
        if !error.name.hasPrefix("org.bluez.Error.") { sentFilter = nil }
    }

    private func wait(_ duration: Duration) {
        let number = state.number
        pause = client.bus.schedule(after: duration) { [weak self] in
            self?.pause = nil
            self?.handle(.pauseEnded, of: number)
        }
    }

    private func stop() {
        let number = state.number
        sendStop { [weak self] _ in self?.handle(.stopped, of: number) }
    }

    private func stopLateSession() {
        sendStop { [weak self] result in
            if case .failure(let error) = result, [.busy, .timedOut].contains(BluetoothError(error).kind) { return }
            self?.handle(.lateSessionStopped)
        }
    }

    private func sendStop(_ answered: @escaping (Result<Message, DBusError>) -> Void) {
        client.teardowns.begin()
        client.call(.stopDiscovery(on: adapter), deadline: client.settings.deadlines.stopScan) {
            [weak self, teardowns = client.teardowns] result in
            if case .failure(let error) = result { self?.forgetFilter(after: error) }
            // `answered` may begin other teardowns. This one ends last, so that closing the manager waits for all of
            // them.
            answered(result)
            teardowns.end()
        }
    }

    /// Ends the discovery that a killed bluetoothd has left in the kernel (Q38).
    ///
    /// The new bluetoothd cannot stop that discovery. The kernel stops it on request if this process has CAP_NET_ADMIN.
    private func endOrphanedDiscovery() {
        guard let controller = client.settings.controller, client.mirror.adapters[adapter]?.isDiscovering == false,
            let returned = client.restartedAt, client.settings.elapsed(since: returned) < Self.longestOrphan
        else { return }
        let number = state.number
        controller.stopDiscovery(
            on: name,
            client.bus.callback { [weak self] isEnded in
                // If the kernel refuses, the pause before the next start continues.
                guard let self, isEnded, number == state.number, let pause else { return }
                pause.cancel()
                self.pause = nil
                handle(.pauseEnded)
            })
    }

    private static let longestOrphan = Duration.milliseconds(10_240)

    // MARK: Signals

    /// Handles an advertisement of a device that bluetoothd has signalled.
    func received(_ device: DeviceRecord) {
        guard state.isActive, subscribers.usesSignals else { return }
        watchdog.hasReceived = true
        subscribers.received(device, during: state.number, at: timeOfTurn())
    }

    /// Returns the time of this turn of the bus context, and records that an advertisement was received.
    ///
    /// The clocks are read once for all messages of a turn.
    private func timeOfTurn() -> Date {
        if let turnDate { return turnDate }
        lastReceived = client.settings.now
        let date = client.settings.date
        if client.bus.performAtEndOfTurn({ [weak self] in self?.turnDate = nil }) { turnDate = date }
        return date
    }

    /// Handles the removal of a device by bluetoothd.
    func removed(_ key: DeviceKey) { subscribers.removed(key, during: state.number) }

    /// Handles a connection to a device that any program has made or lost.
    func connectionChanged(_ key: DeviceKey) { subscribers.connectionChanged(key, during: state.number) }

    /// Handles a change of the adapter's property `Discovering`.
    func discoveringChanged(_ isDiscovering: Bool) {
        if state.phase == .active { lostSession.discoveringChanged(isDiscovering) }
    }

    // MARK: Queries

    /// The adapter's devices in bluetoothd, sorted by address.
    var known: [ScannedPeripheral] { subscribers.known(during: state.number) }

    /// Whether a session exists or is being started.
    var isActive: Bool { state.isActive }

    /// The status of the session for a diagnosis; nil if there is no session.
    var diagnosis: Diagnosis.ScanStatus? {
        let step: Diagnosis.ScanStatus.Step
        switch state.phase {
        case .idle: return nil
        case .starting(let refusals, _, _): step = .starting(refusals: refusals)
        case .active: step = .active
        case .stopping: step = .stopping
        }
        return Diagnosis.ScanStatus(
            adapter: name, step: step, duration: client.settings.elapsed(since: since),
            subscribers: subscribers.count, sinceAdvertisement: lastReceived.map { client.settings.elapsed(since: $0) },
            droppedResults: subscribers.drops, source: sourceStatus,
            malformedPackets: client.scans.packets.counters.malformedPackets)
    }
}

/// The discovery sessions of a manager, one for each adapter (Q37).
final class ScanSessions {
    private unowned let client: BlueZClient
    private(set) var sessions: [UInt16: ScanSession] = [:]
    /// The session of the latest advertisement, so that most advertisements need no look-up.
    private var latest: (adapter: UInt16, session: ScanSession)?
    private(set) lazy var packets = ManagementAdvertisements(client)

    init(_ client: BlueZClient) { self.client = client }

    private func session(_ adapter: UInt16) -> ScanSession {
        if let session = sessions[adapter] { return session }
        let session = ScanSession(client, on: adapter)
        sessions[adapter] = session
        return session
    }

    var all: [(adapter: UInt16, session: ScanSession)] {
        sessions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Adds a scan. Throws if the scan requires a source of advertisements that cannot be used.
    func add(_ subscriber: ScanSubscriber, on adapter: UInt16) throws(BluetoothError) {
        subscriber.usesPackets = try packets.join(subscriber.options.source)
        let session = session(adapter)
        if subscriber.options.source != .dbus { session.sourceFailure = packets.failure }
        if subscriber.usesPackets { session.findIdentities() }
        session.add(subscriber)
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
            if let error = client.state(of: adapter)?.error { session.lost(error) } else { session.adapterChanged() }
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
    func connectionChanged(_ key: DeviceKey) { sessions[key.adapter]?.connectionChanged(key) }

    /// Handles the removal of a device by bluetoothd.
    func removed(_ key: DeviceKey) { sessions[key.adapter]?.removed(key) }

    /// Returns the devices of an adapter in bluetoothd, sorted by address.
    func known(on adapter: UInt16) -> [ScannedPeripheral] { session(adapter).known }

    /// Returns whether this manager scans with an adapter.
    func isActive(on adapter: UInt16) -> Bool { sessions[adapter]?.isActive == true }

    /// The status of all sessions for a diagnosis.
    var diagnosis: [Diagnosis.ScanStatus] { all.compactMap(\.session.diagnosis) }
}
