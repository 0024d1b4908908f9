public import RxBluetooth

/// Scans with one adapter, and lets it never stay silent. It belongs to the context of a gateway.
///
/// The supervisor makes the manager, because recovery may replace it. ``AdapterRecovery`` decides when the adapter is
/// silent and what to do; the supervisor counts advertisements, runs one timer, and executes the steps.
public final class AdapterSupervisor {
    /// Makes a manager for an adapter. Its configuration has to contain ``GatewayLoop/scheduler``.
    public typealias ManagerFactory = (AdapterSelection) -> BluetoothManager
    /// Resets the radio with this name, for example `hci0`, by other means than bluetoothd. See ``RadioReset``.
    public typealias Reset = @Sendable (String) -> Completable

    /// The adapter that the supervisor works with.
    public let adapter: AdapterSelection
    let loop: GatewayLoop
    private let settings: RecoverySettings
    private let makeManager: ManagerFactory
    let reset: Reset?

    /// Receives each advertisement.
    public var onResult: ((ScannedPeripheral) -> Void)?
    /// Receives what happens to the adapter.
    public var onReport: ((SupervisionEvent) -> Void)?
    /// Receives the manager at the start, and each replacement. The former manager is closed then.
    public var onManager: ((BluetoothManager) -> Void)?
    /// Runs when the name of the adapter becomes known or changes.
    public var onName: (() -> Void)?
    /// Starts another adapter as a substitute if the argument is true, or ends this; nil if there is no other adapter.
    public var onTakeOver: ((Bool) -> Void)? { didSet { updateAvailable() } }

    /// The present manager; nil before the start and after the end.
    public private(set) var manager: BluetoothManager?
    var recovery: AdapterRecovery
    private var timer: (time: Duration, task: any Disposable)?
    private var scanning: (any Disposable)?
    /// The subscriptions to the state of the present manager.
    private var observing: [any Disposable] = []
    /// The step in progress.
    var running: [any Disposable] = []
    private var links: [Peripheral: ConnectionState] = [:]
    private var advertisers = RecentAdvertisers()
    /// The devices that the steps of this recovery have disconnected.
    private var freed: Set<BluetoothAddress> = []
    private var present: ScanObstacle?
    /// Whether this supervisor has switched the adapter off or blocked it, and not yet on again.
    var owesPower = false
    private var restoring: (any Disposable)?
    /// Waits for the report that the adapter is on; nil if none is due.
    private var settling: (any Disposable)?
    /// Whether another adapter was started as a substitute, and not yet ended.
    private var hasSubstitute = false
    private(set) var isScanning = false
    private(set) var isClosed = false
    /// The source of the scans. ``ScanSource/automatic`` until the step ``RecoveryStep/otherSource``.
    private(set) var source = ScanSource.automatic
    /// Whether the last advertisement came from the management socket; nil before the first.
    private var usesManagement: Bool?
    /// The steps that are not permitted, according to an error.
    private var refused: Set<RecoveryStep> = []
    /// The name of the adapter, for example `hci0`; nil while it is not known.
    private(set) var name: String? { didSet { if name != oldValue { onName?() } } }
    private var lastStep: (step: RecoveryStep, time: Duration)?

    /// Creates a supervisor, which does nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - adapter: The adapter. An address keeps the adapter apart from others that get its name.
    ///   - loop: The context of the gateway.
    ///   - settings: When the adapter counts as silent, and which steps are permitted.
    ///   - reset: Resets the radio; nil if that is not possible.
    ///   - makeManager: Makes the managers.
    public init(
        _ adapter: AdapterSelection, loop: GatewayLoop, settings: RecoverySettings, reset: Reset? = nil,
        makeManager: @escaping ManagerFactory
    ) {
        self.adapter = adapter
        self.loop = loop
        self.settings = settings
        self.reset = reset
        self.makeManager = makeManager
        recovery = AdapterRecovery(settings, available: [], at: loop.monotonicTime)
    }

    /// Makes the manager and begins to scan.
    public func start() {
        guard manager == nil, !isClosed else { return }
        recovery = AdapterRecovery(settings, available: [], at: loop.monotonicTime)
        updateAvailable()
        openManager()
        scan()
        arm()
    }

    /// Stops the scan, and closes the manager. `done` runs when the manager is closed. An adapter that recovery has
    /// switched off is switched on before.
    public func close(_ done: @escaping @Sendable () -> Void = {}) {
        guard !isClosed else { return done() }
        isClosed = true
        timer?.task.dispose()
        for task in running + observing { task.dispose() }
        scanning?.dispose()
        restoring?.dispose()
        settling?.dispose()
        guard let manager else { return done() }
        self.manager = nil
        let restored = owesPower ? manager.setPowered(true).catch { _ in .empty() } : .empty()
        _ = restored.andThen(manager.close()).subscribe(onDisposed: done)
    }

