import RxBluetooth

/// Watches which adapters exist, and whether Bluetooth can be used. It belongs to the context of a gateway.
///
/// A manager does not open a lost bus by itself. If the bus is not available, or permission is missing, the watcher
/// replaces its manager after pauses of at most 10 s, because no signal announces the end of these obstacles.
final class AdapterWatcher {
    /// Receives the adapters, and each change. The list is empty while bluetoothd does not run.
    var onAdapters: (([Adapter]) -> Void)?
    /// Receives why Bluetooth cannot be used, and each change; nil if it can be used.
    var onObstacle: ((ScanObstacle?) -> Void)?
    /// Receives the version of bluetoothd, and each change; nil while it is not known.
    var onVersion: ((BlueZVersion?) -> Void)?

    private let loop: GatewayLoop
    private let makeManager: AdapterSupervisor.ManagerFactory
    private var manager: BluetoothManager?
    private var tasks: [any Disposable] = []
    private var retry: (any Disposable)?
    private var pauses = Backoff(initial: .seconds(1), maximum: .seconds(10), seed: 1)
    private var isClosed = false

    init(loop: GatewayLoop, makeManager: @escaping AdapterSupervisor.ManagerFactory) {
        self.loop = loop
        self.makeManager = makeManager
    }

    func start() {
        guard manager == nil, !isClosed else { return }
        let manager = makeManager(.automatic)
        self.manager = manager
        let me = loop.bound(WeakReference(self))
        // The obstacle first, so that its end is known before the adapters are.
        tasks = [
            manager.obstacle.subscribe(
                onNext: { me.value.object?.changed($0.map(ScanObstacle.init)) }, onError: { _ in }),
            manager.daemonVersion.subscribe(onNext: { me.value.object?.onVersion?($0) }, onError: { _ in }),
            manager.adapters.subscribe(onNext: { me.value.object?.onAdapters?($0) }, onError: { _ in }),
        ]
    }

    /// Closes the manager, then runs `done`.
    func close(_ done: @escaping @Sendable () -> Void) {
        isClosed = true
        _ = end().subscribe(onDisposed: done)
    }

    private func end() -> Completable {
        for task in tasks { task.dispose() }
        tasks = []
        retry?.dispose()
        retry = nil
        defer { manager = nil }
        return manager?.close() ?? .empty()
    }

    private func changed(_ obstacle: ScanObstacle?) {
        if obstacle == .noBus || obstacle?.isMissingPermission == true {
            let me = loop.bound(WeakReference(self))
            retry?.dispose()
            retry = loop.schedule(after: pauses.take()) { me.value.object?.replaceManager() }
        } else {
            retry?.dispose()
            retry = nil
            pauses.reset()
        }
        onObstacle?(obstacle)
    }

    private func replaceManager() {
        guard !isClosed else { return }
        _ = end().subscribe()
        start()
    }
}
