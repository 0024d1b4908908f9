import DBus

/// Services that are registered with bluetoothd.
///
/// bluetoothd reads their objects when it registers them, and passes the requests of centrals on to the objects.
final class PublishedApplication {
    unowned let client: BlueZClient
    let services: [LocalService]
    let objects: LocalObjects
    let emitter: Emitter<PublishedServices>
    private let path: ObjectPath
    /// The adapter that the user selected.
    let selection: AdapterSelection
    let adapter: UInt16
    private var export: BusTask?
    private var phase = Phase.starting

    /// The requests without an answer, in the order of their arrival.
    var open: [Open] = []
    /// The number of requests that were dropped because too many waited.
    var droppedCount = 0
    var longReads = LongReads()
    let handled = EmitterList<OpenRequest>()
    let reads = EmitterList<ATTRequest>()
    let writes = EmitterList<ATTRequest>()
    let subscriptions = EmitterList<LocalSubscription>()
    let unsubscriptions = EmitterList<LocalSubscription>()
    private(set) var notifiers: [LocalAttribute: UpdateSender] = [:]

    private enum Phase {
        case starting, active, ended
    }

    init(
        _ services: [LocalService], _ selection: AdapterSelection, on adapter: UInt16, number: Int,
        of client: BlueZClient, _ emitter: Emitter<PublishedServices>
    ) throws(BluetoothError) {
        let path = ObjectPath("/rxbluetooth/application\(number)") ?? .root
        objects = try LocalObjects(services, at: path)
        self.services = services
        self.selection = selection
        self.adapter = adapter
        self.client = client
        self.emitter = emitter
        self.path = path
        for attribute in objects.characteristics {
            let characteristic = services[attribute.serviceIndex].characteristics[attribute.characteristicIndex]
            guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]), let path = objects.paths[attribute]
            else { continue }
            notifiers[attribute] = UpdateSender(characteristic, attribute, at: path, of: self)
        }
    }

    var isActive: Bool { phase == .active }

    func start() {
        // The objects are exported before the registration, because bluetoothd reads them before it replies (Q25).
        export = client.export(self, at: path, includingChildren: true, gone: Self.gone) { $0.handle($1) }
        emitter.onEnd { [self] in stop() }
        client.call(
            .registerApplication(path, on: adapter), deadline: client.settings.deadlines.operation
        ) { [self] in registered($0) }
    }

    private static let gone = DBusError(
        name: DBusError.Name.unknownObject, message: "The services are not published any more")

    private func handle(_ call: IncomingCall) {
        // Every program on the bus can call the objects, but only calls from bluetoothd are accepted (Q17).
        guard let owner = client.owner, call.message.sender == owner else {
            return call.fail(
                DBusError(name: DBusError.Name.accessDenied, message: "Only bluetoothd may use these services"))
        }
        let path = call.message.path
        if path == self.path, call.message.member == "GetManagedObjects" {
            return call.reply { [objects] (body) throws(DBusError) in try body.value(objects.value) }
        }
        guard let path, let attribute = objects.attributes[path] else {
            return call.fail(DBusError(name: DBusError.Name.unknownObject, message: "There is no such attribute"))
        }
        switch call.message.member {
        case "ReadValue": received(call, isRead: true, attribute)
        case "WriteValue": received(call, isRead: false, attribute)
        case "StartNotify":
            call.reply()
            subscribed(attribute)
        case "StopNotify":
            call.reply()
            unsubscribed(attribute)
        case "Confirm":
            call.reply()
            notifiers[attribute]?.confirmed()
        case "GetAll":
            let properties = objects.all.first { $0.path == path }?.properties ?? [:]
            call.reply { (body) throws(DBusError) in try body.properties(properties) }
        default:
            call.fail(DBusError(name: DBusError.Name.unknownMethod, message: "No such method of an attribute"))
        }
    }

    private func registered(_ result: Result<Message, DBusError>) {
        guard phase == .starting else { return }
        switch result {
        case .success:
            phase = .active
            if let access = client.access {
                emitter.next(PublishedServices(access, client.bus.confined(self)))
            }
        case .failure(let error):
            let failure = BluetoothError(error, operation: .publish, target: nil)
            // A registration that timed out may take effect later (Q8), so the end of the stream unregisters it.
            if failure.kind != .timedOut { finish() }
            emitter.fail(failure)
        }
    }

    /// Ends the services with an error. They are unregistered if the adapter still exists.
    func end(_ error: BluetoothError) {
        if client.mirror.isSynced, client.mirror.adapters[adapter] != nil { stop() } else { finish() }
        emitter.fail(error.during(.publish, nil))
    }

    private func finish() {
        phase = .ended
        client.publishing.remove(self)
        endRequests()
        for notifier in notifiers.values { notifier.end() }
        notifiers = [:]
        for emitter in handled.removeAll() { emitter.complete() }
        for emitter in reads.removeAll() + writes.removeAll() { emitter.complete() }
        for emitter in subscriptions.removeAll() + unsubscriptions.removeAll() { emitter.complete() }
        export?.cancel()
        export = nil
    }

    /// Unregisters the services.
    func stop() {
        guard phase != .ended else { return }
        finish()
        client.teardowns.begin()
        client.call(.unregisterApplication(path, on: adapter), deadline: client.settings.deadlines.cleanup) {
            [teardowns = client.teardowns] _ in
            teardowns.end()
        }
    }

    // MARK: Subscribers

    // bluetoothd calls StartNotify for each central that subscribes, without naming it, and StopNotify only when the
    // last one has unsubscribed (Q115).
    private func subscribed(_ attribute: LocalAttribute) {
        guard let notifier = notifiers[attribute] else { return }
        notifier.handle(.subscribed)
        subscriptions.next(LocalSubscription(attribute))
    }

    private func unsubscribed(_ attribute: LocalAttribute) {
        guard let notifier = notifiers[attribute], notifier.isSubscribed else { return }
        notifier.handle(.unsubscribed)
        unsubscriptions.next(LocalSubscription(attribute))
    }

    /// Returns the sender of the first characteristic with a UUID; nil if none can notify or indicate.
    func notifier(of characteristic: BluetoothUUID, _ service: BluetoothUUID?) -> UpdateSender? {
        objects.characteristics.lazy
            .filter { $0.characteristic == characteristic && (service == nil || $0.service == service) }
            .compactMap { self.notifiers[$0] }.first
    }
}

