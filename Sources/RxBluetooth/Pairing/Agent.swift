import DBus
internal import Logging

/// Our agent: the object that bluetoothd asks about pairings. There is one for a manager, whoever needs it (Q92).
final class Agent: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    static let path: ObjectPath = "/rxbluetooth/agent"
    private unowned let client: BlueZClient
    private var phase = Phase.idle
    /// Whether somebody has needed it; then it is registered again with each bluetoothd that comes.
    private var isWanted: Bool
    private var waiting: [(BluetoothError?) -> Void] = []
    private var export: BusTask?
    private var registering: BusTask?
    private var subscribers: [Emitter<PairingRequest>] = []
    private var open: [Open] = []

    private enum Phase {
        case idle, registering, registered
    }

    /// A request that waits for a person.
    private struct Open {
        let request: PairingRequest
        let call: IncomingCall
        let deadline: BusTask
    }

    init(_ client: BlueZClient) {
        self.client = client
        isWanted = client.settings.pairing.isDefault
    }

    private var policy: PairingPolicy { client.settings.pairing }

    // MARK: Registration

    /// Runs work once bluetoothd knows the agent, at once where the policy wants none; with why it does not know it, otherwise.
    func whenRegistered(_ done: @escaping (BluetoothError?) -> Void) {
        guard policy.capability != nil, phase != .registered else { return done(nil) }
        waiting.append(done)
        register()
    }

    /// Registers the agent where the policy wants one, without waiting for it.
    func register() {
        guard policy.capability != nil else { return }
        isWanted = true
        begin()
    }

    /// bluetoothd runs, perhaps anew; it knows no agent of ours.
    func daemonAppeared() {
        if isWanted { begin() }
    }

    /// bluetoothd is gone, and with it all that it has asked (Q2).
    func daemonLost() {
        phase = .idle
        registering?.cancel()
        registering = nil
        cancelRequests()
        finish(BluetoothError(.daemonUnavailable))
    }

    private func begin() {
        guard phase == .idle, client.isSynced, let capability = policy.capability else { return }
        phase = .registering
        // It must be there before bluetoothd is told of it (Q25).
        if export == nil {
            export = client.bus.export(at: Self.path, includingChildren: false) { [weak self] call in
                if let self { asked(call) } else { call.fail(Self.rejected) }
            }
        }
        registering = callManager("RegisterAgent") { (body) throws(DBusError) in
            try body.string(capability)
        } then: { [weak self] in
            self?.registered($0)
        }
    }

    private func registered(_ result: Result<Message, DBusError>) {
        guard phase == .registering else { return }
        registering = nil
        if case .failure(let error) = result, error.name != BlueZ.alreadyExists {
            phase = .idle
            client.logger.info("bluetoothd does not take the agent.", metadata: ["error": "\(error.name)"])
            return finish(BluetoothError(error, operation: .pair, target: nil))
        }
        phase = .registered
        if policy.isDefault {
            callManager("RequestDefaultAgent") { [client] result in
                guard case .failure(let error) = result else { return }
                client.logger.info("The agent is not the default one.", metadata: ["error": "\(error.name)"])
            }
        }
        finish(nil)
    }

    private func finish(_ error: BluetoothError?) {
        let done = waiting
        waiting = []
        for work in done { work(error) }
    }

    @discardableResult
    private func callManager(
        _ member: String, _ more: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in },
        then: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask? {
        client.call(
            path: "/org/bluez", interface: BlueZ.agentManager, member: member,
            deadline: client.settings.deadlines.operation
        ) { (body) throws(DBusError) in
            try body.objectPath(Self.path)
            try more(&body)
        } then: {
            then($0)
        }
    }

    // MARK: Who answers

    /// Somebody wants to answer requests.
    func add(_ emitter: Emitter<PairingRequest>) {
        subscribers.append(emitter)
        emitter.onEnd { [weak self] in
            guard let self else { return }
            subscribers.removeAll { $0 === emitter }
            // What nobody can answer any more is not kept waiting.
            if subscribers.isEmpty { for item in open { end(item, .unanswered) } }
        }
        register()
    }

    /// The bus is lost, or the manager closed.
    func fail(_ error: BluetoothError) {
        cancelRequests()
        finish(error)
        let ended = subscribers
        subscribers = []
        for subscriber in ended { subscriber.fail(error) }
    }

    private func cancelRequests() {
        for item in open { end(item, .cancelled) }
    }

    // MARK: Being asked

    private func asked(_ call: IncomingCall) {
        // Everybody on the bus can call; only bluetoothd may ask (Q17).
        guard let owner = client.owner, call.message.sender == owner else {
            return call.fail(
                DBusError(name: DBusError.Name.accessDenied, message: "Only bluetoothd may ask this agent"))
        }
        switch call.message.member {
        case "Release":
            // It is unregistered already. Whoever needs it next registers it again (Q92).
            if phase == .registered { phase = .idle }
            cancelRequests()
            call.reply()
        case "Cancel":
            cancelRequests()
            call.reply()
        default: question(call)
        }
    }

    private func question(_ call: IncomingCall) {
        let parsed: AgentQuestion?
        do throws(DBusError) { parsed = try AgentQuestion(call.message) } catch {
            client.rejected += 1
            return call.fail(Self.rejected)
        }
        guard let parsed else {
            return call.fail(DBusError(name: DBusError.Name.unknownMethod, message: "No such method of an agent"))
        }
        guard let peripheral = client.devices[parsed.device]?.peripheral else { return call.fail(Self.rejected) }
        if let answer = policy.answer(to: parsed.question, of: parsed.device.address) {
            client.logger.debug("The policy answers a request.", metadata: ["isAccepted": "\(answer != .reject)"])
            Self.answer(call, answer)
            if answer == .reject { refused(parsed.device) }
            return
        }
        ask(parsed.question, peripheral, call)
    }

    private func ask(_ question: PairingRequest.Question, _ peripheral: Peripheral, _ call: IncomingCall) {
        guard !subscribers.isEmpty else {
            client.logger.info("Nobody is there to answer a request of pairing.")
            if question.isDisplay { return call.reply() }
            call.fail(Self.rejected)
            return refused(peripheral.key)
        }
        let bus = client.bus
        let request = PairingRequest(question, about: peripheral, scheduler: client.settings.scheduler) {
            [weak self] answer in
            Self.answer(call, answer)
            bus.perform { [weak self] in
                self?.close(call)
                if answer == .reject { self?.refused(peripheral.key) }
            }
        }
        if question.isDisplay {
            request.end(.answered(.accept))
            call.reply()
        } else {
            let deadline = bus.schedule(after: policy.patience) { [weak self] in
                if let self, let item = open.first(where: { $0.call === call }) { end(item, .unanswered) }
            }
            open.append(Open(request: request, call: call, deadline: deadline))
        }
        for subscriber in subscribers { subscriber.next(request) }
    }

    /// A request is over without an answer of a person, unless that comes at this very moment.
    private func end(_ item: Open, _ ending: PairingRequest.Ending) {
        close(item.call)
        guard item.request.end(ending) else { return }
        item.call.fail(ending == .cancelled ? Self.cancelled : Self.rejected)
        if ending == .unanswered { refused(item.request.peripheral.key) }
    }

    /// A pairing will not come about. Where an operation of ours had made it necessary, that fails now: bluetoothd would let it
    /// wait until the link is lost.
    private func refused(_ key: DeviceKey) {
        guard let link = client.links[key], link.pairing == nil else { return }
        link.queue.refuse(BluetoothError(.needsPairing))
    }

    private func close(_ call: IncomingCall) {
        guard let index = open.firstIndex(where: { $0.call === call }) else { return }
        open.remove(at: index).deadline.cancel()
    }

    private static func answer(_ call: IncomingCall, _ answer: PairingRequest.Answer) {
        switch answer {
        case .accept: call.reply()
        case .passkey(let passkey): call.reply { (body) throws(DBusError) in body.uint32(passkey) }
        case .pinCode(let text): call.reply { (body) throws(DBusError) in try body.string(text) }
        case .reject: call.fail(rejected)
        }
    }

    private static let rejected = DBusError(name: "org.bluez.Error.Rejected", message: "Rejected")
    private static let cancelled = DBusError(name: "org.bluez.Error.Canceled", message: "Canceled")
}
