import DBus
import FoundationEssentials

/// Passes the advertisements of one adapter to the scans that share a session.
///
/// Its subclasses start and stop the session: ``ScanSession`` scans actively, ``PassiveScanSession`` passively.
class ScanReceiver {
    unowned let client: BlueZClient
    let adapter: UInt16
    let subscribers: ScanSubscribers
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
    /// When the devices were last read because packets had an unknown address; nil if they never were.
    var identitiesRead: MonotonicTime?
    /// Whether advertisements are passed to the scans. Stored, because each packet needs it.
    final var isReceiving = false
    /// A number that identifies the session among all sessions of the adapter; 0 before the first.
    final var number = 0
    private(set) lazy var watchdog = ScanWatchdog(client.bus) { [weak self] in self?.restart() }

    init(_ client: BlueZClient, on adapter: UInt16) {
        self.client = client
        self.adapter = adapter
        subscribers = ScanSubscribers(client, on: adapter)
    }

    // MARK: For subclasses

    /// Adds a scan, and starts the session if necessary. The scan is removed when its stream ends.
    func add(_ subscriber: ScanSubscriber) {}

    /// Fails all scans because the session was lost with its adapter or with bluetoothd (S13).
    func lost(_ error: BluetoothError) {}

    /// Fails all scans because the manager is closed, and stops the session.
    func close(_ error: BluetoothError) {}

    /// Restarts the session because it delivers no advertisements any more.
    func restart() {}

    /// The status of the session for a diagnosis; nil if there is no session.
    var diagnosis: Diagnosis.ScanStatus? { nil }

    // MARK: Scans

    func subscriptionsChanged() {
        watchdog.watch(subscribers.restartsAfterSilence)
        client.deviceSignals.update()
    }

    /// Fails the scans that now have to use another adapter.
    func adapterChanged() { subscribers.failThoseOfOtherAdapters() }

    /// Handles a connection to a device that any program has made or lost.
    func connectionChanged(_ key: DeviceKey) { subscribers.connectionChanged(key, during: number) }

    /// The adapter's devices in bluetoothd, sorted by address.
    var known: [ScannedPeripheral] { subscribers.known(during: number) }

    /// Records that a turn of the bus context has received packets of the management socket.
    func packetsArrived(at time: PacketTime) {
        guard isReceiving else { return }
        watchdog.hasReceived = true
        lastReceived = time.monotonic
    }

    /// Returns the time of this turn of the bus context, and records that an advertisement was received.
    ///
    /// The clocks are read once for all messages of a turn.
    func timeOfTurn() -> Date {
        if let turnDate { return turnDate }
        lastReceived = client.settings.now
        let date = client.settings.date
        if client.bus.performAtEndOfTurn({ [weak self] in self?.turnDate = nil }) { turnDate = date }
        return date
    }

    // MARK: Diagnosis

    var name: String { "hci\(adapter)" }

    func status(
        _ step: Diagnosis.ScanStatus.Step, since: MonotonicTime?, isPassive: Bool
    ) -> Diagnosis.ScanStatus {
        Diagnosis.ScanStatus(
            adapter: name, isPassive: isPassive, step: step, duration: client.settings.elapsed(since: since),
            subscribers: subscribers.count, sinceAdvertisement: lastReceived.map { client.settings.elapsed(since: $0) },
            droppedResults: subscribers.drops, source: sourceStatus,
            malformedPackets: client.scans.packets.counters.malformedPackets)
    }
}