    /// The state and the counts of the adapter.
    public var status: AdapterStatus {
        AdapterStatus(
            name: name, adapter: adapter, step: recovery.step, isSilent: recovery.isRecovering,
            obstacle: recovery.obstacle, advertisements: recovery.count, rate: recovery.rate,
            sinceAdvertisement: loop.monotonicTime - recovery.lastHeard, allowedSilence: recovery.allowedSilence,
            usesManagement: usesManagement ?? false, counts: recovery.counts, lastStep: lastStep?.step,
            sinceLastStep: lastStep.map { loop.monotonicTime - $0.time })
    }

    /// Call it when a value has arrived over a link of this adapter, because it proves that the radio works.
    public func receivedValue() { recovery.receivedValue(at: loop.monotonicTime) }

    /// Call it when the substitute of this adapter receives an advertisement.
    public func replaced() { perform(recovery.replaced(at: loop.monotonicTime)) }

    // MARK: The manager

    func openManager() {
        let manager = makeManager(adapter)
        self.manager = manager
        links = [:]
        explainSilence()
        isScanning = false
        let me = loop.bound(WeakReference(self))
        observing = [
            manager.obstacle.subscribe(
                onNext: { me.value.object?.setObstacle($0.map(ScanObstacle.init)) }, onError: { _ in }),
            manager.isScanning.subscribe(onNext: { me.value.object?.isScanning = $0 }, onError: { _ in }),
            manager.adapterPower.subscribe(
                onNext: { if let name = $0.adapterName { me.value.object?.name = name } }, onError: { _ in }),
            manager.connectionChanges.subscribe(onNext: { me.value.object?.linkChanged($0) }, onError: { _ in }),
        ]
        onManager?(manager)
    }

    /// Ends the manager without waiting, and returns the completion of its end.
    func endManager() -> Completable {
        endScan()
        for task in observing { task.dispose() }
        observing = []
        defer { manager = nil }
        return manager?.close() ?? .empty()
    }

    func scan() {
        guard let manager, scanning == nil, !isClosed else { return }
        let me = loop.bound(WeakReference(self))
        scanning = manager.scanForPeripherals(
            options: ScanOptions(allowsDuplicates: true, resumes: true, source: source)
        )
        .subscribe(
            onNext: { me.value.object?.received($0) },
            onError: { _ in me.value.object?.scanning = nil })
    }

    func endScan() {
        scanning?.dispose()
        scanning = nil
    }

    func switchSource() { source = source == .dbus ? .automatic : .dbus }

    /// Returns to D-Bus if the other source did not help, because every advertisement is also there. Otherwise a deaf
    /// socket would hide that the next steps have ended another fault.
    private func leaveOtherSource() {
        guard source != .dbus else { return }
        source = .dbus
        endScan()
        scan()
    }

    func beginSubstitute() {
        hasSubstitute = true
        onTakeOver?(true)
    }

    func endSubstitute() {
        hasSubstitute = false
        onTakeOver?(false)
    }

    // MARK: Events

    private func received(_ result: ScannedPeripheral) {
        guard !result.isCached else { return }
        let isPacket = result.advertisementData.rawData != nil
        if isPacket != usesManagement {
            usesManagement = isPacket
            updateAvailable()
        }
        let now = loop.monotonicTime
        advertisers.heard(result.peripheral.address, at: now)
        if recovery.isSilenceExplained { explainSilence() }
        perform(recovery.heard(at: now, isFreed: !freed.isEmpty && freed.contains(result.peripheral.address)))
        if !freed.isEmpty, !recovery.isRecovering { freed = [] }
        // Also if recovery ended in another way, for example because the adapter was unplugged.
        if hasSubstitute, !recovery.isRecovering { endSubstitute() }
        onResult?(result)
    }

    private func linkChanged(_ change: ConnectionChange) {
        if case .disconnected = change.state {
            links[change.peripheral] = nil
        } else {
            links[change.peripheral] = change.state
        }
        recovery.setLinks(links.count, isConnecting: links.values.contains(.connecting))
        explainSilence()
    }

    private var linked: Set<BluetoothAddress> { Set(links.filter { $0.value != .connecting }.keys.map(\.address)) }

