import DBus
import Rx

/// One pairing of one device, from waiting for its turn until it has come about or is undone.
final class PairingAttempt {
    let key: DeviceKey
    private let peripheral: Peripheral
    private unowned let client: BlueZClient
    private let emitters = EmitterList<Never>()
    private var phase = Phase.waiting { didSet { since = client.settings.now } }
    /// When its phase began.
    private var since: MonotonicTime?
    private var link: Link?
    private var call: BusTask?
    private var deadline: BusTask?
    private var stopWaiting: (() -> Void)?
    private var onEnded: [() -> Void] = []

    private enum Phase {
        /// `preparing` waits for the agent and the link; `undoing` is over for everybody but bluetoothd.
        case waiting, preparing, pairing, undoing, gone
    }

    init(_ peripheral: Peripheral, _ client: BlueZClient) {
        self.peripheral = peripheral
        self.key = peripheral.key
        self.client = client
        since = client.settings.now
    }

    /// How it stands, for a diagnosis; nil where it is over.
    var diagnosis: Diagnosis.PairingStatus? {
        let step: Diagnosis.PairingStatus.Step
        switch phase {
        case .waiting: step = .waiting
        case .preparing: step = .preparing
        case .pairing: step = .pairing
        case .undoing: step = .undoing
        case .gone: return nil
        }
        return Diagnosis.PairingStatus(
            peripheral: peripheral, step: step, duration: client.settings.elapsed(since: since))
    }

    var isOver: Bool { phase == .undoing || phase == .gone }
    private var target: String { key.address.description }
    private var deadlines: Deadlines { client.settings.deadlines }

    func add(_ emitter: Emitter<Never>) {
        emitters.add(emitter) { [weak self] in
            if let self, emitters.isEmpty { undo() }
        }
    }

    func onEnded(_ work: @escaping () -> Void) { onEnded.append(work) }

    // MARK: Coming about

    func start() {
        guard phase == .waiting else { return }
        // Another program, or a protected attribute, has paired the device while this attempt waited for its turn (Q118).
        if client.mirror.isBonded(key) { return end(nil) }
        phase = .preparing
        deadline = client.bus.schedule(after: deadlines.pair) { [weak self] in self?.fail(BluetoothError(.timedOut)) }
        // The agent first, for it is the one whose abilities count (Q90).
        client.agent.onRegistered { [weak self] error in
            guard let self, phase == .preparing else { return }
            if let error { fail(error) } else { findLink() }
        }
    }

    /// A pairing goes over a link of this manager; where there is none, it makes one for itself.
    private func findLink() {
        guard phase == .preparing else { return }
        if let link = client.links[key] {
            guard link.state.isConnecting || link.isConnected, !link.queue.isRefused else {
                link.onClosed { [weak self] _ in self?.findLink() }
                // A link on which a pairing was refused is lost: on 5.66 a second one gets no answer, nor does anything else.
                if link.isConnected { link.close(BluetoothError(.needsPairing)) }
                return
            }
            take(link)
            if link.isConnected { linkIsUp() }
            return
        }
        do throws(BluetoothError) {
            let link = try client.links.connectForPairing(peripheral)
            take(link)
            link.start()
        } catch {
            fail(error)
        }
    }

    private func take(_ link: Link) {
        self.link = link
        link.pairing = self
    }

    /// bluetoothd reads the services first. The kernel may lose what comes over ATT during a pairing, and then neither would
    /// end: `Pair` is answered when the services are known (Q88).
    func linkIsUp() {
        guard phase == .preparing, let link else { return }
        stopWaiting = link.serviceDiscovery.wait { [weak self] _ in
            self?.stopWaiting = nil
            self?.pair()
        }
    }

    private func pair() {
        // Services that never come are no reason not to try.
        guard phase == .preparing, link?.isConnected == true else { return }
        // The bond may have come about while the link was made and its services were read (Q118).
        if client.mirror.isBonded(key) { return end(nil) }
        phase = .pairing
        call = client.call(.pair(key), deadline: deadlines.pair) {
            [weak self] in self?.answered($0)
        }
    }

    private func answered(_ result: Result<Message, DBusError>) {
        guard phase == .pairing else { return }
        call = nil
        switch result.mapError({ BluetoothError($0, operation: .pair, target: target) }) {
        case .success: succeed()
        // It is paired already: without a bond, over both bearers, or since a moment ago (Q89).
        case .failure(let error) where error.kind == .alreadyDone: succeed()
        // A pairing that ends with its link is told of the cancellation only; the link knows why (S59).
        case .failure where link?.isConnected != true: break
        case .failure(let error) where error.dbusName == DBusError.Name.disconnected: break
        case .failure(let error): failed(error)
        }
    }

    /// The link is over before the pairing was.
    func linkEnded(_ cause: BluetoothError) {
        link = nil
        guard phase == .preparing || phase == .pairing else { return }
        end(cause)
    }

    // MARK: The end

    private func succeed() {
        client.eventLog.info(.paired(peripheral))
        end(nil)
    }

    /// bluetoothd has told that it did not come about.
    private func failed(_ error: BluetoothError) {
        // What timed out goes on there (Q8).
        if error.kind == .timedOut { fail(error) } else { end(error) }
    }

    /// It has come about, or cannot.
    private func end(_ error: BluetoothError?) {
        phase = .undoing
        endStreams(error)
        release()
    }

    /// It fails for a reason of ours, and what bluetoothd has under way is called off.
    func fail(_ error: BluetoothError) {
        guard !isOver else { return }
        let isPairing = phase == .pairing
        phase = .undoing
        endStreams(error)
        callOff(isPairing)
    }

    /// Nobody wants it any more.
    private func undo() {
        guard !isOver else { return }
        let isPairing = phase == .pairing
        phase = .undoing
        callOff(isPairing)
    }

    private func endStreams(_ error: BluetoothError?) {
        for emitter in emitters.removeAll() {
            if let error { emitter.fail(error.during(.pair, target)) } else { emitter.complete() }
        }
    }

    private func callOff(_ isPairing: Bool) {
        guard isPairing, client.owner != nil else { return release() }
        client.teardowns.begin()
        client.call(.cancelPairing(key), deadline: deadlines.cleanup) { [weak self, client] _ in
            // Whatever the answer is, there is no pairing of ours any more.
            self?.release()
            client.teardowns.end()
        }
    }

    /// Lets the link go, and closes it where it was made for this.
    private func release() {
        guard phase == .undoing else { return }
        phase = .gone
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
