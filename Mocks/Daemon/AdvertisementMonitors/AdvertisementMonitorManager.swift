import DBus

/// The monitors of an adapter, `org.bluez.AdvertisementMonitorManager1`.
///
/// Source: BlueZ 5.66, src/adv_monitor.c.
final class AdvertisementMonitorManager {
    private unowned let adapter: DaemonAdapter
    private var applications: [MonitorRegistration] = []

    /// A client's application: a path, and the monitor objects below it.
    private final class MonitorRegistration {
        let client: String
        let path: ObjectPath
        var monitors: [AdvertisementMonitor] = []
        var token: ClientDepartureHandler?
        var signals: [BusTask] = []

        init(_ client: String, _ path: ObjectPath) {
            self.client = client
            self.path = path
        }
    }

    init(of adapter: DaemonAdapter) { self.adapter = adapter }

    private var loop: DaemonLoop { adapter.loop }

    /// Whether any monitor exists. While one exists, the radio listens even without a scan.
    var isListening: Bool { applications.contains { !$0.monitors.isEmpty } }

    static let table = InterfaceTable<AdvertisementMonitorManager>(
        name: "org.bluez.AdvertisementMonitorManager1",
        properties: [
            PropertyRow("SupportedMonitorTypes", "as") { _ in .strings(["or_patterns"]) },
            // The list is empty: only controllers that match patterns in hardware have "controller-patterns".
            PropertyRow("SupportedFeatures", "as") { _ in .strings([]) },
        ],
        methods: [
            MethodRow("RegisterMonitor", in: [ArgumentRow("application", "o")]) { (monitors, call) throws(DBusError) in
                try monitors.register(call)
            },
            MethodRow("UnregisterMonitor", in: [ArgumentRow("application", "o")]) {
                (monitors, call) throws(DBusError) in
                guard let application = try monitors.called(call) else { throw BlueZError.doesNotExist }
                monitors.remove(application, releasing: true)
                monitors.loop.tree.reply(call)
            },
        ])

    private func called(_ call: IncomingCall) throws(DBusError) -> MonitorRegistration? {
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        return applications.first { $0.client == call.message.sender && $0.path == path }
    }

    /// Handles `RegisterMonitor`: reads the application's objects before it replies.
    ///
    /// If the application does not return its objects, the call is never answered.
    private func register(_ call: IncomingCall) throws(DBusError) {
        if try called(call) != nil { throw BlueZError.alreadyExists }
        let client = call.message.sender ?? ""
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        let application = MonitorRegistration(client, path)
        applications.append(application)
        application.token = loop.watch(client) { [weak self, weak application] in
            guard let self, let application else { return }
            application.token = nil
            remove(application, releasing: false)
        }
        follow(application)
        loop.call(
            client, path, ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"), [], timeout: .seconds(25)
        ) { [weak self, weak application] result in
            guard let self, let application, case .success(let reply) = result,
                case .dictionary(_, _, let objects)? = try? reply.read({ (body) throws(DBusError) in try body.value() })
            else { return }
            for object in objects { add(object.key, object.value, to: application) }
            loop.tree.reply(call)
        }
    }

    private func follow(_ application: MonitorRegistration) {
        for member in ["InterfacesAdded", "InterfacesRemoved"] {
            let rule = MatchRule(
                sender: application.client, interface: "org.freedesktop.DBus.ObjectManager", member: member,
                path: application.path)
            let transfer = BusContextTransfer { [weak self, weak application] (signal: Message) in
                guard let self, let application else { return }
                loop.run { self.changed(application, member, signal) }
            }
            application.signals.append(loop.bus.subscribe(rule) { transfer.content($0) })
        }
    }

    private func changed(_ application: MonitorRegistration, _ member: String, _ signal: Message) {
        let values = (try? signal.read { (body) throws(DBusError) in try body.values() }) ?? []
        guard values.count == 2, case .objectPath(let path) = values[0] else { return }
        if member == "InterfacesAdded" { return add(values[0], values[1], to: application) }
        for monitor in application.monitors where monitor.path == path { monitor.end() }
        application.monitors.removeAll { $0.path == path }
        listeningChanged()
    }

    private func add(_ path: Value, _ interfaces: Value, to application: MonitorRegistration) {
        guard case .objectPath(let path) = path, case .dictionary(_, _, let interfaces) = interfaces,
            let mine = interfaces.first(where: { $0.key == .string("org.bluez.AdvertisementMonitor1") }),
            case .dictionary(_, _, let properties) = mine.value,
            path == application.path || path.isBelow(application.path),
            !application.monitors.contains(where: { $0.path == path })
        else { return }
        guard let monitor = AdvertisementMonitor(path, of: application.client, properties, loop) else {
            return loop.callWithoutReply(application.client, path, ("org.bluez.AdvertisementMonitor1", "Release"), [])
        }
        application.monitors.append(monitor)
        listeningChanged()
        // `Activate` is called after a delay, because bluetoothd first registers the monitor with the kernel.
        loop.after(DaemonTimeLimits.startDiscovery) { [weak application, weak monitor] in
            guard let monitor, application?.monitors.contains(where: { $0 === monitor }) == true else { return }
            monitor.activate()
        }
    }

    private func remove(_ application: MonitorRegistration, releasing: Bool) {
        applications.removeAll { $0 === application }
        loop.forget(application.token)
        for task in application.signals { task.cancel() }
        for monitor in application.monitors {
            if releasing { monitor.callMonitor("Release") }
            monitor.end()
        }
        listeningChanged()
    }

    /// Makes the radio listen while a monitor or a scan exists, and stop otherwise.
    func listeningChanged() {
        if isListening, adapter.isPowered {
            adapter.radio.startListening(adapter)
        } else if !adapter.discovery.isReceiving {
            adapter.radio.stopListening(adapter)
        }
    }

    func forget(_ device: DaemonDevice) {
        for monitor in applications.flatMap(\.monitors) { monitor.forget(device.path) }
    }

    /// Returns the monitors that match a packet.
    func matching(_ report: AdvertisingReport) -> [AdvertisementMonitor] {
        let fields = report.fields
        return applications.flatMap(\.monitors).filter { $0.matches(fields) }
    }

    func end() {
        for application in applications { remove(application, releasing: false) }
    }
}
