import DBus
import FoundationEssentials
import Rx

/// The one discovery session that a process has with bluetoothd over an adapter (Q37), shared by all scans of a manager.
final class ScanSession {
    private unowned let client: BlueZClient
    private let adapter: UInt16
    private var subscribers: [ScanSubscriber] = []
    private var phase = Phase.idle { didSet { since = client.settings.now } }
    /// When its phase began.
    private var since: MonotonicTime?
    /// When any device was heard last.
    private var heard: MonotonicTime?
    /// Counts the sessions; an answer to one that is over concerns nobody.
    private var session = 0
    private var attempts = 0
    /// The next attempt to start.
    private var again: BusTask?
    /// What bluetoothd was told to look for.
    private var told: DiscoveryFilter?
    private lazy var watchdog = ScanWatchdog(client.bus) { [weak self] in self?.restart() }
    private lazy var lull = ScanLull(client.bus) { [weak self] in self?.restart() }
    /// Whether the session that is being started is to be stopped at once, because nobody wants it any more.
    private var isUnwanted = false {
        didSet {
            guard isUnwanted != oldValue else { return }
            if isUnwanted { client.teardowns.begin() } else { client.teardowns.end() }
        }
    }

    /// Whether a start that was not answered in time may have come about since: then bluetoothd has a session for us that we do not
    /// want, and refuses another one (Q8, Q37).
    private var mayLinger = false

    private enum Phase {
        case idle
        case starting
        case active
        case stopping
    }

    /// bluetoothd answers InProgress for every refusal of the controller, also for passing ones (Q38). The longest of these:
    /// what a bluetoothd that was killed was looking for, the kernel goes on looking for, until 10.24 s are over, and the
    /// next one may not look for anything meanwhile. It is not told when that is over, so asking again is all there is
    /// where we may not tell the kernel to stop (`endOrphan`). Source: Linux 6.1, `DISCOV_LE_TIMEOUT` and
    /// `start_service_discovery`; BlueZ 5.66, `discovering_callback`.
    private static let backoff: [Duration] = [.milliseconds(250)] + Array(repeating: .milliseconds(500), count: 22)

    init(_ client: BlueZClient, on adapter: UInt16) {
        self.client = client
        self.adapter = adapter
    }

    func add(_ subscriber: ScanSubscriber) {
        subscribers.append(subscriber)
        isUnwanted = false
        watch()
        refine()
        subscriber.emitter.onEnd { [weak self] in self?.remove(subscriber) }
        if subscriber.options.includesKnown {
            for sighting in records where subscriber.wants(sighting) {
                subscriber.emitter.next(scanned(sighting, at: client.settings.date))
            }
        }
        if subscriber.presence != nil {
            for record in records { findByLink(record, subscriber) }
        }
        if case .idle = phase { start() }
    }

    private func remove(_ subscriber: ScanSubscriber) {
        subscribers.removeAll { $0 === subscriber }
        watch()
        guard subscribers.isEmpty else { return refine() }
        switch phase {
        case .active: stop()
        case .starting: isUnwanted = true
        case .idle, .stopping: break
        }
    }

    /// Ends all scans with an error. The adapter or the daemon is gone and has freed the session itself, so nothing is sent
    /// (S13), unless `isStopping` says that it is we who end it.
    func fail(_ error: BluetoothError, isStopping: Bool = false) {
        let failed = subscribers
        subscribers = []
        mayLinger = mayLinger && isStopping
        watch()
        switch phase {
        case .active where isStopping: stop()
        case .starting where isStopping: isUnwanted = true
        case .stopping where isStopping: break
        case .active:
            isOver(error)
            session += 1
            phase = .idle
        default:
            session += 1
            phase = .idle
            isUnwanted = false
        }
        for subscriber in failed { subscriber.emitter.fail(error.during(.scan, nil)) }
    }

    private func start() {
        session += 1
        phase = .starting
        attempts = 0
        attempt(session)
    }

