import DBus

/// One advertisement at bluetoothd, from asking for it until it is taken back. bluetoothd reads it from an object of ours.
final class Advertising {
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
        callManager("RegisterAdvertisement", deadline: client.settings.deadlines.operation) {
            (body) throws(DBusError) in
            try body.properties([:])
        } then: { [self] in
            registered($0)
        }
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
                let ended = BluetoothError(.bluez, dbusMessage: "bluetoothd has ended the advertisement")
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
        if client.isSynced, client.adapters[adapter] != nil { stop() } else { over() }
        emitter.fail(error.during(.advertise, nil))
    }

    private func over() {
        phase = .over
        export?.cancel()
        export = nil
        client.advertisements.removeAll { $0 === self }
    }

    /// Nobody wants it any more.
    func stop() {
        guard phase != .over else { return }
        over()
        client.teardowns.begin()
        callManager("UnregisterAdvertisement", deadline: client.settings.deadlines.cleanup) {
            [teardowns = client.teardowns] _ in
            teardowns.end()
        }
    }

    private func callManager(
        _ member: String, deadline: Duration,
        _ more: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in },
        then: @escaping (Result<Message, DBusError>) -> Void
    ) {
        client.call(path: adapterPath(adapter), interface: BlueZ.advertisingManager, member: member, deadline: deadline)
        {
            (body) throws(DBusError) in
            try body.objectPath(path)
            try more(&body)
        } then: {
            then($0)
        }
    }
}
