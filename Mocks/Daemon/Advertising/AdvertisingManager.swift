import DBus

/// The advertisements that clients registered with an adapter, `org.bluez.LEAdvertisingManager1`.
/// Nothing is sent, because no central is simulated. Source: BlueZ 5.66, src/advertising.c.
final class AdvertisingManager {
    private unowned let adapter: DaemonAdapter
    private var all: [AdvertisementRegistration] = []
    private var object: ServedObject?
    private var interface: TypedInterface<AdvertisingManager>?
    /// How many advertisements an adapter accepts: the number of advertising instances of most controllers.
    private static let slots = 5

    private final class AdvertisementRegistration {
        let client: String
        let path: ObjectPath
        var isActive = false
        var token: ClientDepartureHandler?
        var timeout: BusTask?

        init(_ client: String, _ path: ObjectPath) {
            self.client = client
            self.path = path
        }
    }

    init(of adapter: DaemonAdapter) { self.adapter = adapter }

    private var active: Int { all.count(where: \.isActive) }

    static let table = InterfaceTable<AdvertisingManager>(
        name: "org.bluez.LEAdvertisingManager1",
        properties: [
            PropertyRow("ActiveInstances", "y") { .byte(UInt8($0.active)) },
            PropertyRow("SupportedInstances", "y") { .byte(UInt8(slots - $0.active)) },
            PropertyRow("SupportedIncludes", "as") { _ in .strings(RegisteredAdvertisement.includable) },
            // The property is absent, because only controllers with extended advertising have it.
            PropertyRow("SupportedSecondaryChannels", "as") { _ in nil },
            PropertyRow("SupportedFeatures", "as") { _ in .strings([]) },
            PropertyRow("SupportedCapabilities", "a{sv}") { _ in
                .dictionary(
                    key: "s", value: "v",
                    [
                        Value.Entry(.string("MinTxPower"), .variant(.int16(0))),
                        Value.Entry(.string("MaxTxPower"), .variant(.int16(0))),
                        Value.Entry(.string("MaxAdvLen"), .variant(.byte(31))),
                        Value.Entry(.string("MaxScnRspLen"), .variant(.byte(31))),
                    ])
            },
        ],
        methods: [
            MethodRow(
                "RegisterAdvertisement", in: [ArgumentRow("advertisement", "o"), ArgumentRow("options", "a{sv}")]
            ) { (advertisements, call) throws(DBusError) in try advertisements.register(call) },
            MethodRow("UnregisterAdvertisement", in: [ArgumentRow("service", "o")]) {
                (advertisements, call) throws(DBusError) in
                guard let known = try advertisements.called(call) else { throw BlueZError.doesNotExist }
                advertisements.remove(known)
                advertisements.adapter.tree.reply(call)
            },
        ])

    func appear(on object: ServedObject) {
        let interface = TypedInterface(Self.table, of: self)
        self.interface = interface
        self.object = object
        adapter.tree.add(interface, to: object)
    }

    private func called(_ call: IncomingCall) throws(DBusError) -> AdvertisementRegistration? {
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        return all.first { $0.client == call.message.sender && $0.path == path }
    }

    /// Handles `RegisterAdvertisement`: reads the advertisement's properties before it replies.
    ///
    /// It calls `GetManagedObjects` first, and `GetAll` if the reply does not contain the advertisement.
    private func register(_ call: IncomingCall) throws(DBusError) {
        if try called(call) != nil { throw BlueZError.alreadyExists }
        guard all.count < Self.slots else { throw BlueZError.notPermitted("Maximum advertisements reached") }
        let client = call.message.sender ?? ""
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        let new = AdvertisementRegistration(client, path)
        all.append(new)
        new.token = adapter.loop.watch(client) { [weak self, weak new] in
            guard let self, let new else { return }
            new.token = nil
            remove(new)
        }
        ask(new, ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"), []) { [weak self, weak new] reply in
            let objects = reply.map(RegisteredApplication.RegisteredObject.all) ?? []
            let object = objects.first { $0.path == path && $0.interface == Self.interfaceName }
            guard let self, let new else { return }
            if let object { return take(object.properties, of: new, call) }
            // If `GetAll` also fails, the properties count as empty, as in bluetoothd.
            ask(new, ("org.freedesktop.DBus.Properties", "GetAll"), [.string(Self.interfaceName)]) {
                [weak self, weak new] reply in
                let value = try? reply?.read { (body) throws(DBusError) in try body.value() }
                guard let self, let new else { return }
                take(value?.properties ?? [:], of: new, call)
            }
        }
    }

    private static let interfaceName = "org.bluez.LEAdvertisement1"

    /// Calls a method of the client's advertisement and passes the reply to `answered`; nil for an error.
    ///
    /// It does not call `answered` if the registration ended before the reply.
    private func ask(
        _ new: AdvertisementRegistration, _ method: (interface: String, member: String), _ arguments: [Value],
        _ answered: @escaping (Message?) -> Void
    ) {
        adapter.loop.call(new.client, new.path, method, arguments, timeout: .seconds(25)) { [weak self, weak new] in
            guard let self, let new, all.contains(where: { $0 === new }) else { return }
            answered(try? $0.get())
        }
    }

    /// Validates and activates an advertisement, then answers the call.
    private func take(_ properties: [String: Value], of new: AdvertisementRegistration, _ call: IncomingCall) {
        guard let read = RegisteredAdvertisement(properties) else {
            remove(new)
            return adapter.tree.fail(call, BlueZError.failed("Failed to parse advertisement."))
        }
        limit(new, read.timeout)
        // If `Includes` contains the appearance, the kernel rejects the data, because BlueZ writes that field twice.
        guard adapter.isPowered, !read.includes.contains("appearance"), read.byteCount <= room(for: read) else {
            remove(new)
            return adapter.tree.fail(call, BlueZError.failed("Failed to register advertisement"))
        }
        new.isActive = true
        countChanged()
        adapter.tree.reply(call)
    }

    /// Returns how many of the 31 bytes are left for the client's fields.
    private func room(for read: RegisteredAdvertisement) -> Int {
        let hasPower = read.includes.contains("tx-power")
        let hasKernelFlags = read.isPeripheral && adapter.isDiscoverable && !read.hasFlags
        return RegisteredAdvertisement.mostBytes - (hasPower ? 3 : 0) - (hasKernelFlags ? 3 : 0)
    }

    /// Starts a timer that releases the advertisement after its timeout (Q114); 0 for no timeout.
    private func limit(_ known: AdvertisementRegistration, _ seconds: UInt16) {
        guard seconds > 0 else { return }
        known.timeout = adapter.loop.after(.seconds(Int(seconds))) { [weak self, weak known] in
            guard let self, let known else { return }
            release(known)
            remove(known)
        }
    }

    private func release(_ known: AdvertisementRegistration) {
        adapter.loop.callWithoutReply(known.client, known.path, ("org.bluez.LEAdvertisement1", "Release"), [])
    }

    private func remove(_ known: AdvertisementRegistration) {
        known.timeout?.cancel()
        all.removeAll { $0 === known }
        adapter.loop.forget(known.token)
        if known.isActive { countChanged() }
    }

    private func countChanged() {
        guard let object, let interface else { return }
        adapter.tree.changed(interface, of: object, "SupportedInstances")
        adapter.tree.changed(interface, of: object, "ActiveInstances")
    }

    func end() {
        for known in all {
            known.timeout?.cancel()
            adapter.loop.forget(known.token)
            release(known)
        }
        all = []
        (object, interface) = (nil, nil)
    }
}
