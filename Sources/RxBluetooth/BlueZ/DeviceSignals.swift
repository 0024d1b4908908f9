import DBus

/// Subscribes to the properties of devices only while something needs them.
///
/// A scan with packets of the management socket does not: bluetoothd would signal each advertisement a second time.
/// Links, pairings, presence and scans over D-Bus need the signals. When the first of them begins, the properties are
/// read again, because signals were missed.
///
/// ``DeviceSignalsState`` decides what to do; this class makes the calls and runs the timers.
final class DeviceSignals {
    private unowned let client: BlueZClient
    private(set) var state = DeviceSignalsState()
    private var timer: BusTask?
    private var request: BusTask?
    /// Operations that wait until the records of the devices are up to date.
    private var waiting: [(BlueZClient) -> Void] = []

    init(_ client: BlueZClient) { self.client = client }

    /// Runs work that uses the records of devices when they are up to date: at once, or after reading them.
    func onCurrent(_ work: @escaping (BlueZClient) -> Void) {
        if state.isUsable { return work(client) }
        waiting.append(work)
        handle(.needed)
    }

    /// Runs work when it is known whether a device is connected.
    ///
    /// If the devices could not be read, `Connected` is read first: another program may have connected meanwhile.
    func onConnectionKnown(of key: DeviceKey, _ work: @escaping () -> Void) {
        guard state.isOutdated, client.mirror.devices[key] != nil else { return work() }
        _ = client.readFlag("Connected", of: BlueZ.device, at: key.path) { [weak self] result in
            if let self, state.isOutdated, case .success(let isConnected) = result {
                client.mirror.correct(key, isConnected: isConnected)
            }
            work()
        }
    }

    /// Checks whether something needs the signals. Called after each change of what may need them.
    func update() { handle(isNeeded ? .needed : .unneeded) }

    /// Ends waiting, because bluetoothd or the bus is lost, or the manager is closed.
    func lost() { handle(.lost) }

    private var isNeeded: Bool {
        !client.mirror.isSynced || client.finalFailure != nil
            || (!client.scans.receivesPacketsOnly && (client.settings.followsIdleDevices || client.scans.hasScans))
            || !client.links.isEmpty || !client.pairings.isEmpty || !client.deviceValues.isEmpty
    }

    private func handle(_ event: DeviceSignalsState.Event) {
        for action in state.handle(event) { execute(action) }
    }

    private func execute(_ action: DeviceSignalsState.Action) {
        switch action {
        case .subscribe: follow(true)
        case .unsubscribe: follow(false)
        case .startTimer(let pause):
            timer = client.bus.schedule(after: pause) { [weak self] in
                self?.timer = nil
                self?.handle(.timerFired)
            }
        case .cancelTimer:
            timer?.cancel()
            timer = nil
        case .read: read()
        case .cancelReading:
            request?.cancel()
            request = nil
        case .runWaiting:
            let waiting = waiting
            self.waiting = []
            for work in waiting { client.onDevicesKnown(work) }
            update()
        }
    }

    private func follow(_ followsDevices: Bool) {
        client.mirror.followsDevices = followsDevices
        client.signals.followDevices(followsDevices, client.bus)
    }

    private func read() {
        request = client.call(.managedObjects, deadline: client.settings.deadlines.snapshot) { [weak self] result in
            guard let self, request != nil else { return }
            request = nil
            do throws(DBusError) {
                try client.devicesRefreshed(client.mirror.refreshDevices(result.get()))
                handle(.read)
            } catch {
                // A lost bus and a lost bluetoothd fail their calls before they are reported. That report ends this.
                client.bus.perform { [weak self] in self?.handle(.readFailed) }
            }
        }
    }
}