/// The published services of a manager.
final class PublishedApplications {
    private unowned let client: BlueZClient
    private var applications: [PublishedApplication] = []
    /// The number of registrations so far, for their object paths.
    private var count = 0

    init(_ client: BlueZClient) { self.client = client }

    func start(
        _ services: [LocalService], _ selection: AdapterSelection, _ emitter: Emitter<PublishedServices>
    ) throws(BluetoothError) {
        let adapter = try client.chooseAdapter(selection)
        let application = try PublishedApplication(
            services, selection, on: adapter, number: count + 1, of: client, emitter)
        count += 1
        applications.append(application)
        application.start()
    }

    func remove(_ application: PublishedApplication) { applications.removeAll { $0 === application } }

    /// Ends all published services.
    func fail(_ error: BluetoothError) {
        for application in applications { application.end(error) }
    }

    /// Ends the services on adapters that are gone, or that are no longer selected.
    ///
    /// Services on an adapter that is off stay registered, so that their handles stay the same.
    func adaptersChanged() {
        for application in applications {
            let error = client.obstacle(on: application.adapter)
            if let error, error.kind != .poweredOff, error.kind != .blocked {
                application.end(error)
            } else if client.adapter(for: application.selection) != application.adapter {
                application.end(BluetoothError(.noAdapter))
            }
        }
    }
}
