import Rx
import DBus
import RxBluetoothMocks
import Testing

/// A bluetoothd that a test controls, for unusual and invalid behaviour.
///
/// It owns `org.bluez` on a bus, replies to `GetManagedObjects` with its objects, and keeps every other call until the
/// test replies to it.
///
///     let stage = Stage(starting: false)
///     let daemon = ScriptedDaemon(on: stage, .oneDevice)
///     …
///     daemon.take("ReadValue").reply { $0.bytes([1]) }
///     stage.advance(0)
final class ScriptedDaemon: Sendable {
    /// The properties of each interface of each object, by path and interface.
    typealias Objects = [String: [String: [String: Value]]]

    private struct State {
        var connection: (any Bus)?
        var objects: Value
        var waiting: [IncomingCall] = []
        /// The automatic replies, by method. `RegisterAgent` has one unless ``holdAgents()`` is called.
        var automaticReplies: [String: @Sendable (IncomingCall) -> Void] = ["RegisterAgent": { $0.reply() }]
        var methods: [String] = []
        var interfaces: [String] = []
        var holdsSnapshot = false
        var keepsMTUReads = false
        /// The unique name of the client that registered an agent last.
        var agentOwner: String?
    }

    private let bus: any SimulationBus
    private let state: Guarded<State>
    private let name: Name

    /// The connection to the bus; nil after a crash.
    var connection: (any Bus)? { state.withLock { $0.connection } }

    /// The flags of the D-Bus specification with which the daemon requests the name `org.bluez`.
    enum Name: UInt32 {
        case plain = 4
        case replaceable = 1
        case replacing = 6
    }

    /// Starts a daemon.
    init(on stage: Stage, _ objects: Objects = [:], name: Name = .plain) {
        bus = stage.simulation.bus
        self.name = name
        state = Guarded(State(objects: Self.value(objects)))
        start()
        stage.advance(0)
    }

    // MARK: Start and crash

    func start() {
        let connection = bus.join()
        state.withLock { $0.connection = connection }
        _ = connection.export(at: .root, includingChildren: true) { [weak self] in self?.received($0) }
        guard
            let request = try? Message.call(
                to: BusName.daemon, path: "/org/freedesktop/DBus", interface: BusName.daemon, member: "RequestName",
                { [name] (body) throws(DBusError) in
                    try body.string("org.bluez")
                    body.uint32(name.rawValue)
                })
        else { return }
        connection.call(request, timeout: .seconds(25)) { result in
            let code = try? result.get().read { (body) throws(DBusError) in try body.uint32() }
            #expect(code == 1)
        }
    }

    /// Closes the connection to the bus. Pending calls fail as they do when a real bluetoothd crashes.
    func crash() {
        let connection = state.withLock { state in
            defer { state.connection = nil }
            state.waiting = []
            return state.connection
        }
        connection?.close()
    }

    // MARK: Calls

    /// The methods that were called, in order, without the calls that every client makes at its start.
    var methods: [String] { state.withLock { $0.methods } }

    /// The interfaces of ``methods``.
    var interfaces: [String] { state.withLock { $0.interfaces } }

    func count(_ member: String) -> Int { methods.count { $0 == member } }

    /// Returns whether a call of this method is pending.
    func isAsked(_ member: String) -> Bool { state.withLock { $0.waiting.contains { $0.message.member == member } } }

    /// Takes the oldest pending call of a method. Records an issue if there is none.
    func take(_ member: String, sourceLocation: SourceLocation = #_sourceLocation) -> Pending {
        let call = state.withLock { state -> IncomingCall? in
            guard let index = state.waiting.firstIndex(where: { $0.message.member == member }) else { return nil }
            return state.waiting.remove(at: index)
        }
        if call == nil { Issue.record("There is no pending call of \(member).", sourceLocation: sourceLocation) }
        return Pending(call: call)
    }

    /// A pending call, to which the test replies. Without a call, replying has no effect.
    struct Pending {
        let call: IncomingCall?

        func reply(_ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }) {
            call?.reply(body)
        }

