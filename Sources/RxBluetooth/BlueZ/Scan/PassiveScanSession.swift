import DBus

/// The passive scans of a manager on one adapter, which share a monitor of bluetoothd.
///
/// ``PassiveScanState`` decides what to do; this class exports the monitor, makes the calls and runs the deadline.
final class PassiveScanSession: ScanReceiver {
    private(set) var state = PassiveScanState()
    /// When the current phase of `state` began.
    private var since: MonotonicTime?
    private var application: MonitorApplication?
    /// The deadline of `Activate`.
    private var deadline: BusTask?

    // MARK: Scans

    override func add(_ subscriber: ScanSubscriber) {
        subscribers.add(subscriber)
        subscriptionsChanged()
        if state.phase != .idle { handle(.wanted) }
        subscriber.emitter.onEnd { [weak self] in self?.remove(subscriber) }
        subscribers.sendKnownDevices(to: subscriber, during: number)
        if state.phase == .idle, !subscribers.isEmpty { handle(.wanted) }
    }

    private func remove(_ subscriber: ScanSubscriber) {
        subscribers.remove(subscriber)
        leavePackets(subscriber)
        subscriptionsChanged()
        if subscribers.isEmpty { handle(.unwanted) } else { updateMonitor() }
    }

    override func lost(_ error: BluetoothError) {
        let isRegistered = client.mirror.isSynced && client.mirror.adapters[adapter] != nil
        handle(.lost(error, isRegistered: isRegistered))
    }

    override func close(_ error: BluetoothError) { handle(.closed(error)) }

    override func restart() { handle(.silent) }

    /// The patterns of all scans.
    private var patterns: Set<AdvertisementPattern> { Set(subscribers.list.all.flatMap { $0.patterns ?? [] }) }

    // MARK: The state machine

    private func handle(_ event: PassiveScanState.Event) {
        let before = state
        let actions = state.handle(event)
        isReceiving = state.isActive
        // Active and passive sessions of an adapter must not have the same number.
        number = -state.number
        if state.phase.step != before.phase.step { since = client.settings.now }
        if state.isActive != before.isActive { client.publishReport() }
        if !state.awaitsActivation {
            deadline?.cancel()
            deadline = nil
        }
        for action in actions { execute(action) }
    }

    /// Handles an event if its application is still the current one.
    private func handle(_ event: PassiveScanState.Event, of number: Int) {
        if number == state.number { handle(event) }
    }

    private func execute(_ action: PassiveScanState.Action) {
        switch action {
        case .register: register()
        case .unregister: unregister()
        case .removeApplication: removeApplication()
        case .awaitActivation: awaitActivation()
        case .addMonitor:
            application?.add(patterns, isSignalled: true)
            awaitActivation()
        case .useNewMonitor: application?.useAdded()
        case .removeNewMonitor: application?.removeAdded()
        case .updateMonitor: updateMonitor()
        case .explainRelease: explainRelease()
        case .failScans(let error):
            subscribers.fail(error)
            subscriptionsChanged()
        case .failNewScans(let error): failNewScans(error)
        case .logBegan: client.eventLog.debug(.scanBegan(adapter: name))
        case .logRefused(let error): client.eventLog.debug(.scanRefused(adapter: name, error, again: nil))
        case .logRestarted: client.eventLog.info(.scanRestarted(adapter: name))
        case .logEnded(let error): client.eventLog.debug(.scanEnded(adapter: name, error))
        }
    }

    // MARK: The application