    private func attempt(_ session: Int) {
        // The filter stays with our connection after a stop, but not with a new bluetoothd, so it is set before each start (Q69).
        again = nil
        setFilter()
        client.call(
            path: adapterPath(adapter), interface: BlueZ.adapter, member: "StartDiscovery",
            deadline: client.settings.deadlines.startScan
        ) { [weak self] result in self?.started(session, result) }
    }

    private func setFilter() {
        let filter = DiscoveryFilter(subscribers)
        told = filter
        client.call(
            path: adapterPath(adapter), interface: BlueZ.adapter, member: "SetDiscoveryFilter",
            deadline: client.settings.deadlines.startScan
        ) { (body) throws(DBusError) in
            try body.properties(filter.properties)
        } then: { _ in
            // A daemon that knows no filters scans all the same; if it refuses for another reason, so does the start.
        }
    }

    /// Tells bluetoothd when those who share the session want something else together.
    private func refine() {
        guard case .active = phase, DiscoveryFilter(subscribers) != told else { return }
        setFilter()
    }

    private func started(_ session: Int, _ result: Result<Message, DBusError>) {
        guard session == self.session, case .starting = phase else { return }
        defer { isUnwanted = false }
        switch result {
        case .success:
            phase = .active
            client.journal.debug(.scanBegan(adapter: "hci\(adapter)"))
            if subscribers.isEmpty { stop() } else { refine() }
        case .failure(let error):
            let failure = BluetoothError(error, operation: .scan, target: nil)
            let pause = failure.kind == .busy && attempts < Self.backoff.count ? Self.backoff[attempts] : nil
            client.journal.debug(.scanRefused(adapter: "hci\(adapter)", failure, again: pause))
            defer {
                if failure.kind == .timedOut { mayLinger = true }
                if mayLinger { stopWhatLingers() }
            }
            if subscribers.isEmpty {
                phase = .idle
            } else if let pause {
                attempts += 1
                again = client.bus.schedule(after: pause) { [weak self] in self?.tryAgain(session) }
                if attempts == 1 { endOrphan(session) }
            } else {
                fail(failure)
            }
        }
    }

    /// Takes a start back that came about after all. While bluetoothd still works on it, it refuses that too, so it is said again
    /// with each refusal.
    private func stopWhatLingers() {
        sendStop { [weak self] result in
            if case .failure(let error) = result, [.busy, .timedOut].contains(BluetoothError(error).kind) { return }
            self?.mayLinger = false
        }
    }

    private func tryAgain(_ session: Int) {
        guard session == self.session, case .starting = phase else { return }
        if !subscribers.isEmpty { return attempt(session) }
        phase = .idle
        isUnwanted = false
    }

    /// What a killed bluetoothd was looking for is ended where the kernel lets us, for its successor knows nothing of it (Q38).
    private func endOrphan(_ session: Int) {
        guard let controller = client.settings.controller, client.adapters[adapter]?.isDiscovering == false,
            let returned = client.returned, client.settings.elapsed(since: returned) < Self.longestOrphan
        else { return }
        let done = client.bus.callback { [weak self] (isOver: Bool) in
            // A refusal is waited for as before.
            guard let self, isOver, session == self.session, case .starting = phase, let again else { return }
            again.cancel()
            tryAgain(session)
        }
        controller.stopDiscovery(on: "hci\(adapter)", done)
    }

    private static let longestOrphan = Duration.milliseconds(10_240)

    private func watch() { watchdog.watch(subscribers.compactMap(\.options.restartsAfterSilence).min()) }

    /// Nothing was heard for too long (Q42), or bluetoothd has dropped it (Q34): it is begun anew, under those who share it.
    private func restart() {
        guard case .active = phase else { return }
        client.journal.info(.scanRestarted(adapter: "hci\(adapter)"))
        stop()
    }

    /// The adapter shows whether anybody discovers on it.
    func discoveringChanged(_ isDiscovering: Bool) {
        if case .active = phase { lull.shows(isDiscovering) }
    }

