import DBus

/// Our side of bluetoothd: a mirror of its objects, kept by signals, and what this process has under way with it.
///
/// Belongs to the bus's context: replies, signals and disposals are handled in one order. Public types reach it through
/// ``BlueZAccess``, which holds it as ``Confined``.
final class BlueZClient {
    let bus: BusContext
    let settings: Settings
    let peripherals: PeripheralTable
    weak let access: BlueZAccess?
    var eventLog: EventLog { settings.eventLog }

    /// The unique name of the running bluetoothd.
    private(set) var owner: String?
    /// Whether the mirror holds what the running bluetoothd has.
    var isSynced = false
    /// Why the mirror could not be filled.
    private(set) var syncFailure: BluetoothError?
    private(set) var isOwnerKnown = false
    /// Why nothing works any more: the bus is lost, or the manager closed.
    private var failure: BluetoothError?

    var adapters: [UInt16: AdapterRecord] = [:]
    var devices: [DeviceKey: DeviceRecord] = [:]
    /// Counts the services that came while a link was up, so that each is told from the one before it.
    var epochs: UInt64 = 0
    /// The adapters that were chosen, each for who selects so.
    private var choices: [AdapterSelection: UInt16?] = [:]
    /// Properties and messages of a wrong type: counted, never fatal.
    var rejected = 0 {
        didSet {
            if rejected != oldValue { eventLog.debug(.messageRejected(total: rejected)) }
        }
    }
    /// Signals of objects that are gone, which is normal (Q19).
    var unknownObjectSignals = 0 {
        didSet { eventLog.trace(.signalForUnknownObject(total: unknownObjectSignals)) }
    }
    /// The state that was told last.
    private var loggedState: BluetoothState?

    private(set) lazy var scans = ScanSessions(self)
    var links: [DeviceKey: Link] = [:]
    let orphans = OrphanedLinks()
    private(set) lazy var agent = Agent(self)
    private(set) lazy var pairings = PairingQueue(self)
    private(set) lazy var bonds = BondObservers(self)
    /// What is being advertised, and how often something was.
    var advertisements: [Advertising] = []
    var advertisementCount = 0
    let teardowns = TeardownTracker()

    /// When bluetoothd was there again after it was gone.
    private(set) var returned: MonotonicTime?
    private var waiting: [(BlueZClient) -> Void] = []
    private var tasks: [BusTask] = []
    private lazy var snapshots = SnapshotReader(self)

    /// What the outside is told whenever it changes.
    struct Report: Sendable {
        /// What stands in the way whatever the adapter is; nil for nothing.
        let obstacle: BluetoothState?
        let records: [UInt16: AdapterRecord]
        let choices: [AdapterSelection: UInt16?]
        let peripherals: PeripheralTable
        /// Whether the bus is gone, and nothing more comes from this client.
        let isFinal: Bool
    }

    init(bus: BusContext, settings: Settings, peripherals: PeripheralTable, access: BlueZAccess) {
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
        if isOwnerKnown, owner != nil { returned = settings.now }
        isOwnerKnown = true
        self.owner = owner
        // After a crash no object is taken back by a signal (Q2): whatever we knew ends with its owner.
        forgetEverything(BluetoothError(.daemonUnavailable), .daemon)
        if owner != nil { snapshots.start() } else { stateChanged() }
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
        snapshots.cancel()
        runWaiting()
        scans.close(closed)
        failAdvertisements(closed)
        pairings.fail(closed)
        agent.fail(closed)
        bonds.fail(closed)
        for link in Array(links.values) { link.close(closed) }
    }

    private func forgetEverything(_ error: BluetoothError, _ reason: BluetoothError.DisconnectReason) {
        snapshots.cancel()
        isSynced = false
        syncFailure = nil
        scans.lost(error)
        failAdvertisements(error)
        if reason == .daemon { orphans.left(by: links.values) }
        for link in Array(links.values) { link.lost(BluetoothError(.disconnected(reason))) }
        pairings.fail(error)
        agent.daemonLost()
        emptyMirror()
        choices = [:]
    }

    /// The mirror is filled. The signals were subscribed before, and what came before the reply is inside it (Q18).
    func snapshotArrived() {
        orphans.keep { [devices] in devices[$0]?.isConnected == true }
        isSynced = true
        syncFailure = nil
        adaptersChanged()
        bonds.allChanged()
        agent.daemonAppeared()
    }

    func snapshotFailed(_ error: DBusError, again pause: Duration) {
        let failure = BluetoothError(error)
        syncFailure = failure
        emptyMirror()
        eventLog.warning(.snapshotFailed(failure, again: pause))
        adaptersChanged()
    }