        func fail(_ name: String, _ message: String = "") { call?.fail(DBusError(name: name, message: message)) }
    }

    /// Replies to all calls of a method automatically.
    func always(_ member: String, _ answer: @escaping @Sendable (IncomingCall) -> Void = { $0.reply() }) {
        state.withLock { $0.automaticReplies[member] = answer }
    }

    private func received(_ call: IncomingCall) {
        let member = call.message.member ?? ""
        // By default, reads of the property MTU fail as before BlueZ 5.62, which does not have this property (Q101).
        if member == "Get", Self.isMTURead(call.message), !state.withLock({ $0.keepsMTUReads }) {
            return call.fail(
                DBusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "No such property 'MTU'"))
        }
        let (automaticReply, objects) = state.withLock { state in
            let automaticReply = state.automaticReplies[member]
            if member == "RegisterAgent" { state.agentOwner = call.message.sender }
            if member != "GetManagedObjects", automaticReply == nil || member != "RegisterAgent" {
                state.methods.append(member)
                state.interfaces.append(call.message.interface ?? "")
            }
            let isSnapshot = member == "GetManagedObjects" && !state.holdsSnapshot
            if automaticReply == nil, !isSnapshot { state.waiting.append(call) }
            return (automaticReply, isSnapshot ? state.objects : nil)
        }
        if let automaticReply { return automaticReply(call) }
        if let objects { call.reply { (body) throws(DBusError) in try body.value(objects) } }
    }

    /// Keeps calls that read the MTU pending until the test replies, as other calls.
    func holdMTU() { state.withLock { $0.keepsMTUReads = true } }

    private static func isMTURead(_ call: Message) -> Bool {
        let name = try? call.read { (body) throws(DBusError) in
            _ = try body.string()
            return try body.string()
        }
        return name == "MTU"
    }

    // MARK: Signals

    /// Sends `PropertiesChanged`. Does not change the objects in replies to `GetManagedObjects`.
    func change(_ path: String, _ interface: String, _ properties: [String: Value], invalidating: [String] = []) {
        signal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged") { (body) throws(DBusError) in
            try body.string(interface)
            try body.properties(properties)
            try body.value(.strings(invalidating))
        }
    }

    /// Sends `InterfacesAdded` for each object.
    func add(_ objects: Objects) {
        for (path, interfaces) in objects.sorted(by: { $0.key < $1.key }) {
            signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded") { (body) throws(DBusError) in
                try body.objectPath(ObjectPath(path) ?? .root)
                try body.value(Self.value(interfaces))
            }
        }
    }

    /// Sends `InterfacesRemoved` for interfaces of an object.
    func remove(_ path: String, _ interfaces: String...) {
        signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") { (body) throws(DBusError) in
            try body.objectPath(ObjectPath(path) ?? .root)
            try body.value(.strings(interfaces))
        }
    }

    /// Sends a signal, which can be invalid.
    func signal(
        _ path: String, _ interface: String, _ member: String,
        _ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) {
        do {
            let path = try #require(ObjectPath(path))
            let signal = try Message.signal(path: path, interface: interface, member: member, body)
            state.withLock { $0.connection }?.send(signal)
        } catch {
            Issue.record(error)
        }
    }

    /// Replaces the objects in the reply to `GetManagedObjects`. The value can be invalid.
    func tell(_ objects: Value) { state.withLock { $0.objects = objects } }

    /// Calls the agent that was registered last, and returns its reply.
    ///
    /// - Parameter other: The connection that calls; nil for this daemon's own one.
    func ask(_ member: String, _ arguments: Value..., from other: (any Bus)? = nil) -> AgentReply {
        let reply = AgentReply()
        let (connection, owner) = state.withLock { ($0.connection, $0.agentOwner) }
        guard let bus = other ?? connection, let owner,
            let message = try? Message.call(
                to: owner, path: "/rxbluetooth/agent", interface: "org.bluez.Agent1", member: member,
                { (body) throws(DBusError) in
                    for argument in arguments { try body.value(argument) }
                })
        else {
            Issue.record("No agent is registered.")
            return reply
        }
        bus.call(message, timeout: .seconds(60)) { result in
            switch result {
            case .success(let message):
                let values = try? message.read { (body) throws(DBusError) in try body.values() }
                reply.settle("ok" + (values ?? []).map { " \($0)" }.joined())
            case .failure(let error): reply.settle(error.name)
            }
        }
        return reply
    }

    /// The reply of an agent: “ok” with its values, or the name of an error; nil until it arrives.
    final class AgentReply: Sendable {
        private let line = Guarded<String?>(nil)
        var text: String? { line.withLock { $0 } }

        func settle(_ text: String) { line.withLock { $0 = text } }
    }

    /// Keeps calls of `RegisterAgent` pending until the test replies, as other calls.
    func holdAgents() { state.withLock { $0.automaticReplies["RegisterAgent"] = nil } }

    /// Keeps calls of `GetManagedObjects` pending until the test replies, as other calls.
    func holdSnapshot() { state.withLock { $0.holdsSnapshot = true } }

    static func value(_ objects: Objects) -> Value {
        .dictionary(
            key: "o", value: "a{sa{sv}}",
            objects.sorted { $0.key < $1.key }.map {
                Value.Entry(.objectPath(ObjectPath($0.key) ?? .root), value($0.value))
            })
    }

    static func value(_ interfaces: [String: [String: Value]]) -> Value {
        .dictionary(
            key: "s", value: "a{sv}",
            interfaces.sorted { $0.key < $1.key }.map { Value.Entry(.string($0.key), .properties($0.value)) })
    }
}
