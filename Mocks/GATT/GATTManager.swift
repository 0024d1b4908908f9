import DBus

/// The GATT applications that clients registered, `org.bluez.GattManager1`.
/// Source: BlueZ 5.66, src/gatt-database.c.
final class GATTManager {
    private unowned let adapter: DaemonAdapter
    private var all: [ApplicationRegistration] = []
    private let database = LocalGATTDatabase()
    /// The UUIDs of registered services that bluetoothd does not have itself, without duplicates.
    private(set) var uuids: [String] = []
    private var isKernelAsked = false
    private var centrals: [CentralLink] = []

    private final class ApplicationRegistration {
        let client: String
        let path: ObjectPath
        var token: ClientDepartureHandler?
        var services: [LocalGATTDatabase.ServiceEntry] = []
        var attributes: [PublishedAttribute] = []
        /// Receives the client's changed values.
        var values: BusTask?

        init(_ client: String, _ path: ObjectPath) {
            self.client = client
            self.path = path
        }
    }

    init(of adapter: DaemonAdapter) { self.adapter = adapter }

    static let table = InterfaceTable<GATTManager>(
        name: "org.bluez.GattManager1",
        methods: [
            MethodRow("RegisterApplication", in: [ArgumentRow("application", "o"), ArgumentRow("options", "a{sv}")]) {
                (applications, call) throws(DBusError) in try applications.register(call)
            },
            MethodRow("UnregisterApplication", in: [ArgumentRow("application", "o")]) {
                (applications, call) throws(DBusError) in
                guard let known = try applications.called(call) else { throw BlueZError.doesNotExist }
                applications.remove(known)
                applications.adapter.tree.reply(call)
            },
        ])

    private func called(_ call: IncomingCall) throws(DBusError) -> ApplicationRegistration? {
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        return all.first { $0.client == call.message.sender && $0.path == path }
    }

    /// Handles `RegisterApplication`: reads the client's objects before it replies (Q25).
    ///
    /// If the client does not return its objects in time, the application has no objects and is rejected (Q116).
    private func register(_ call: IncomingCall) throws(DBusError) {
        if try called(call) != nil { throw BlueZError.alreadyExists }
        let client = call.message.sender ?? ""
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        let new = ApplicationRegistration(client, path)
        all.append(new)
        new.token = adapter.loop.watch(client) { [weak self, weak new] in
            guard let self, let new else { return }
            new.token = nil
            remove(new)
        }
        adapter.loop.call(
            client, path, ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"), [], timeout: .seconds(25)
        ) { [weak self, weak new] result in
            guard let self, let new, all.contains(where: { $0 === new }) else { return }
            let objects = (try? result.get()).map(RegisteredApplication.RegisteredObject.all) ?? []
            do throws(DBusError) {
                try take(RegisteredApplication(objects), of: new)
                adapter.tree.reply(call)
            } catch {
                adapter.tree.fail(call, error)
                remove(new)
            }
        }
    }

    /// Adds the services to the database and writes their handles back to the client (database_add_app).
    private func take(_ application: RegisteredApplication, of new: ApplicationRegistration) throws(DBusError) {
        var earlier: [ObjectPath: LocalGATTDatabase.ServiceEntry] = [:]
        for service in application.services {
            let entry = database.add(service, earlier) { [adapter] object, handle in
                adapter.loop.call(
                    new.client, object.path, ("org.freedesktop.DBus.Properties", "Set"),
                    [.string(object.interface), .string("Handle"), .variant(.uint16(handle))], timeout: .seconds(25)
                ) { _ in }
            }
            guard let entry else { throw BlueZError.failed("Failed to create entry in database") }
            earlier[service.object.path] = entry
            new.services.append(entry)
            let isNew = !adapter.ownUUIDs.contains(entry.uuid) && !uuids.contains(entry.uuid)
            if isNew { uuids.append(entry.uuid) }
            uuidsChanged(isNew)
        }
        new.attributes = application.attributes(of: new.client)
        observeValues(of: new)
    }

    /// Marks `UUIDs` as changed after a service was added or removed (services_modified in src/adapter.c).
    ///
    /// If its UUID is new or gone, a second change follows after the kernel's reply (add_uuid_complete).
    private func uuidsChanged(_ isKernelTold: Bool) {
        adapter.changed("UUIDs")
        guard isKernelTold, !isKernelAsked else { return }
        isKernelAsked = true
        adapter.loop.after(DaemonTimeLimits.kernelUUID) { [weak self] in
            self?.isKernelAsked = false
            self?.adapter.changed("UUIDs")
        }
    }

    private func remove(_ known: ApplicationRegistration) {
        all.removeAll { $0 === known }
        adapter.loop.forget(known.token)
        known.values?.cancel()
        for entry in known.services {
            database.remove(entry)
            let isLast = uuids.contains(entry.uuid) && !database.has(entry.uuid)
            if isLast { uuids.removeAll { $0 == entry.uuid } }
            uuidsChanged(isLast)
        }
        known.services = []
    }

    func end() {
        for known in all {
            adapter.loop.forget(known.token)
            known.values?.cancel()
        }
        all = []
        for central in centrals { central.end() }
    }

    // MARK: Centrals

    var attributes: [PublishedAttribute] { all.flatMap(\.attributes) }

    /// Returns whether the application of an attribute is still registered.
    func contains(_ attribute: PublishedAttribute) -> Bool { attributes.contains { $0 === attribute } }

    /// Returns the first attribute with these UUIDs. If several have them, `index` selects one, from 0.
    func attribute(_ characteristic: String, _ descriptor: String?, index: Int) -> PublishedAttribute? {
        let uuid = FullUUID.described(characteristic)
        let other = descriptor.map(FullUUID.described)
        return attributes.filter { $0.characteristic == uuid && $0.descriptor == other }.dropFirst(index).first
    }

    func add(_ central: CentralLink) { centrals.append(central) }

    func remove(_ central: CentralLink) { centrals.removeAll { $0 === central } }

    /// Passes the changed values of an application on to the centrals (property_changed_cb).
    private func observeValues(of application: ApplicationRegistration) {
        let rule = MatchRule(
            sender: application.client, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
        let transfer = BusContextTransfer { [weak self, weak application] (signal: Message) in
            guard let self, let application else { return }
            adapter.loop.run {
                let attribute = application.attributes.first { $0.path == signal.path && $0.descriptor == nil }
                guard let attribute, let value = Self.changedValue(signal) else { return }
                for central in centrals { central.valueChanged(value, of: attribute) }
            }
        }
        application.values = adapter.loop.bus.subscribe(rule) { transfer.content($0) }
    }

    private static func changedValue(_ signal: Message) -> [UInt8]? {
        let values = try? signal.read { (body) throws(DBusError) in try body.values() }
        guard let values, values.count == 3, case .bytes(let value)? = values[1].properties["Value"] else { return nil }
        return value
    }
}