    func emptyMirror() {
        adapters = [:]
        devices = [:]
    }

    // MARK: State

    /// What stands in the way whatever the adapter is; nil for nothing. Not for what is not known yet.
    private var obstacleToAll: BluetoothState? {
        if let failure { return failure.kind == .permissionDenied ? .unauthorized : .busUnavailable }
        if owner == nil { return .daemonUnavailable }
        return syncFailure.map { $0.kind == .permissionDenied ? .unauthorized : .daemonUnavailable }
    }

    /// Whether it is known how things stand.
    private var isKnown: Bool { failure != nil || isOwnerKnown && (owner == nil || syncFailure != nil || isSynced) }

    /// Whether Bluetooth can be used with an adapter; nil while that is not known yet.
    func state(of adapter: UInt16?) -> BluetoothState? {
        isKnown ? obstacleToAll ?? AdapterRecord.state(adapter.flatMap { adapters[$0] }) : nil
    }

    /// Whether Bluetooth can be used with the manager's own adapter; nil while that is not known yet.
    var state: BluetoothState? { state(of: selected) }

    /// The adapter that the manager itself works with.
    var selected: UInt16? { choice(settings.adapter) }

    /// The adapter that is chosen for a selection.
    func choice(_ selection: AdapterSelection) -> UInt16? {
        if let choice = choices[selection] { return choice }
        if selection == .automatic { countLinks() }
        let choice = selection.choose(from: adapters, current: nil, peripherals)
        choices[selection] = .some(choice)
        return choice
    }

    private func countLinks() {
        for number in adapters.keys { adapters[number]?.links = 0 }
        guard adapters.count > 1 else { return }
        for (key, device) in devices where device.isConnected { adapters[key.adapter]?.links += 1 }
    }

    /// Runs work once it is known whether Bluetooth can be used: at once, or after the first snapshot. The work is handed
    /// the client, so that it need not hold it while it waits.
    func onStateKnown(_ work: @escaping (BlueZClient) -> Void) {
        if isKnown { work(self) } else { waiting.append(work) }
    }

    private func runWaiting() {
        let waiting = waiting
        self.waiting = []
        for work in waiting { work(self) }
    }

    /// Chooses the adapters anew, and tells everybody whom the change concerns.
    func adaptersChanged() {
        let previous = choices[settings.adapter] ?? nil
        countLinks()
        _ = selected
        for (selection, current) in choices {
            choices[selection] = .some(selection.choose(from: adapters, current: current, peripherals))
        }
        if previous != selected { eventLog.info(.adapterChosen(selected.map { "hci\($0)" })) }
        stateChanged()
    }

    private func stateChanged() {
        // After `shutDown` only the answers to what it has sent still matter.
        guard let state, failure?.kind != .closed else { return }
        if state != loggedState { eventLog.info(.stateChanged(state)) }
        loggedState = state
        scans.adaptersChanged()
        endAdvertisements()
        for adapter in adapters.values where !adapter.isPowered { linksLost(on: adapter.number) }
        let report = Report(
            obstacle: obstacleToAll, records: adapters, choices: choices, peripherals: peripherals,
            isFinal: failure != nil)
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

    /// Why a call has failed: where the manager was closed, that has ended the bus for it.
    func cause(of error: DBusError) -> BluetoothError? {
        if error.name == DBusError.Name.disconnected, failure?.kind == .closed { failure } else { nil }
    }

    /// Why Bluetooth cannot be used with an adapter; nil where it can.
    func obstacle(on adapter: UInt16?) -> BluetoothError? { failure ?? syncFailure ?? state(of: adapter)?.error }

    /// The adapter that is chosen for a selection, or why there is none to work with.
    func poweredAdapter(_ selection: AdapterSelection) throws(BluetoothError) -> UInt16 {
        let choice = choice(selection)
        if let obstacle = obstacle(on: choice) { throw obstacle }
        guard let choice else { throw BluetoothError(.noAdapter) }
        return choice
    }
}

extension BlueZClient.Report {
    /// The adapter that is chosen for a selection.
    func choice(_ selection: AdapterSelection) -> UInt16? {
        choices[selection] ?? selection.choose(from: records, current: nil, peripherals)
    }

    /// Whether Bluetooth can be used by who selects so.
    func state(_ selection: AdapterSelection) -> BluetoothState {
        obstacle ?? AdapterRecord.state(choice(selection).flatMap { records[$0] })
    }

    /// The adapters, by number.
    func adapters(_ selection: AdapterSelection) -> [Adapter] {
        Adapter.list(records, selected: obstacle == nil ? choice(selection) : nil)
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
