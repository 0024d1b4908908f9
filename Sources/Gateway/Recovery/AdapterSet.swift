public import RxBluetooth

/// Supervises all selected adapters of a machine, also those that are plugged in later. It belongs to the context of a
/// gateway.
///
/// Each adapter has an ``AdapterSupervisor`` for its address, so it is the same one after it was plugged in again, also
/// with another name. If the settings permit it, an adapter that is not selected takes over from a silent one.
public final class AdapterSet {
    private let loop: GatewayLoop
    private let selected: [String]
    private let settings: RecoverySettings
    private let reset: AdapterSupervisor.Reset?
    private let makeManager: AdapterSupervisor.ManagerFactory
    private let watcher: AdapterWatcher
    private var absence: (any Disposable)?
    private var present: [Adapter] = []
    private var entries: [Entry] = []
    private var isClosed = false

    private struct Entry {
        let identity: String
        let supervisor: AdapterSupervisor
        /// The adapter for which this one is a substitute.
        let original: String?
    }

    /// Receives each advertisement, with the supervisor of its adapter.
    public var onResult: ((ScannedPeripheral, AdapterSupervisor) -> Void)?
    /// Receives what happens to the adapters.
    public var onReport: ((SupervisionEvent) -> Void)?
    /// Receives the manager of each adapter, and each replacement.
    public var onManager: ((BluetoothManager, AdapterSupervisor) -> Void)?
    /// Receives changes of ``availability``.
    public var onAvailability: ((AdapterAvailability.Change) -> Void)?
    /// Runs when the name of an adapter becomes known or changes.
    public var onName: (() -> Void)?

    /// Runs when ``daemonVersion`` changes.
    public var onVersion: (() -> Void)?

    /// Whether Bluetooth can be used, and which selected adapters are missing.
    public private(set) var availability: AdapterAvailability
    /// The version of bluetoothd; nil while it is not known.
    public private(set) var daemonVersion: BlueZVersion?

    /// Creates the set of adapters of a configuration. It does nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - selected: The names or addresses of the adapters to use; empty for all.
    ///   - loop: The context of the gateway.
    ///   - settings: When an adapter counts as silent, and which steps are permitted.
    ///   - reset: Resets a radio; nil if that is not possible.
    ///   - makeManager: Makes the managers. One manager only watches which adapters exist.
    public init(
        _ selected: [String], loop: GatewayLoop, settings: RecoverySettings, reset: AdapterSupervisor.Reset? = nil,
        makeManager: @escaping AdapterSupervisor.ManagerFactory
    ) {
        self.selected = selected.map { $0.lowercased() }
        self.loop = loop
        self.settings = settings
        self.reset = reset
        self.makeManager = makeManager
        availability = AdapterAvailability(selected: selected)
        watcher = AdapterWatcher(loop: loop, makeManager: makeManager)
    }

    /// The supervisors, in the order in which their adapters were found.
    public var supervisors: [AdapterSupervisor] { entries.map(\.supervisor) }

    /// The supervisor with this identity; nil if it was removed.
    func supervisor(_ identifier: ObjectIdentifier) -> AdapterSupervisor? {
        entries.first { ObjectIdentifier($0.supervisor) == identifier }?.supervisor
    }

    /// Begins to watch the adapters, and to scan with those that are selected.
    public func start() {
        guard !isClosed else { return }
        watcher.onObstacle = { [weak self] obstacle in self?.update { $0.setObstacle(obstacle, at: $1) } }
        watcher.onVersion = { [weak self] version in self?.changed(version) }
        watcher.onAdapters = { [weak self] adapters in self?.changed(adapters) }
        watcher.start()
    }

    /// Stops all scans and closes all managers, then runs `done`.
    public func close(_ done: @escaping @Sendable () -> Void = {}) {
        guard !isClosed else { return done() }
        isClosed = true
        absence?.dispose()
        let open = supervisors
        let waiting = loop.bound(Countdown(open.count + 1, done))
        let loop = loop
        watcher.close { loop.perform { waiting.value.step() } }
        for supervisor in open { supervisor.close { loop.perform { waiting.value.step() } } }
        entries = []
    }

    private func changed(_ adapters: [Adapter]) {
        present = adapters
        for adapter in adapters where isSelected(adapter) && !isUsed(adapter) { add(adapter, insteadOf: nil) }
        updateSpares()
        update { $0.setAdapters(adapters, at: $1) }
    }

    private func changed(_ version: BlueZVersion?) {
        guard version != daemonVersion else { return }
        daemonVersion = version
        onVersion?()
    }

    private func update(_ event: (inout AdapterAvailability, Duration) -> [AdapterAvailability.Change]) {
        guard !isClosed else { return }
        let changes = event(&availability, loop.monotonicTime)
        absence?.dispose()
        absence = availability.deadline.map { deadline in
            let me = loop.bound(WeakReference(self))
            return loop.schedule(after: max(.zero, deadline - loop.monotonicTime)) {
                me.value.object?.update { $0.deadlinePassed(at: $1) }
            }
        }
        for change in changes { onAvailability?(change) }
    }

    private func isSelected(_ adapter: Adapter) -> Bool {
        guard adapter.isCentral else { return false }
        return selected.isEmpty || selected.contains(where: adapter.matches)
    }

    private func isUsed(_ adapter: Adapter) -> Bool { entries.contains { $0.identity == adapter.identity } }

    private func add(_ adapter: Adapter, insteadOf original: String?) {
        let supervisor = AdapterSupervisor(
            adapter.address.map { .address($0) } ?? .named(adapter.name), loop: loop, settings: settings,
            reset: reset, makeManager: makeManager)
        let identity = adapter.identity
        entries.append(Entry(identity: identity, supervisor: supervisor, original: original))
        supervisor.onReport = { [weak self] in self?.onReport?($0) }
        supervisor.onName = { [weak self] in self?.onName?() }
        supervisor.onResult = { [weak self, weak supervisor] in
            guard let self, let supervisor else { return }
            if let original { entries.first { $0.identity == original }?.supervisor.replaced() }
            onResult?($0, supervisor)
        }
        supervisor.onManager = { [weak self, weak supervisor] in
            guard let self, let supervisor else { return }
            onManager?($0, supervisor)
        }
        supervisor.start()
    }

    // MARK: Substitutes

    private var spare: Adapter? {
        guard settings.allowsOtherAdapter else { return nil }
        return present.first { $0.isCentral && $0.isPowered && !isUsed($0) }
    }

    private func updateSpares() {
        for entry in entries where entry.original == nil {
            let hasSubstitute = entries.contains { $0.original == entry.identity }
            let identity = entry.identity
            entry.supervisor.onTakeOver =
                spare == nil && !hasSubstitute ? nil : { [weak self] in self?.takeOver(from: identity, $0) }
        }
    }

    private func takeOver(from original: String, _ isBeginning: Bool) {
        if isBeginning {
            guard !entries.contains(where: { $0.original == original }), let spare else { return }
            add(spare, insteadOf: original)
        } else if let index = entries.firstIndex(where: { $0.original == original }) {
            entries.remove(at: index).supervisor.close()
        }
        // This may run within a closure that it replaces.
        let me = loop.bound(WeakReference(self))
        loop.perform { me.value.object?.updateSpares() }
    }
}

/// Runs work after a number of steps.
private final class Countdown {
    private var remaining: Int
    private let done: @Sendable () -> Void

    init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
        remaining = count
        self.done = done
    }

    func step() {
        remaining -= 1
        if remaining == 0 { done() }
    }
}
