import DBus

/// One advertisement at bluetoothd, from asking for it until it is taken back. bluetoothd reads it from an object of ours.
final class AdvertisingSession {
    private unowned let client: BlueZClient
    private let advertisement: Advertisement
    private let emitter: Emitter<Void>
    private let path: ObjectPath
    /// With which adapter it was to be.
    let selection: AdapterSelection
    let adapter: UInt16
    private var export: BusTask?
    private var phase = Phase.starting

    private enum Phase {
        case starting, on, over
    }

    init(
        _ advertisement: Advertisement, _ selection: AdapterSelection, on adapter: UInt16, number: Int,
        of client: BlueZClient, _ emitter: Emitter<Void>
    ) {
        self.selection = selection
        self.advertisement = advertisement
        self.adapter = adapter
        self.client = client
        self.emitter = emitter
        path = ObjectPath("/rxbluetooth/advertisement\(number)") ?? .root
    }

    func start() {
        // It must be there before bluetoothd is told of it, which asks for it before it answers (Q25).
        export = client.bus.export(at: path, includingChildren: false) { [weak self] call in
            if let self { handle(call) } else { call.fail(Self.gone) }
        }
        emitter.onEnd { [self] in stop() }
        client.call(
            .registerAdvertisement(path, on: adapter), deadline: client.settings.deadlines.operation
        ) { [self] in registered($0) }
    }

    private static let gone = DBusError(name: DBusError.Name.unknownObject, message: "It is not advertised any more")

    private func handle(_ call: IncomingCall) {
        // Everybody on the bus can call; only bluetoothd may (Q17).
        guard let owner = client.owner, call.message.sender == owner else {
            return call.fail(
                DBusError(name: DBusError.Name.accessDenied, message: "Only bluetoothd may ask for this advertisement"))
        }
        switch call.message.member {
        case "GetAll":
            call.reply { [advertisement] (body) throws(DBusError) in try body.properties(advertisement.properties) }
        case "Release":
            call.reply()
            guard phase != .over else { return }
            over()
            // Where bluetoothd ends, or the adapter goes, that is heard of next and is the reason (Q114): before the answer to
            // a question that is asked now.
            let path = adapterPath(adapter)
            client.readFlag("Powered", of: BlueZ.adapter, at: path) { [adapter, emitter, weak client] _ in
                let ended = BluetoothError(.bluez, detail: "bluetoothd has ended the advertisement")
                emitter.fail((client?.obstacle(on: adapter) ?? ended).during(.advertise, nil))
            }
        default: call.fail(DBusError(name: DBusError.Name.unknownMethod, message: "No such method of an advertisement"))
        }
    }

    private func registered(_ result: Result<Message, DBusError>) {
        guard phase == .starting else { return }
        switch result {
        case .success:
            phase = .on
            emitter.next(())
        case .failure(let error):
            let failure = BluetoothError(error, operation: .advertise, target: nil)
            // What was not answered may take effect later (Q8), and is taken back.
            if failure.kind != .timedOut { over() }
            emitter.fail(failure)
        }
    }

    /// It cannot go on. An adapter that is only switched off would advertise again later, so it is taken back there.
    func end(_ error: BluetoothError) {
        if client.mirror.isSynced, client.mirror.adapters[adapter] != nil { stop() } else { over() }
        emitter.fail(error.during(.advertise, nil))
    }

    private func over() {
        phase = .over
        export?.cancel()
        export = nil
        client.advertising.remove(self)
    }

    /// Nobody wants it any more.
    func stop() {
        guard phase != .over else { return }
        over()
        client.teardowns.begin()
        client.call(.unregisterAdvertisement(path, on: adapter), deadline: client.settings.deadlines.cleanup) {
            [teardowns = client.teardowns] _ in
            teardowns.end()
        }
    }
}

/// The advertisements of a manager.
final class AdvertisingSessions {
    private unowned let client: BlueZClient
    private var sessions: [AdvertisingSession] = []
    /// How many there have been.
    private var count = 0

    init(_ client: BlueZClient) { self.client = client }

    func start(
        _ advertisement: Advertisement, _ selection: AdapterSelection, _ emitter: Emitter<Void>
    ) throws(BluetoothError) {
        let adapter = try client.chooseAdapter(selection)
        count += 1
        let session = AdvertisingSession(advertisement, selection, on: adapter, number: count, of: client, emitter)
        sessions.append(session)
        session.start()
    }

    func remove(_ session: AdvertisingSession) { sessions.removeAll { $0 === session } }

    /// Ends all advertisements.
    func fail(_ error: BluetoothError) {
        for session in sessions { session.end(error) }
    }

    /// Ends the advertisements of adapters that cannot be used any more, or that are not the ones to work with.
    func adaptersChanged() {
        for session in sessions {
            if let error = client.state(of: session.adapter)?.error {
                session.end(error)
            } else if client.adapter(for: session.selection) != session.adapter {
                session.end(BluetoothError(.noAdapter))
            }
        }
    }
}

extension Advertisement {
    /// As bluetoothd reads it. A property that is not there is not advertised.
    var properties: [String: Value] {
        var properties: [String: Value] = ["Type": .string(isConnectable ? "peripheral" : "broadcast")]
        if let localName { properties["LocalName"] = .string(localName) }
        if !services.isEmpty { properties["ServiceUUIDs"] = .strings(services.map(\.longText)) }
        if !manufacturerData.isEmpty {
            properties["ManufacturerData"] = .dictionary(
                key: "q", value: "v",
                manufacturerData.sorted { $0.key < $1.key }
                    .map { Value.Entry(.uint16($0.key), .variant(.bytes($0.value))) })
        }
        if !serviceData.isEmpty {
            properties["ServiceData"] = .properties(
                Dictionary(uniqueKeysWithValues: serviceData.map { ($0.key.longText, .bytes($0.value)) }))
        }
        if let appearance { properties["Appearance"] = .uint16(appearance) }
        return properties
    }
}
