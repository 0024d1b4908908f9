import DBus

/// One advertisement that is registered with bluetoothd.
///
/// bluetoothd reads the advertised data from an object of ours.
final class AdvertisingSession {
    private unowned let client: BlueZClient
    private let advertisement: Advertisement
    private let emitter: Emitter<Void>
    private let path: ObjectPath
    /// The adapter that the user selected.
    let selection: AdapterSelection
    let adapter: UInt16
    private var export: BusTask?
    private var phase = Phase.starting

    private enum Phase {
        case starting, active, ended
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
        // The object is exported before the registration, because bluetoothd reads the object before it replies (Q25).
        export = client.export(self, at: path, includingChildren: false, gone: Self.gone) { $0.handle($1) }
        emitter.onEnd { [self] in stop() }
        client.call(
            .registerAdvertisement(path, on: adapter), deadline: client.settings.deadlines.operation
        ) { [self] in registered($0) }
    }

    private static let gone = DBusError(name: DBusError.Name.unknownObject, message: "It is not advertised any more")

    private func handle(_ call: IncomingCall) {
        // Every program on the bus can call the object, but only calls from bluetoothd are accepted (Q17).
        guard let owner = client.owner, call.message.sender == owner else {
            return call.fail(
                DBusError(name: DBusError.Name.accessDenied, message: "Only bluetoothd may ask for this advertisement"))
        }
        switch call.message.member {
        case "GetAll":
            call.reply { [advertisement] (body) throws(DBusError) in try body.properties(advertisement.properties) }
        case "Release":
            call.reply()
            guard phase != .ended else { return }
            finish()
            // `Powered` is read to wait for earlier signals, which show whether bluetoothd exits or the adapter is
            // removed (Q114).
            let path = adapterPath(adapter)
            client.readFlag("Powered", of: BlueZ.adapter, at: path) { [adapter, emitter, weak client] _ in
                let ended = BluetoothError(.bluez, detail: "The advertisement was ended by bluetoothd")
                emitter.fail((client?.obstacle(on: adapter) ?? ended).during(.advertise, nil))
            }
        default: call.fail(DBusError(name: DBusError.Name.unknownMethod, message: "No such method of an advertisement"))
        }
    }

    private func registered(_ result: Result<Message, DBusError>) {
        guard phase == .starting else { return }
        switch result {
        case .success:
            phase = .active
            emitter.next(())
        case .failure(let error):
            let failure = BluetoothError(error, operation: .advertise, target: nil)
            // A registration that timed out may take effect later (Q8), so the end of the stream unregisters the
            // advertisement.
            if failure.kind != .timedOut { finish() }
            emitter.fail(failure)
        }
    }

    /// Ends the advertisement with an error.
    ///
    /// The advertisement is unregistered if the adapter still exists: an adapter that is off would advertise again
    /// later.
    func end(_ error: BluetoothError) {
        if client.mirror.isSynced, client.mirror.adapters[adapter] != nil { stop() } else { finish() }
        emitter.fail(error.during(.advertise, nil))
    }

    private func finish() {
        phase = .ended
        export?.cancel()
        export = nil
        client.advertising.remove(self)
    }

    /// Unregisters the advertisement.
    func stop() {
        guard phase != .ended else { return }
        finish()
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
    /// The number of advertisements so far, for their object paths.
    private var count = 0

    init(_ client: BlueZClient) { self.client = client }

    func start(
        _ advertisement: Advertisement, _ selection: AdapterSelection, _ emitter: Emitter<Void>
    ) throws(BluetoothError) {
        if let flaw = advertisement.flaw { throw BluetoothError(.invalidArgument, detail: flaw) }
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

    /// Ends the advertisements of adapters that are not usable any more, or that are no longer selected.
    func adaptersChanged() {
        for session in sessions {
            if let error = client.obstacle(on: session.adapter) {
                session.end(error)
            } else if client.adapter(for: session.selection) != session.adapter {
                session.end(BluetoothError(.noAdapter))
            }
        }
    }
}

extension Advertisement {
    /// The properties that bluetoothd reads. Data without a property is not advertised.
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
        if let interval {
            properties["MinInterval"] = .uint32(interval.lowerBound.wholeMilliseconds)
            properties["MaxInterval"] = .uint32(interval.upperBound.wholeMilliseconds)
        }
        return properties
    }

    /// Why the advertisement is invalid; nil if it is valid.
    ///
    /// bluetoothd accepts 20 ms to 10,485.76 s. Source: BlueZ 5.66, `src/advertising.c`, `parse_min_interval`.
    fileprivate var flaw: String? {
        guard let interval else { return nil }
        let allowed = Duration.milliseconds(20) ... .seconds(10_485)
        guard allowed.contains(interval.lowerBound), allowed.contains(interval.upperBound) else {
            return "The interval of an advertisement is from 20 ms to 10,485 s"
        }
        return nil
    }
}

extension Duration {
    /// The duration in whole milliseconds. The duration must be from 0 to 49 days.
    fileprivate var wholeMilliseconds: UInt32 {
        UInt32(components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