    private func stop() {
        phase = .stopping
        isOver(nil)
        let session = session
        sendStop { [weak self] _ in
            // Whatever the answer is: a session that is gone already is stopped (Q39).
            guard let self, session == self.session, case .stopping = phase else { return }
            phase = .idle
            if !subscribers.isEmpty { start() }
        }
    }

    private func sendStop(_ answered: @escaping (Result<Message, DBusError>) -> Void) {
        client.teardowns.begin()
        client.call(
            path: adapterPath(adapter), interface: BlueZ.adapter, member: "StopDiscovery",
            deadline: client.settings.deadlines.stopScan
        ) { [teardowns = client.teardowns] result in
            teardowns.end()
            answered(result)
        }
    }

    private func isOver(_ error: BluetoothError?) {
        lull.end()
        client.journal.debug(.scanEnded(adapter: "hci\(adapter)", error))
    }

    /// Whether it is on, or about to be.
    var isActive: Bool {
        switch phase {
        case .starting, .active: true
        case .idle, .stopping: false
        }
    }

    /// How it stands, for a diagnosis; nil where it does nothing.
    var examined: Diagnosis.Scan? {
        let step: Diagnosis.Scan.Step
        switch phase {
        case .idle: return nil
        case .starting: step = .starting(refusals: attempts)
        case .active: step = .active
        case .stopping: step = .stopping
        }
        return Diagnosis.Scan(
            adapter: "hci\(adapter)", step: step, lasts: client.settings.elapsed(since: since),
            subscribers: subscribers.count, sinceHeard: heard.map { client.settings.elapsed(since: $0) })
    }

    /// Some who scan have another adapter chosen for them now, and this one goes on for the others.
    func adapterChanged() {
        for subscriber in subscribers where client.choice(subscriber.selection) != adapter {
            subscriber.emitter.fail(BluetoothError(.noAdapter).during(.scan, nil))
        }
    }

    // MARK: Sightings

    /// A device was heard. Called for every advertisement, so it does nothing for nobody.
    func sighted(_ key: DeviceKey) {
        guard isActive else { return }
        watchdog.hasHeard = true
        heard = client.settings.now
        let date = client.settings.date
        client.devices[key]?.seenIn = session
        guard let record = client.devices[key] else { return }
        var sighting: ScannedPeripheral?
        for subscriber in subscribers where subscriber.wants(record) {
            let made = sighting ?? scanned(record, at: date)
            sighting = made
            subscriber.emitter.next(made)
        }
    }

    func forget(_ key: DeviceKey) {
        for subscriber in subscribers { subscriber.forget(key) }
        connectionChanged(key)
    }

    /// A link to a device came or went, by whatever program.
    func connectionChanged(_ key: DeviceKey) {
        for subscriber in subscribers {
            subscriber.presence?.connectionChanged(key)
            if let record = client.devices[key] { findByLink(record, subscriber) }
        }
    }

    /// A peripheral with a link is present without being heard.
    private func findByLink(_ record: DeviceRecord, _ subscriber: ScanSubscriber) {
        guard let presence = subscriber.presence, presence.isFound(byLink: record.key), subscriber.wants(record) else {
            return
        }
        presence.found(scanned(record, at: client.settings.date, isHeard: false))
    }

    var known: [ScannedPeripheral] { records.map { scanned($0, at: client.settings.date) } }

    private var records: [DeviceRecord] {
        client.devices.values.filter { $0.key.adapter == adapter }.sorted { $0.key.address < $1.key.address }
    }

    private func scanned(_ record: DeviceRecord, at moment: Date, isHeard: Bool = true) -> ScannedPeripheral {
        ScannedPeripheral(
            peripheral: record.peripheral
                ?? client.peripherals.peripheral(
                    for: record.key, kind: record.addressKind, of: client.access),
            advertisementData: record.advertisement, rssi: record.rssi,
            isCached: !isHeard || session == 0 || record.seenIn != session, timestamp: moment)
    }
}