    private func explainSilence() {
        let (linked, now) = (linked, loop.monotonicTime)
        recovery.setSilentDevices(advertisers.count(without: linked, since: recovery.lastHeard - .seconds(60)))
        recovery.setSilenceExplained(
            !linked.isEmpty && advertisers.isSilenceExplained(by: linked, at: now), at: now)
        arm()
    }

    private func setObstacle(_ obstacle: ScanObstacle?) {
        present = obstacle
        if settling != nil, !isOwnObstacle { settled() } else { obstacleChanged() }
    }

    /// Whether the present obstacle is an effect of a step of this supervisor.
    private var isOwnObstacle: Bool {
        owesPower
            && (present == .poweredOff || recovery.step == .reset && [.blocked, .noAdapter].contains(present))
    }

    /// From now on, an adapter that is off is no obstacle, but the effect of a step.
    func beginOwnOutage() {
        settling?.dispose()
        settling = nil
        owesPower = true
    }

    /// Ends it when the adapter is reported as on. The report may follow the reply of the call by a moment.
    func endOwnOutage() {
        guard isOwnObstacle else { return settled() }
        let me = loop.bound(WeakReference(self))
        settling = loop.schedule(after: .seconds(1)) { me.value.object?.settled() }
    }

    private func settled() {
        settling?.dispose()
        settling = nil
        owesPower = false
        obstacleChanged()
    }

    /// Passes the obstacle on, unless a step of this supervisor is the reason.
    func obstacleChanged() {
        let before = recovery.obstacle
        perform(recovery.setObstacle(isOwnObstacle ? nil : present, at: loop.monotonicTime))
        // A scan that failed, or that a step has ended, does not resume by itself.
        if before != nil, recovery.obstacle == nil { scan() }
    }

    // MARK: Decisions

    private func updateAvailable() {
        var steps: Set<RecoveryStep> = [.restartScan, .newSession]
        if usesManagement != false || source == .dbus { steps.insert(.otherSource) }
        if settings.allowsPowerCycle { steps.insert(.powerCycle) }
        if reset != nil { steps.insert(.reset) }
        if onTakeOver != nil { steps.insert(.otherAdapter) }
        recovery.available = steps.subtracting(refused)
    }

    /// Stops using a step that is not permitted.
    func refuse(_ step: RecoveryStep) {
        refused.insert(step)
        updateAvailable()
    }

    func perform(_ actions: [AdapterRecovery.Action]) {
        guard !actions.isEmpty, !isClosed else { return }
        for action in actions {
            switch action {
            case .run(let step):
                if step.endsConnections { freed.formUnion(linked) }
                run(step)
            case .cancel(let step): cancel(step)
            case .report(let report):
                if case .began(let step, _) = report { lastStep = (step, loop.monotonicTime) }
                if case .ended(.otherSource, let result, _) = report, result != .helped { leaveOtherSource() }
                let isHarmless = recovery.protectsLinks(at: loop.monotonicTime)
                onReport?(SupervisionEvent(adapter: name ?? "\(adapter)", report: report, isHarmless: isHarmless))
            }
        }
        arm()
    }

    /// Sets the timer for the next decision. A later deadline than that of the timer needs no new timer.
    private func arm() {
        guard !isClosed, let deadline = recovery.deadline, deadline < timer?.time ?? .seconds(Int64.max / 2) else {
            return
        }
        timer?.task.dispose()
        let me = loop.bound(WeakReference(self))
        let delay = max(.zero, deadline - loop.monotonicTime)
        timer = (deadline, loop.schedule(after: delay) { me.value.object?.timerFired() })
    }

    private func timerFired() {
        timer = nil
        explainSilence()
        // Advertisements may have postponed the deadline. The rate is learned also then.
        perform(recovery.deadlinePassed(at: loop.monotonicTime, isScanning: isScanning))
        arm()
    }

    /// Switches the adapter on again after a step that could not do it, until that succeeds.
    func restorePower() {
        guard owesPower, restoring == nil, settling == nil, let manager else { return }
        let me = loop.bound(WeakReference(self))
        restoring = manager.setPowered(true).subscribe(
            onCompleted: { me.value.object?.powerRestored() },
            onError: { _ in me.value.object?.restoreLater() })
    }

    private func powerRestored() {
        restoring = nil
        endOwnOutage()
        scan()
    }

    private func restoreLater() {
        let me = loop.bound(WeakReference(self))
        restoring = loop.schedule(after: .seconds(5)) {
            me.value.object?.restoring = nil
            me.value.object?.restorePower()
        }
    }
}
