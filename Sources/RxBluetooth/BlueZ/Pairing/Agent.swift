import DBus

/// Our agent: the object that bluetoothd sends pairing requests to. A manager has one (Q92).
final class Agent {
    static let path: ObjectPath = "/rxbluetooth/agent"
    unowned let client: BlueZClient
    private var phase = Phase.idle
    /// Whether a pairing, a subscriber or the policy has needed the agent.
    ///
    /// If so, the agent is also registered with each new bluetoothd.
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

    /// Calls `done` when the agent is registered, or with the error if the registration fails.
    ///
    /// Calls `done` at once if the agent is registered already, or if the policy needs no agent.
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

    /// Registers the agent again with a bluetoothd that has started, if the agent was needed before.
    func daemonAppeared() {
        if isWanted { begin() }
    }

    /// Ends the registration and all requests because bluetoothd is gone (Q2).
    func daemonLost() {
        phase = .idle
        registering?.cancel()
        registering = nil
        cancelRequests()
        finish(BluetoothError(.daemonUnavailable))
    }

    /// Records that bluetoothd has unregistered the agent, and cancels its requests.
    ///
    /// The next pairing or subscriber registers the agent again (Q92).
    func released() {
        if phase == .registered { phase = .idle }
        cancelRequests()
    }

    private func begin() {
        guard phase == .idle, client.mirror.isSynced, let capability = policy.capability else { return }
        phase = .registering
        // The object is exported first, because bluetoothd may call it before the registration is answered (Q25).
        if export == nil {
            export = client.export(self, at: Self.path, includingChildren: false, gone: Self.rejected) {
                $0.handle($1)
            }
        }
        registering = client.call(
            .registerAgent(Self.path, capability: capability), deadline: client.settings.deadlines.operation
        ) { [weak self] in self?.registered($0) }
    }

    private func registered(_ result: Result<Message, DBusError>) {
        guard phase == .registering else { return }
        registering = nil
        // The error AlreadyExists counts as success: the agent is registered (Q92).
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
            // The last subscriber has ended, so the open requests are rejected.
            for item in open { end(item, .unanswered) }
        }
        register()
    }

    /// Fails all requests and subscribers because the bus is lost or the manager is closed.
    func fail(_ error: BluetoothError) {
        cancelRequests()
        finish(error)
        subscribers.fail(error)
    }

    func cancelRequests() {
        for item in open { end(item, .cancelled) }
    }
}
