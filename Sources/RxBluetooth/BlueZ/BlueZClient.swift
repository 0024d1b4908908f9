import DBus

/// Our side of bluetoothd: a mirror of its objects, kept by signals, and what this process has under way with it.
///
/// Everything in here happens in the bus's context, one thing after the other, so that a reply, a signal and a
/// dispose are always seen in one order. What users hold reaches it through ``BlueZAccess``.
final class BlueZClient: @unchecked Sendable {
    // Guard: all variables are touched in the bus's context only; ``ClientHandle`` sees to it that the end is there too.
    let bus: any Bus
    let settings: Settings
    let peripherals: PeripheralTable
    weak let access: BlueZAccess?
    var journal: Journal { settings.journal }

    /// The unique name of the running bluetoothd.
    private(set) var owner: String?
    /// Whether the mirror holds what the running bluetoothd has.
    var isSynced = false
    /// Why the mirror could not be filled.
    private(set) var syncFailure: BluetoothError?
    private(set) var isOwnerKnown = false
    /// Why nothing works any more: the bus is lost, or the manager closed.
    private(set) var failure: BluetoothError?

    var adapters: [UInt16: AdapterRecord] = [:]
    var devices: [DeviceKey: DeviceRecord] = [:]
    /// Counts the services that came while a link was up, so that each is told from the one before it.
    var epochs: UInt64 = 0
    var selected: UInt16?
    /// Properties and messages of a wrong type: counted, never fatal.
    var rejected = 0 {
        didSet {
            if rejected != oldValue { journal.debug(.messageRejected(total: rejected)) }
        }
    }
    /// Signals of objects that are gone, which is normal (Q19).
    var strays = 0 {
        didSet { journal.trace(.messageStrayed(total: strays)) }
    }
    /// The state that was told last.
    private var toldState: BluetoothState?

    private(set) lazy var scans = ScanSession(self)
    var links: [DeviceKey: Link] = [:]
    private(set) lazy var agent = Agent(self)
    private(set) lazy var pairings = Pairings(self)
    private(set) lazy var bonds = BondWatches(self)
    let teardowns = Teardowns()

    private var waiting: [(BlueZClient) -> Void] = []
    private var tasks: [BusTask] = []
    private var snapshot: BusTask?
    private var snapshotFailures = 0

    /// What the outside is told whenever it changes.
    struct Report: Sendable {
        let state: BluetoothState
        let adapters: [Adapter]
        /// Whether the bus is gone, and nothing more comes from this client.
        let isFinal: Bool
    }

    init(bus: any Bus, settings: Settings, peripherals: PeripheralTable, access: BlueZAccess) {
        self.bus = bus
        self.settings = settings
        self.peripherals = peripherals
        self.access = access
    }

    func start() {
        tasks = signalSubscriptions()
        tasks.append(
            bus.watchOwner(of: BlueZ.name) { [weak self] owner in self?.ownerChanged(owner) })
        tasks.append(bus.whenDisconnected { [weak self] error in self?.busLost(error) })
    }

    private func ownerChanged(_ owner: String?) {
        guard failure == nil, owner != self.owner || !isOwnerKnown else { return }
        isOwnerKnown = true
        self.owner = owner
        // After a crash no object is taken back by a signal (Q2): whatever we knew ends with its owner.
        forgetEverything(BluetoothError(.daemonUnavailable), .daemon)
        if owner != nil { takeSnapshot() } else { stateChanged() }
    }

    private func busLost(_ error: DBusError) {
        guard failure == nil else { return }
        let isRefused = BluetoothError(error).kind == .permissionDenied
        let failure = BluetoothError(
            isRefused ? .permissionDenied : .busUnavailable, dbusName: error.name, dbusMessage: error.message)
        self.failure = failure
        forgetEverything(failure, .bus)
        agent.fail(failure)
        bonds.fail(failure)
        stateChanged()
    }

    /// Ends all that this manager has under way; what it had going is undone and counted in ``teardowns``.
    func shutDown() {
        guard failure == nil else { return }
        let closed = BluetoothError(.closed)
        failure = closed
        snapshot?.cancel()
        runWaiting()
        scans.fail(closed, isStopping: true)
        pairings.fail(closed)
        agent.fail(closed)
        bonds.fail(closed)
        for link in Array(links.values) { link.close(closed) }
    }

    private func forgetEverything(_ error: BluetoothError, _ reason: BluetoothError.DisconnectReason) {
        snapshot?.cancel()
        isSynced = false
        syncFailure = nil
        scans.fail(error)
        for link in Array(links.values) { link.lost(BluetoothError(.disconnected(reason))) }
        pairings.fail(error)
        agent.daemonLost()
        adapters = [:]
        devices = [:]
        selected = nil
    }

