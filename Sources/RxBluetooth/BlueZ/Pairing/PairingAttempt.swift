import DBus
import Rx

/// One pairing of one device, shared by all streams that pair the device.
///
/// ``PairingState`` decides what to do; this class makes the calls and runs the deadline.
final class PairingAttempt {
    let key: DeviceKey
    private let peripheral: Peripheral
    private unowned let client: BlueZClient
    private let emitters = EmitterList<Never>()
    private var state = PairingState()
    /// When the current phase of `state` began.
    private var since: MonotonicTime?
    private var link: Link?
    private var call: BusTask?
    private var deadline: BusTask?
    private var stopWaiting: (() -> Void)?
    private var onEnded: [() -> Void] = []

    init(_ peripheral: Peripheral, _ client: BlueZClient) {
        self.peripheral = peripheral
        self.key = peripheral.key
        self.client = client
        since = client.settings.now
    }

    /// The status of the pairing for a diagnosis; nil if it has ended.
    var diagnosis: Diagnosis.PairingStatus? {
        let step: Diagnosis.PairingStatus.Step
        switch state.phase.step {
        case .waiting: step = .waiting
        case .preparing: step = .preparing
        case .pairing: step = .pairing
        case .undoing: step = .undoing
        case .ended: return nil
        }
        return Diagnosis.PairingStatus(
            peripheral: peripheral, step: step, duration: client.settings.elapsed(since: since))
    }

    var isOver: Bool { state.isOver }
    /// Whether `Pair` has no reply yet.
    var isCalling: Bool { state.phase == .pairing }
    private var target: String { key.address.description }
    private var deadlines: Deadlines { client.settings.deadlines }

    func add(_ emitter: Emitter<Never>) {
        emitters.add(emitter) { [weak self] in
            if let self, emitters.isEmpty { handle(.unwanted) }
        }
    }

    /// Adds work that runs when the attempt has ended and bluetoothd has nothing left to undo.
    func onEnded(_ work: @escaping () -> Void) { onEnded.append(work) }

    // MARK: Events

    func start() { handle(.turnCame(isBonded: client.mirror.isBonded(key))) }

    /// Fails the pairing for a reason other than a reply to `Pair`, and cancels it in bluetoothd.
    func fail(_ error: BluetoothError) { handle(.failed(error)) }

    /// Continues the pairing when its link is established.
    func linkIsUp() { handle(.linkUp) }

    func linkEnded(_ cause: BluetoothError) {
        link = nil
        // Without a pairing, `CancelPairing` removes a bond. `Disconnect` ends the pairing by itself.
        let isLost = client.mirror.devices[key]?.isConnected == false
        let mayBeKept = call != nil && isLost && !client.mirror.isBonded(key)
        handle(
            .linkEnded(cause, isPairingKept: mayBeKept && KnownProblem.mayAffect(client.version, .pairingKept)))
    }

    // MARK: The state machine

    private func handle(_ event: PairingState.Event) {
        let before = state
        let actions = state.handle(event)
        if state.phase.step != before.phase.step { since = client.settings.now }
        for action in actions { execute(action) }
    }

    private func execute(_ action: PairingState.Action) {
        switch action {
        case .startDeadline:
            deadline = client.bus.schedule(after: deadlines.pair) { [weak self] in
                self?.handle(.failed(BluetoothError(.timedOut)))
            }
        case .registerAgent:
            client.agent.onRegistered { [weak self] error in self?.handle(.agentRegistered(error)) }
        case .findLink: findLink()
        case .readServices: readServices()
        case .pair: pair()
        case .logPaired: client.eventLog.info(.paired(peripheral))
        case .endStreams(let error): endStreams(error)
        case .cancelPairing: cancelPairing()
        case .release: release()
        }
    }

    // MARK: The link

    private func findLink() {
        guard let link = client.links[key] else { return makeLink() }
        guard link.state.isConnecting || link.isConnected, !link.queue.isRefused else {
            link.onClosed { [weak self] _ in self?.handle(.unusableLinkClosed) }
            // The link is closed, because bluetoothd 5.66 answers no calls for it after a refused pairing.
            if link.isConnected { link.close(BluetoothError(.needsPairing)) }
            return
        }
        use(link)
        if link.isConnected { handle(.linkUp) }
    }

    private func makeLink() {
        guard !client.staleOperations.delay(key, { [weak self] in self?.handle(.unusableLinkClosed) }) else { return }
        let link = client.links.connectForPairing(peripheral)
        use(link)
        link.start()
    }

    private func use(_ link: Link) {
        self.link = link
        link.pairing = self
    }

    private func readServices() {
        stopWaiting = link?.serviceDiscovery.wait { [weak self] _ in
            guard let self else { return }
            stopWaiting = nil
            handle(.servicesAwaited(isConnected: link?.isConnected == true, isBonded: client.mirror.isBonded(key)))
        }
    }

    // MARK: Calls

    private func pair() {
        call = client.call(.pair(key), deadline: deadlines.pair) { [weak self] result in
            guard let self else { return }
            call = nil
            let error: BluetoothError? =
                switch result {
                case .success: nil
                case .failure(let error): BluetoothError(error, operation: .pair, target: target)
                }
            handle(.answered(error, isConnected: link?.isConnected == true))
        }
    }

    private func cancelPairing() {
        guard client.owner != nil else { return handle(.cancelled) }
        client.teardowns.begin()
        client.call(.cancelPairing(key), deadline: deadlines.cleanup) { [weak self, client] _ in
            self?.handle(.cancelled)
            client.teardowns.end()
        }
    }

    // MARK: The end

    private func endStreams(_ error: BluetoothError?) {
        for emitter in emitters.removeAll() {
            if let error { emitter.fail(error.during(.pair, target)) } else { emitter.complete() }
        }
    }

    private func release() {
        deadline?.cancel()
        call?.cancel()
        stopWaiting?()
        stopWaiting = nil
        if let link {
            self.link = nil
            link.pairing = nil
            if link.isForPairing { link.close(BluetoothError(.disconnected(.requested))) }
        }
        client.pairings.remove(self)
        let work = onEnded
        onEnded = []
        for action in work { action() }
    }
}
