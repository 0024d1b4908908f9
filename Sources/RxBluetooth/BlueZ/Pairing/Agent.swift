import DBus

/// Our agent: the object that bluetoothd sends pairing requests to. A manager has one (Q92).
final class Agent {
    static let path: ObjectPath = "/rxbluetooth/agent"
    unowned let client: BlueZClient
    private var phase = Phase.idle
    /// Whether a pairing or a subscriber has needed it. Then it is registered with each new bluetoothd too.
    private var isWanted: Bool
    private var waiting: [(BluetoothError?) -> Void] = []
    private var export: BusTask?
    private var registering: BusTask?
    let subscribers = EmitterList<PairingRequest>()
    var open: [Open] = []

    private enum Phase {
        case idle, registering, registered
    }

    /// A request that waits for an answer of the user.
    struct Open {
        let request: PairingRequest
        let call: IncomingCall
        let deadline: BusTask
    }

    init(_ client: BlueZClient) {
        self.client = client
        isWanted = client.settings.pairing.isDefault
    }

    var policy: PairingPolicy { client.settings.pairing }

    // MARK: Registration

    /// Calls `done` when the agent is registered, or with the error if that fails.
    ///
    /// At once if it is registered already, or if the policy needs no agent.
    func onRegistered(_ done: @escaping (BluetoothError?) -> Void) {
        guard policy.capability != nil, phase != .registered else { return done(nil) }
        waiting.append(done)
        register()
    }

    /// Registers the agent if the policy needs one, without waiting for the answer.
    func register() {
        guard policy.capability != nil else { return }
        isWanted = true
        begin()
    }

    /// bluetoothd has started or restarted, and has no agent of ours.
    func daemonAppeared() {
        if isWanted { begin() }
    }

    /// bluetoothd is gone, and its requests with it (Q2).
    func daemonLost() {
        phase = .idle
        registering?.cancel()
        registering = nil
        cancelRequests()
        finish(BluetoothError(.daemonUnavailable))
    }

    /// bluetoothd has unregistered the agent. The next pairing or subscriber registers it again (Q92).
    func released() {
        if phase == .registered { phase = .idle }
        cancelRequests()
    }

    private func begin() {
        guard phase == .idle, client.mirror.isSynced, let capability = policy.capability else { return }
        phase = .registering
        // bluetoothd may call the object before it answers (Q25).
        if export == nil {
            export = client.bus.export(at: Self.path, includingChildren: false) { [weak self] call in
                if let self { handle(call) } else { call.fail(Self.rejected) }
            }
        }
        registering = client.call(
            .registerAgent(Self.path, capability: capability), deadline: client.settings.deadlines.operation
        ) { [weak self] in self?.registered($0) }
    }

    private func registered(_ result: Result<Message, DBusError>) {
        guard phase == .registering else { return }
        registering = nil
        // An agent that is registered already is a success (Q92).
        let answer = result.mapError { BluetoothError($0, operation: .pair, target: nil) }
        if case .failure(let failure) = answer, failure.kind != .alreadyDone {
            phase = .idle
            client.eventLog.info(.agentRefused(failure, asDefault: false))
            return finish(failure)
        }
        phase = .registered
        if policy.isDefault {
            client.call(.requestDefaultAgent(Self.path), deadline: client.settings.deadlines.operation) {
                [client] result in
                guard case .failure(let error) = result else { return }
                client.eventLog.info(
                    .agentRefused(BluetoothError(error, operation: .pair, target: nil), asDefault: true))
            }
        }
        finish(nil)
    }

    private func finish(_ error: BluetoothError?) {
        let done = waiting
        waiting = []
        for work in done { work(error) }
    }

    // MARK: Subscribers

    /// Adds a subscriber that answers requests.
    func add(_ emitter: Emitter<PairingRequest>) {
        subscribers.add(emitter) { [weak self] in
            guard let self, subscribers.isEmpty else { return }
            // A request without a subscriber is rejected at once.
            for item in open { end(item, .unanswered) }
        }
        register()
    }

    /// The bus is lost, or the manager closed.
    func fail(_ error: BluetoothError) {
        cancelRequests()
        finish(error)
        subscribers.fail(error)
    }

    func cancelRequests() {
        for item in open { end(item, .cancelled) }
    }
}