    /// Fills the mirror. The signals were subscribed before, and what came before the reply is inside it (Q18).
    private func takeSnapshot() {
        snapshot = call(
            path: "/", interface: BlueZ.objectManager, member: "GetManagedObjects",
            deadline: settings.deadlines.snapshot
        ) { [weak self] result in
            guard let self else { return }
            do throws(DBusError) {
                try readSnapshot(result.get())
                isSynced = true
                syncFailure = nil
                snapshotFailures = 0
                adaptersChanged()
                bonds.allChanged()
                agent.daemonAppeared()
            } catch {
                // A bus that is being lost fails its calls first and tells afterwards; that is then what counts.
                bus.perform { [weak self] in self?.snapshotFailed(error) }
            }
        }
    }

    private func snapshotFailed(_ error: DBusError) {
        guard failure == nil, !isSynced, owner != nil else { return }
        let failure = BluetoothError(error)
        syncFailure = failure
        adapters = [:]
        devices = [:]
        // It runs and hangs; it may come to itself. The pauses grow to a minute.
        let pause = failure.kind == .timedOut ? Duration.seconds(min(60, 1 << min(snapshotFailures, 6))) : nil
        journal.warning(.objectsNotTold(failure, again: pause))
        adaptersChanged()
        guard let pause else { return }
        snapshotFailures += 1
        snapshot = bus.schedule(after: pause) { [weak self] in self?.takeSnapshot() }
    }

    // MARK: State

    /// Whether Bluetooth can be used; nil while that is not known yet.
    var state: BluetoothState? {
        if let failure { return failure.kind == .permissionDenied ? .unauthorized : .busUnavailable }
        guard isOwnerKnown else { return nil }
        if owner == nil { return .daemonUnavailable }
        if let syncFailure { return syncFailure.kind == .permissionDenied ? .unauthorized : .daemonUnavailable }
        guard isSynced else { return nil }
        guard let adapter = selected.flatMap({ adapters[$0] }) else { return .noAdapter }
        if adapter.isPowered { return .poweredOn }
        return adapter.powerState == "off-blocked" ? .blocked : .poweredOff
    }

    /// Runs work once it is known whether Bluetooth can be used: at once, or after the first snapshot. The work is handed
    /// the client, so that it need not hold it while it waits.
    func whenKnown(_ work: @escaping (BlueZClient) -> Void) {
        if state != nil { work(self) } else { waiting.append(work) }
    }

    private func runWaiting() {
        let waiting = waiting
        self.waiting = []
        for work in waiting { work(self) }
    }

    /// Chooses the adapter anew, and tells everybody whom the change concerns.
    func adaptersChanged() {
        let previous = selected
        selected = settings.adapter.choose(from: adapters, current: selected, peripherals)
        if previous != selected {
            journal.info(.adapterChosen(selected.map { "hci\($0)" }))
        }
        if previous != nil, previous != selected { scans.fail(BluetoothError(.noAdapter)) }
        stateChanged()
    }

    private func stateChanged() {
        // After `shutDown` only the answers to what it has sent still matter.
        guard let state, failure?.kind != .closed else { return }
        if state != toldState { journal.info(.stateChanged(state)) }
        toldState = state
        if let error = state.error { scans.fail(error) }
        for adapter in adapters.values where !adapter.isPowered { linksLost(on: adapter.number) }
        let report = Report(
            state: state, adapters: Adapter.list(adapters, selected: selected), isFinal: failure != nil)
        access?.received(report, from: self)
        runWaiting()
    }

    /// Ends the links over an adapter that is off or gone.
    func linksLost(on adapter: UInt16) {
        for link in Array(links.values) where link.key.adapter == adapter {
            link.lost(BluetoothError(.disconnected(.adapter)))
        }
    }

    /// Why nothing comes of this client any more; nil while something may.
    var finalFailure: BluetoothError? { failure }

    /// Why Bluetooth cannot be used; nil where it can.
    var obstacle: BluetoothError? { failure ?? syncFailure ?? state?.error }

    /// The adapter to work with, or why there is none.
    func poweredAdapter() throws(BluetoothError) -> UInt16 {
        if let obstacle { throw obstacle }
        guard let selected else { throw BluetoothError(.noAdapter) }
        return selected
    }
}

extension BluetoothState {
    /// The error of an operation that this state stops; nil for the state that stops none (S1).
    var error: BluetoothError? {
        switch self {
        case .poweredOn: nil
        case .poweredOff: BluetoothError(.adapterOff)
        case .blocked: BluetoothError(.adapterBlocked)
        case .noAdapter: BluetoothError(.noAdapter)
        case .daemonUnavailable: BluetoothError(.daemonUnavailable)
        case .unauthorized: BluetoothError(.permissionDenied)
        case .busUnavailable: BluetoothError(.busUnavailable)
        }
    }
}
