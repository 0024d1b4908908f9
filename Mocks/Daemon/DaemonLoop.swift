import DBus

/// The main loop of the daemon.
///
/// Runs each piece of work as one turn in the bus's context, and sends changed properties after it.
final class DaemonLoop {
    let bus: any Bus
    let tree: ObjectTree
    /// Whether the daemon has ended. No work runs afterwards.
    private(set) var isOver = false
    /// Ends the run and starts the next one later, because the daemon crashed.
    var crashed: () -> Void = {}
    private var clients: [String: ClientWatch] = [:]

    init(bus: any Bus) {
        self.bus = bus
        tree = ObjectTree(bus: bus)
    }

    func run(_ work: () -> Void) {
        bus.preconditionInContext()
        guard !isOver else { return }
        work()
        if !isOver { tree.flush() }
    }

    /// Crashes the daemon in the middle of a turn. Nothing more is sent.
    func crash() {
        guard !isOver else { return }
        isOver = true
        crashed()
    }

    @discardableResult
    func after(_ delay: Duration, _ work: @escaping () -> Void) -> BusTask {
        let transfer = BusContextTransfer { [self] in run(work) }
        return bus.schedule(after: delay) { transfer.content() }
    }

    /// Sends pending signals, then calls an object of a client. The reply is handled in another turn.
    @discardableResult
    func call(
        _ client: String, _ path: ObjectPath, _ method: (interface: String, member: String), _ arguments: [Value],
        timeout: Duration, _ answered: @escaping (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        tree.flush()
        guard let call = Self.message(client, path, method, arguments) else { return BusTask {} }
        let transfer = BusContextTransfer { [weak self] (result: Result<Message, DBusError>) in
            self?.run { answered(result) }
        }
        return bus.call(call, timeout: timeout) { transfer.content($0) }
    }

    /// Sends pending signals, then calls an object of a client without waiting for a reply.
    func callWithoutReply(
        _ client: String, _ path: ObjectPath, _ method: (interface: String, member: String), _ arguments: [Value]
    ) {
        tree.flush()
        guard let call = Self.message(client, path, method, arguments) else { return }
        bus.send(call)
    }

    /// Sends pending signals, then calls an object of a client that must not answer.
    func callOneWay(
        _ client: String, _ path: ObjectPath, _ method: (interface: String, member: String), _ arguments: [Value]
    ) {
        guard !isOver else { return }
        tree.flush()
        guard let call = Self.message(client, path, method, arguments) else { return }
        call.suppressReply()
        bus.send(call)
    }

    private static func message(
        _ client: String, _ path: ObjectPath, _ method: (interface: String, member: String), _ arguments: [Value]
    ) -> Message? {
        try? Message.call(to: client, path: path, interface: method.interface, member: method.member) {
            (body) throws(DBusError) in
            for argument in arguments { try body.value(argument) }
        }
    }

    func end() {
        isOver = true
        for (_, watch) in clients { watch.task.cancel() }
        clients = [:]
    }

    // MARK: Clients that leave the bus

    /// Calls `left` when a client leaves the bus, until the handler is passed to ``forget(_:)``.
    func watch(_ client: String, _ left: @escaping () -> Void) -> ClientDepartureHandler {
        let token = ClientDepartureHandler(client: client, left: left)
        if let watch = clients[client] {
            watch.tokens.append(token)
            return token
        }
        let transfer = BusContextTransfer { [weak self] in self?.left(client) }
        let task = bus.watchOwner(of: client) { if $0 == nil { transfer.content() } }
        clients[client] = ClientWatch(task, token)
        return token
    }

    func forget(_ token: ClientDepartureHandler?) {
        guard let token, let watch = clients[token.client] else { return }
        watch.tokens.removeAll { $0 === token }
        guard watch.tokens.isEmpty else { return }
        watch.task.cancel()
        clients[token.client] = nil
    }

    private func left(_ client: String) {
        guard let watch = clients.removeValue(forKey: client) else { return }
        watch.task.cancel()
        run {
            for token in watch.tokens { token.left() }
        }
    }

    private final class ClientWatch {
        let task: BusTask
        var tokens: [ClientDepartureHandler]

        init(_ task: BusTask, _ token: ClientDepartureHandler) {
            self.task = task
            tokens = [token]
        }
    }
}

/// A handler that runs when a client leaves the bus.
final class ClientDepartureHandler {
    let client: String
    let left: () -> Void

    init(client: String, left: @escaping () -> Void) {
        self.client = client
        self.left = left
    }
}

/// Moves a value of the bus's context through a Sendable closure.
struct BusContextTransfer<Content>: @unchecked Sendable {
    // Guard: `content` is created and read only in the bus's context.
    let content: Content

    init(_ content: Content) { self.content = content }
}
