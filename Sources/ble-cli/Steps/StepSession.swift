import Rx
import RxBluetooth

/// A device that stays connected while several steps of a script or a shell use it.
final class StepSession: Sendable {
    let context: CommandContext
    private let state = Guarded(SessionState())

    private struct SessionState {
        /// Distinguishes the present link from earlier ones.
        var number = 0
        var link: (any Disposable)?
        /// The connected device, or why the link was lost or not made; nil if it was not requested, or is closed.
        var device: Result<GATTTree, CLIError>?
        var subscriptions: [Characteristic: ValueQueue] = [:]
        /// Whether the device has changed its services since the tree was discovered.
        var isTreeOutdated = false
        /// The error of the operation that has stalled the link; nil if bluetoothd executes operations.
        var stall: BluetoothError?

        var tree: GATTTree? { try? device?.get() }

        /// Replaces the tree of the connected device. A subscription to an earlier characteristic has ended.
        mutating func replaceTree(_ tree: GATTTree) {
            device = .success(tree)
            let characteristics = Set(tree.services.flatMap(\.characteristics))
            subscriptions = subscriptions.filter { characteristics.contains($0.key) }
        }
    }

    private let seen = Guarded(SeenWords())

    private struct SeenWords {
        /// In the order in which they were seen.
        private(set) var list: [String] = []
        private var known: Set<String> = []

        mutating func insert(_ word: String) {
            guard list.count < 2_000, known.insert(word).inserted else { return }
            list.append(word)
        }
    }

    /// The names and addresses of devices that were seen, for completion.
    var devices: [String] { seen.withLock(\.list) }

    /// Stores a device for completion. A name with harmful characters cannot be typed, so its address is stored alone.
    func add(_ sighting: ScannedPeripheral) {
        let words = sighting.names.filter { Sanitiser.isHarmless($0) } + [sighting.peripheral.address.description]
        seen.withLock { seen in
            for word in words { seen.insert(word) }
        }
    }

    init(_ context: CommandContext) { self.context = context }

    /// The connected device; nil without a link.
    var tree: GATTTree? { state.withLock(\.tree) }

    /// The error of the operation that has stalled the link; nil if there is no link, or it executes operations.
    var stall: BluetoothError? { state.withLock(\.stall) }

    /// Whether a subscribe step stores values.
    var hasSubscriptions: Bool { state.withLock { !$0.subscriptions.isEmpty } }

    /// Returns the connected device. Throws if there is no link, or the link was lost.
    func connected() throws(CLIError) -> GATTTree {
        guard let device = state.withLock(\.device) else {
            throw CLIError(.usage, "No device is connected. Connect first: connect TARGET.")
        }
        return try device.get()
    }

    /// Emits the connected device with the attributes of a step, and completes. Fails as ``connected()`` does.
    ///
    /// Discovers the services again if they have changed, or if the known tree does not have the attributes. If they
    /// are still missing, the step fails when it uses the tree.
    func currentTree(with arguments: [CharacteristicArgument] = []) -> Observable<GATTTree> {
        Observable<GATTTree>.deferred { [self] in
            let tree = try connected()
            guard !state.withLock(\.isTreeOutdated) else { return discoverAgain(tree.peripheral) }
            return tree.attributes(arguments).map { _ in tree }.catch { [self] error in
                guard CLIError(error).code == .notFound else { throw error }
                return discoverAgain(tree.peripheral)
            }
        }
    }

    private func discoverAgain(_ peripheral: Peripheral) -> Observable<GATTTree> {
        Observable<GATTTree>.deferred { [self] in
            // Set before, because the services may change again during the discovery.
            let number = state.withLock { state -> Int in
                state.isTreeOutdated = false
                return state.number
            }
            return GATTTree.discover(peripheral).do(
                onNext: { [self] tree in
                    state.withLock { if $0.number == number, $0.tree != nil { $0.replaceTree(tree) } }
                },
                onError: { [self] _ in state.withLock { if $0.number == number { $0.isTreeOutdated = true } } })
        }
    }

    /// Closes the present link, connects to a device and discovers it. Completes when the device is ready.
    ///
    /// - Parameter keepsLink: Whether the link stays open at the end.
    func connect(_ target: Target, keepsLink: Bool = false) -> Observable<Never> {
        Observable.create { [self] observer in
            close()
            let number = state.withLock(\.number)
            let link = DeviceConnector(context: context, target: target, keepsLink: keepsLink).tree()
                .do(onNext: { [self] tree in
                    state.withLock { if $0.number == number { $0.device = .success(tree) } }
                    observer.on(.completed)
                })
                // The stream of the tree fails with the link, too.
                .flatMap { $0.peripheral.observeModifiedServices().catch { _ in .never() } }
                .subscribe(
                    onNext: { [self] _ in
                        state.withLock { if $0.number == number { $0.isTreeOutdated = true } }
                    },
                    onError: { [self] error in
                        // After the device was ready, the step has ended.
                        guard !recordLoss(error, of: number) else { return }
                        state.withLock { state in
                            guard state.number == number else { return }
                            state = SessionState(number: number + 1)
                            state.device = .failure(CLIError(error))
                        }
                        observer.on(.error(error))
                    })
            let isOutdated = state.withLock { state in
                guard state.number == number else { return true }
                state.link = link
                return false
            }
            if isOutdated { link.dispose() }
            // If the step is cancelled before the device is ready, the attempt ends.
            return Disposables.create { [self] in
                let isReady = state.withLock { $0.number != number || $0.tree != nil }
                if !isReady { close() }
            }
        }
    }

