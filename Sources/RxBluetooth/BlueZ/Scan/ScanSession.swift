import DBus

/// The discovery session of a manager on one adapter, shared by all its scans.
///
/// bluetoothd allows one discovery session for each D-Bus client and adapter (Q37).
///
/// ``ScanState`` decides what to do; this class makes the calls and runs the timers.
final class ScanSession: ScanReceiver {
    private(set) var state = ScanState()
    /// When the current phase of `state` began.
    private var since: MonotonicTime?
    /// The timer of the pause before the next start.
    private var pause: BusTask?
    /// The last filter that was sent to bluetoothd; nil if cleared, or if bluetoothd may have exited.
    private var sentFilter: DiscoveryFilter?
    private lazy var lostSession = LostSessionDetector(client.bus) { [weak self] in self?.handle(.silent) }

    // MARK: Scans

    override func add(_ subscriber: ScanSubscriber) {
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

    override func lost(_ error: BluetoothError) { handle(.lost(error)) }

    override func close(_ error: BluetoothError) { handle(.closed(error)) }

    override func restart() { handle(.silent) }

    // MARK: The state machine

    private func handle(_ event: ScanState.Event) {
        let before = state
        let actions = state.handle(event)
        isReceiving = state.isActive
        number = state.number
        // Executing an action may change `state`, so the value after this event is stored before.
        let isUndoing = state.isUndoing
        if state.phase.step != before.phase.step { since = client.settings.now }
        if isUndoing, !before.isUndoing { client.teardowns.begin() }
        let wasScanning = before.isScanning
        if state.isScanning != wasScanning { client.publishReport() }
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
        client.scans.filterSent(filter, on: adapter)
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
        client.scans.filterSent(nil, on: adapter)
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

    /// Handles a change of the adapter's property `Discovering`.
    func discoveringChanged(_ isDiscovering: Bool) {
        if state.phase == .active { lostSession.discoveringChanged(isDiscovering) }
    }

    // MARK: Queries

    /// Whether a session exists or is being started.
    var isActive: Bool { state.isActive }

    override var diagnosis: Diagnosis.ScanStatus? {
        let step: Diagnosis.ScanStatus.Step
        switch state.phase {
        case .idle: return nil
        case .starting(let refusals, _, _): step = .starting(refusals: refusals)
        case .active: step = .active
        case .stopping: step = .stopping
        }
        return status(step, since: since, isPassive: false)
    }
}
