import DBus

/// The monitors of an adapter, `org.bluez.AdvertisementMonitorManager1`. Source: BlueZ 5.66, src/adv_monitor.c.
final class AdvertisementMonitors {
    private unowned let adapter: Adapter
    private var applications: [Application] = []

    /// A client's application: a path with monitors below it, which come and go as its objects do.
    private final class Application {
        let client: String
        let path: ObjectPath
        var monitors: [AdvertisementMonitor] = []
        var token: ClientToken?
        var signals: [BusTask] = []

        init(_ client: String, _ path: ObjectPath) {
            self.client = client
            self.path = path
        }
    }

    init(of adapter: Adapter) { self.adapter = adapter }

    private var turns: Turns { adapter.turns }

    /// Whether anything is looked for, so that the radio listens without a scan.
    var isListening: Bool { applications.contains { !$0.monitors.isEmpty } }

    static let table = InterfaceTable<AdvertisementMonitors>(
        name: "org.bluez.AdvertisementMonitorManager1",
        properties: [
            PropertyRow("SupportedMonitorTypes", "as") { _ in .strings(["or_patterns"]) },
            // A controller that compares patterns itself would have "controller-patterns" here.
            PropertyRow("SupportedFeatures", "as") { _ in .strings([]) },
        ],
        methods: [
            MethodRow("RegisterMonitor", in: [Argument("application", "o")]) { (monitors, call) throws(DBusError) in
                try monitors.register(call)
            },
            MethodRow("UnregisterMonitor", in: [Argument("application", "o")]) { (monitors, call) throws(DBusError) in
                guard let application = try monitors.called(call) else { throw BlueZError.doesNotExist }
                monitors.remove(application, releasing: true)
                monitors.turns.tree.reply(call)
            },
        ])

    private func called(_ call: IncomingCall) throws(DBusError) -> Application? {
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        return applications.first { $0.client == call.message.sender && $0.path == path }
    }

    /// Asks the application for its objects. One that does not answer is not answered either.
    private func register(_ call: IncomingCall) throws(DBusError) {
        if try called(call) != nil { throw BlueZError.alreadyExists }
        let client = call.message.sender ?? ""
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        let application = Application(client, path)
        applications.append(application)
        application.token = turns.watch(client) { [weak self, weak application] in
            guard let self, let application else { return }
            application.token = nil
            remove(application, releasing: false)
        }
        follow(application)
        turns.call(
            client, path, ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"), [], timeout: .seconds(25)
        ) { [weak self, weak application] result in
            guard let self, let application, case .success(let reply) = result,
                case .dictionary(_, _, let objects)? = try? reply.read({ (body) throws(DBusError) in try body.value() })
            else { return }
            for object in objects { add(object.key, object.value, to: application) }
            turns.tree.reply(call)
        }
    }

    private func follow(_ application: Application) {
        for member in ["InterfacesAdded", "InterfacesRemoved"] {
            let rule = MatchRule(
                sender: application.client, interface: "org.freedesktop.DBus.ObjectManager", member: member,
                path: application.path)
            let parcel = Parcel { [weak self, weak application] (signal: Message) in
                guard let self, let application else { return }
                turns.run { self.changed(application, member, signal) }
            }
            application.signals.append(turns.bus.subscribe(rule) { parcel.content($0) })
        }
    }

    private func changed(_ application: Application, _ member: String, _ signal: Message) {
        let values = (try? signal.read { (body) throws(DBusError) in try body.values() }) ?? []
        guard values.count == 2, case .objectPath(let path) = values[0] else { return }
        if member == "InterfacesAdded" { return add(values[0], values[1], to: application) }
        for monitor in application.monitors where monitor.path == path { monitor.end() }
        application.monitors.removeAll { $0.path == path }
        listeningChanged()
    }

    private func add(_ path: Value, _ interfaces: Value, to application: Application) {
        guard case .objectPath(let path) = path, case .dictionary(_, _, let interfaces) = interfaces,
            let mine = interfaces.first(where: { $0.key == .string("org.bluez.AdvertisementMonitor1") }),
            case .dictionary(_, _, let properties) = mine.value,
            path == application.path || path.isBelow(application.path),
            !application.monitors.contains(where: { $0.path == path })
        else { return }
        guard let monitor = AdvertisementMonitor(path, of: application.client, properties, turns) else {
            return turns.tell(application.client, path, ("org.bluez.AdvertisementMonitor1", "Release"), [])
        }
        application.monitors.append(monitor)
        listeningChanged()
        // The kernel is told first.
        turns.after(Timing.startDiscovery) { [weak application, weak monitor] in
            guard let monitor, application?.monitors.contains(where: { $0 === monitor }) == true else { return }
            monitor.activate()
        }
    }

    private func remove(_ application: Application, releasing: Bool) {
        applications.removeAll { $0 === application }
        turns.forget(application.token)
        for task in application.signals { task.cancel() }
        for monitor in application.monitors {
            if releasing { monitor.tell("Release") }
            monitor.end()
        }
        listeningChanged()
    }

    /// Listens while anybody wants it, a scan or a monitor.
    func listeningChanged() {
        if isListening, adapter.isPowered {
            adapter.air.startListening(adapter)
        } else if !adapter.discovery.isReceiving {
            adapter.air.stopListening(adapter)
        }
    }

    func forget(_ device: Device) {
        for monitor in applications.flatMap(\.monitors) { monitor.forget(device.path) }
    }

    /// The monitors that a packet matches.
    func matching(_ report: Report) -> [AdvertisementMonitor] {
        let fields = report.fields
        return applications.flatMap(\.monitors).filter { $0.matches(fields) }
    }

    func end() {
        for application in applications { remove(application, releasing: false) }
    }
}