    /// Records why the link is lost. Returns false if it was not open.
    private func recordLoss(_ error: any Error, of number: Int) -> Bool {
        // The error is about the link now, and not about connecting.
        let cause = (error as? BluetoothError).map { $0.with(nil, $0.target) }
        let error = CLIError(cause ?? error)
        let wasOpen = state.withLock { state -> Bool in
            guard state.number == number, state.tree != nil else { return false }
            state.device = .failure(error)
            state.subscriptions = [:]
            state.stall = nil
            return true
        }
        if wasOpen { context.note(error.text) }
        return wasOpen
    }

    /// Fails with the error of a step; with the reason of the loss if the step failed because the link is lost.
    func failing(with error: any Error) -> Observable<Never> {
        guard CLIError(error).cause?.kind == .notConnected, let device = state.withLock(\.device) else {
            return .error(error)
        }
        switch device {
        case .success(let tree): return Observable<Never>.error(error).failingWithLoss(of: tree.peripheral, in: context)
        case .failure(let loss): return .error(loss)
        }
    }

    /// Records that the error of a step has stalled the link, if it has.
    func recordStall(_ error: CLIError) {
        guard let cause = error.cause, cause.kind.stallsLink else { return }
        state.withLock { if $0.tree != nil { $0.stall = cause } }
    }

    /// Closes the link of any program to a device. If it is the link of the session, closes the session's link.
    func disconnect(_ target: Target) -> Observable<Never> {
        if let peripheral = tree?.peripheral, target.match(peripheral, name: peripheral.name) == .exact {
            close()
            return .empty()
        }
        return KnownDevices(context: context, target: target).findConnected()
            .flatMap { [self] (peripheral: Peripheral, isConnected: Bool) -> Observable<Never> in
                if tree?.peripheral === peripheral {
                    close()
                } else if isConnected {
                    context.keptLinks.remove(LinkKey(peripheral))
                    return peripheral.disconnect().asObservable()
                }
                return .empty()
            }
    }

    /// Pairs with a device; with the connected device if `target` is nil.
    ///
    /// If an earlier step has stalled the link to it, connects again before.
    func pair(_ target: Target?, passkey: UInt32?) throws(CLIError) -> Observable<Never> {
        let own = try target == nil ? connected().peripheral : tree?.peripheral
        guard let target = target ?? own.map({ .address($0.address) }) else { return .empty() }
        let mayBeOwn = own.map { target.match($0, name: $0.name) != nil } ?? false
        let verb = PairVerb(target: target, passkey: passkey, connected: own?.address)
        let paired = Observable<Never>.using { [context] in
            PairingManager(context.makeManager?(verb.pairing) ?? context.manager, isShared: context.makeManager == nil)
        } observableFactory: { [context] owner in
            var context = context
            context.manager = owner.manager
            return verb.run(in: context)
        }
        return mayBeOwn ? renewStalledLink().andThen(paired) : paired
    }

    /// Removes a device from bluetoothd. If it is the connected one, closes the link.
    func forget(_ target: Target) -> Observable<Never> {
        KnownDevices(context: context, target: target).find(wholeNameTo: "forget").flatMap {
            [self] (peripheral: Peripheral) -> Observable<Never> in
            if tree?.peripheral === peripheral { close() }
            return ForgetVerb(target: .address(peripheral.address)).run(in: context)
        }
    }

    /// Closes the link, if there is one.
    func close() {
        let link = state.withLock { state in
            defer { state = SessionState(number: state.number + 1) }
            return state.link
        }
        link?.dispose()
    }

    /// Turns notifications on, and stores the values until ``firstValue(of:where:)`` takes them.
    ///
    /// Completes when notifications are on. If they cannot be turned on, nothing is stored.
    func subscribe(to characteristic: Characteristic) -> Observable<Never> {
        Observable.create { [self] observer in
            let queue = ValueQueue()
            let isNew = state.withLock { state in
                guard state.subscriptions[characteristic] == nil else { return false }
                state.subscriptions[characteristic] = queue
                return true
            }
            guard isNew else {
                observer.on(.completed)
                return Disposables.create()
            }
            let isOn = Guarded(false)
            let start = NotificationStart(of: [characteristic])
            let started = start.observe(in: context.manager).subscribe(onNext: {
                isOn.withLock { $0 = true }
                observer.on(.completed)
            })
            let values = characteristic.observeValueUpdates().do(afterNext: { _ in start.record(characteristic) })
            queue.start(values) { observer.on(.error($0)) }
            return Disposables.create { [self] in
                started.dispose()
                guard !isOn.withLock({ $0 }) else { return }
                state.withLock { state in
                    if state.subscriptions[characteristic] === queue {
                        state.subscriptions[characteristic] = nil
                    }
                }
            }
        }
    }

    /// Whether notifications of a characteristic were turned on by ``subscribe(to:)``.
    func isSubscribed(to characteristic: Characteristic) -> Bool {
        state.withLock { $0.subscriptions[characteristic] != nil }
    }

    /// Emits the first value that passes a test, and completes.
    ///
    /// Takes stored values into account. Without a subscription, turns notifications on while subscribed.
    func firstValue(
        of characteristic: Characteristic, where isWanted: @escaping @Sendable ([UInt8]) -> Bool
    ) -> Observable<[UInt8]> {
        guard let queue = state.withLock({ $0.subscriptions[characteristic] }) else {
            return characteristic.observeValueUpdates().filter(isWanted).take(1)
        }
        return queue.first(where: isWanted)
    }
}

/// The manager of a pairing step, which is closed at the end of the step unless it is the one of the session.
private struct PairingManager: Disposable {
    let manager: BluetoothManager
    let isShared: Bool

    init(_ manager: BluetoothManager, isShared: Bool) {
        self.manager = manager
        self.isShared = isShared
    }

    func dispose() { if !isShared { _ = manager.close().subscribe() } }
}
