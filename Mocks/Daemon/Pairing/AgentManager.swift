import DBus

/// A client's agent, which answers requests for passkeys and consent. Source: BlueZ 5.66, src/agent.c.
final class DaemonAgent {
    let client: String
    let path: ObjectPath
    let capability: Capability
    fileprivate var token: ClientDepartureHandler?
    private let loop: DaemonLoop
    /// The pending request. An agent gets one request at a time.
    private var question: PendingAgentCall?

    /// An agent's input and output capability.
    ///
    /// The numbers are those of Bluetooth Core, Vol 3, Part H, 3.5.1.
    enum Capability: Int {
        case displayOnly, displayYesNo, keyboardOnly, noInputNoOutput, keyboardDisplay

        init?(_ text: String) {
            switch text {
            case "", "KeyboardDisplay": self = .keyboardDisplay
            case "DisplayOnly": self = .displayOnly
            case "DisplayYesNo": self = .displayYesNo
            case "KeyboardOnly": self = .keyboardOnly
            case "NoInputNoOutput": self = .noInputNoOutput
            default: return nil
            }
        }
    }

    private struct PendingAgentCall {
        let task: BusTask
        let answered: (Result<Message, DBusError>) -> Void
    }

    fileprivate init(_ client: String, _ path: ObjectPath, _ capability: Capability, _ loop: DaemonLoop) {
        self.client = client
        self.path = path
        self.capability = capability
        self.loop = loop
    }

    /// Calls the agent. Returns false if another request is pending.
    func ask(_ member: String, _ arguments: [Value], _ answered: @escaping (Result<Message, DBusError>) -> Void) -> Bool
    {
        guard question == nil else { return false }
        let task = loop.call(client, path, ("org.bluez.Agent1", member), arguments, timeout: DaemonTimeLimits.agent) {
            [weak self] result in
            guard let self, question != nil else { return }
            question = nil
            if case .failure(let error) = result, error.name == DBusError.Name.noReply, member != "RequestPasskey" {
                notifyAgent("Cancel")
            }
            answered(result)
        }
        question = PendingAgentCall(task: task, answered: answered)
        return true
    }

    /// Calls the agent without waiting for a reply.
    func notifyAgent(_ member: String, _ arguments: [Value] = []) {
        loop.callWithoutReply(client, path, ("org.bluez.Agent1", member), arguments)
    }

    /// Cancels the pending request.
    func cancel() {
        guard let question else { return }
        self.question = nil
        question.task.cancel()
        notifyAgent("Cancel")
    }

    /// Fails the pending request, because the client left the bus.
    fileprivate func leave() {
        guard let question else { return }
        cancel()
        question.answered(.failure(BlueZError.failed("Canceled")))
    }
}

/// All agents of clients and the choice of the default agent, `org.bluez.AgentManager1`.
final class AgentManager {
    private let loop: DaemonLoop
    private var byClient: [String: DaemonAgent] = [:]
    /// The agents in the order of preference. The first is the default agent.
    private var order: [DaemonAgent] = []
    /// Called when the default agent changes.
    var defaultChanged: (DaemonAgent?) -> Void = { _ in }
    private var object: ServedObject?

    init(_ loop: DaemonLoop) { self.loop = loop }

    var defaultAgent: DaemonAgent? { order.first }

    /// Returns the agent of a client, or the default agent if the client has none.
    func agent(of client: String?) -> DaemonAgent? { client.flatMap { byClient[$0] } ?? defaultAgent }

    func appear() { object = loop.tree.add(TypedInterface(Self.table, of: self), at: "/org/bluez") }

    /// Removes the object and releases the agents, as bluetoothd does when it stops.
    func disappear() {
        if let object { loop.tree.remove(object) }
        object = nil
        for agent in order.reversed() {
            loop.forget(agent.token)
            agent.notifyAgent("Release")
        }
        byClient = [:]
        order = []
    }

    static let table = InterfaceTable<AgentManager>(
        name: "org.bluez.AgentManager1",
        methods: [
            MethodRow("RegisterAgent", in: [ArgumentRow("agent", "o"), ArgumentRow("capability", "s")]) {
                (agents, call) throws(DBusError) in try agents.register(call)
            },
            MethodRow("UnregisterAgent", in: [ArgumentRow("agent", "o")]) { (agents, call) throws(DBusError) in
                // A pending request of the agent remains, because the pairing retains the agent.
                agents.remove(try agents.called(call))
                agents.loop.tree.reply(call)
            },
            MethodRow("RequestDefaultAgent", in: [ArgumentRow("agent", "o")]) { (agents, call) throws(DBusError) in
                let agent = try agents.called(call)
                agents.prefer(agent)
                agents.loop.tree.reply(call)
            },
        ])

    private func register(_ call: IncomingCall) throws(DBusError) {
        let client = call.message.sender ?? ""
        guard byClient[client] == nil else { throw BlueZError.alreadyExists }
        let (path, text) = try call.message.read { (body) throws(DBusError) in
            (try body.objectPath(), try body.string())
        }
        guard let capability = DaemonAgent.Capability(text) else { throw BlueZError.invalidArguments }
        let agent = DaemonAgent(client, path, capability, loop)
        agent.token = loop.watch(client) { [weak self, weak agent] in
            guard let self, let agent else { return }
            agent.token = nil
            remove(agent)
            agent.leave()
        }
        byClient[client] = agent
        if order.isEmpty { prefer(agent) } else { order.append(agent) }
        loop.tree.reply(call)
    }

    /// Returns the caller's agent. Throws if it does not have the path in the call's argument.
    private func called(_ call: IncomingCall) throws(DBusError) -> DaemonAgent {
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        guard let agent = byClient[call.message.sender ?? ""], agent.path == path else {
            throw BlueZError.doesNotExist
        }
        return agent
    }

    private func prefer(_ agent: DaemonAgent) {
        guard order.first !== agent else { return }
        order.removeAll { $0 === agent }
        order.insert(agent, at: 0)
        defaultChanged(agent)
    }

    private func remove(_ agent: DaemonAgent) {
        loop.forget(agent.token)
        let wasStandard = order.first === agent
        order.removeAll { $0 === agent }
        byClient[agent.client] = nil
        if wasStandard { defaultChanged(order.first) }
    }
}