    private func register() {
        let number = state.number
        // The number in the path is unique, so that a late reply or call never belongs to a later application.
        let application = MonitorApplication(client, number: client.scans.nextApplication()) { [weak self] event in
            guard let self, number == state.number else { return }
            monitorCalled(event)
        }
        self.application = application
        application.add(patterns, isSignalled: false)
        client.call(
            .registerMonitors(application.path, on: adapter), deadline: client.settings.deadlines.startScan
        ) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: handle(.registered, of: number)
            case .failure(let error): handle(.registerFailed(failure(error)), of: number)
            }
        }
    }

    private func failure(_ error: DBusError) -> BluetoothError {
        let isMissing = error.name == DBusError.Name.unknownMethod || error.name == DBusError.Name.unknownInterface
        guard isMissing, client.mirror.adapters[adapter] != nil else {
            return BluetoothError(error, operation: .scan, target: nil)
        }
        return BluetoothError(
            .unsupported, operation: .scan,
            detail: "bluetoothd has no advertisement monitors, which need its experimental mode",
            dbusName: error.name, dbusMessage: error.message)
    }

    private func unregister() {
        guard let path = application?.path else { return handle(.unregistered) }
        removeApplication()
        let number = state.number
        client.teardowns.begin()
        client.call(.unregisterMonitors(path, on: adapter), deadline: client.settings.deadlines.stopScan) {
            [weak self, teardowns = client.teardowns] _ in
            self?.handle(.unregistered, of: number)
            teardowns.end()
        }
    }

    private func removeApplication() {
        application?.remove()
        application = nil
    }

    private func awaitActivation() {
        let number = state.number
        deadline = client.bus.schedule(after: client.settings.deadlines.startScan) { [weak self] in
            self?.deadline = nil
            self?.handle(
                .refused(BluetoothError(.timedOut, detail: "bluetoothd did not activate the monitor")), of: number)
        }
    }

    /// Replaces the monitor if the patterns of the scans have changed.
    private func updateMonitor() {
        if state.phase == .active(isReplacing: false), patterns != application?.active?.patterns {
            handle(.patternsChanged)
        }
    }

    private func failNewScans(_ error: BluetoothError) {
        let patterns = application?.active?.patterns ?? []
        let failed = subscribers.list.all.filter { !patterns.isSuperset(of: $0.patterns ?? []) }
        // All are removed first, so that the monitor is not replaced for those that fail next.
        for subscriber in failed { subscribers.remove(subscriber) }
        for subscriber in failed { subscriber.fail(error) }
    }

    // MARK: Calls of bluetoothd

    private func monitorCalled(_ event: MonitorApplication.Event) {
        switch event {
        case .activated: handle(.activated)
        case .refused:
            let detail = "The kernel or bluetoothd does not support a monitor with these patterns"
            handle(.refused(BluetoothError(.unsupported, detail: detail)))
        case .released: handle(.released)
        case .found(let path):
            guard state.isActive, subscribers.usesSignals, case .device(let key)? = ObjectKey(path),
                let record = client.mirror.devices[key]
            else { return }
            watchdog.hasReceived = true
            subscribers.received(record, during: number, at: timeOfTurn())
        }
    }

    private func explainRelease() {
        let number = state.number
        // `Powered` is read to wait for earlier signals, which show whether bluetoothd exits or the adapter is
        // removed (Q114).
        client.readFlag("Powered", of: BlueZ.adapter, at: adapterPath(adapter)) { [weak self] _ in
            guard let self else { return }
            let ended = BluetoothError(.bluez, detail: "The monitor was ended by bluetoothd")
            handle(.releaseExplained(client.obstacle(on: adapter) ?? ended), of: number)
        }
    }

    // MARK: Packets

    /// Handles a packet of a device if a scan has a pattern for it.
    ///
    /// The socket receives the packets of all monitors and discoveries.
    func filter(_ found: DeviceFound, _ buffer: [UInt8], at time: PacketTime) {
        guard isReceiving,
            subscribers.list.all.contains(where: { $0.usesPackets && $0.matches(buffer, found.packet) })
        else { return }
        packetsArrived(at: time)
        self.found(found, buffer, at: time)
    }

    // MARK: Diagnosis

    override var diagnosis: Diagnosis.ScanStatus? {
        let step: Diagnosis.ScanStatus.Step
        switch state.phase {
        case .idle: return nil
        case .starting: step = .starting(refusals: 0)
        case .active, .ending: step = .active
        case .stopping: step = .stopping
        }
        return status(step, since: since, isPassive: true)
    }
}
