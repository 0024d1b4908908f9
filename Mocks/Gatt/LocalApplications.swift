import DBus

/// What clients serve to centrals, `org.bluez.GattManager1`: who has registered which application. Nobody reads it, for no
/// central is simulated. Source: BlueZ 5.66, src/gatt-database.c.
final class LocalApplications {
    private unowned let adapter: Adapter
    private var all: [Application] = []

    private final class Application {
        let client: String
        let path: ObjectPath
        var token: ClientToken?

        init(_ client: String, _ path: ObjectPath) {
            self.client = client
            self.path = path
        }
    }

    init(of adapter: Adapter) { self.adapter = adapter }

    static let table = InterfaceTable<LocalApplications>(
        name: "org.bluez.GattManager1",
        methods: [
            MethodRow("RegisterApplication", in: [Argument("application", "o"), Argument("options", "a{sv}")]) {
                (applications, call) throws(DBusError) in try applications.register(call)
            },
            MethodRow("UnregisterApplication", in: [Argument("application", "o")]) {
                (applications, call) throws(DBusError) in
                guard let known = try applications.called(call) else { throw BlueZError.doesNotExist }
                applications.remove(known)
                applications.adapter.tree.reply(call)
            },
        ])

    private func called(_ call: IncomingCall) throws(DBusError) -> Application? {
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        return all.first { $0.client == call.message.sender && $0.path == path }
    }

    /// Asks the client for its objects while its call waits (Q25). One that does not answer is not answered either; one that
    /// has none at its root is refused (Q116).
    private func register(_ call: IncomingCall) throws(DBusError) {
        if try called(call) != nil { throw BlueZError.alreadyExists }
        let client = call.message.sender ?? ""
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        let new = Application(client, path)
        all.append(new)
        new.token = adapter.turns.watch(client) { [weak self, weak new] in
            guard let self, let new else { return }
            new.token = nil
            remove(new)
        }
        adapter.turns.call(
            client, path, ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"), [], timeout: .seconds(25)
        ) { [weak self, weak new] result in
            guard let self, let new, all.contains(where: { $0 === new }), case .success(let reply) = result,
                case .dictionary(_, _, let objects)? = try? reply.read({ (body) throws(DBusError) in try body.value() })
            else { return }
            guard let refusal = Self.refusal(objects) else { return adapter.tree.reply(call) }
            remove(new)
            adapter.tree.fail(call, BlueZError.failed(refusal))
        }
    }

    private static func refusal(_ objects: [Value.Entry]) -> String? {
        if objects.isEmpty { return "No object received" }
        return objects.contains { isService($0.value) } ? nil : "No valid service object found"
    }

    /// Whether an object is a service, which has a UUID.
    private static func isService(_ object: Value) -> Bool {
        guard case .dictionary(_, _, let interfaces) = object,
            case .dictionary(_, _, let properties)? = interfaces.first(where: {
                $0.key == .string("org.bluez.GattService1")
            })?.value,
            case .variant(.string(let uuid))? = properties.first(where: { $0.key == .string("UUID") })?.value
        else { return false }
        return FullUUID.text(uuid) != nil
    }

    private func remove(_ known: Application) {
        all.removeAll { $0 === known }
        adapter.turns.forget(known.token)
    }

    func end() {
        for known in all { adapter.turns.forget(known.token) }
        all = []
    }
}
