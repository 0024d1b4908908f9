import DBus

/// One connection to a peripheral, from asking for it until it is closed, and all that runs over it.
final class Link: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    let key: DeviceKey
    /// Tells this connection from earlier and later ones of the same device.
    let number: UInt64
    unowned let client: BlueZClient
    private let peripheral: Peripheral
    private let emitter: Emitter<Peripheral>
    private var phase = Phase.connecting
    /// Whether another program had connected the device before us; then closing is not ours to do (Q74).
    private let isForeign: Bool
    private var connecting: BusTask?
    private(set) lazy var queue = AttributeQueue(client)
    private(set) lazy var resolution = Resolution(self)
    var notifications: [CharacteristicKey: NotifySession] = [:]
    private var whenClosed: [() -> Void] = []

    private enum Phase {
        case connecting, connected, closing, ended
    }

    init(_ peripheral: Peripheral, number: UInt64, client: BlueZClient, isForeign: Bool, emitter: Emitter<Peripheral>) {
        self.peripheral = peripheral
        self.key = peripheral.key
        self.number = number
        self.client = client
        self.isForeign = isForeign
        self.emitter = emitter
    }

    var isConnected: Bool { phase == .connected }
    var isClosing: Bool { phase == .closing }
    var deadlines: Deadlines { client.settings.deadlines }

    func start() {
        emitter.onEnd { [weak self] in self?.close(BluetoothError(.disconnected(.requested))) }
        connecting = client.call(
            path: key.path, interface: BlueZ.device, member: "Connect", deadline: deadlines.connect
        ) { [weak self] in self?.answered($0) }
    }

    private func answered(_ result: Result<Message, DBusError>) {
        guard phase == .connecting else { return }
        switch result.mapError({ BluetoothError($0, operation: .connect, target: key.address.description) }) {
        case .success: confirm()
        // bluetoothd's own documents announce this error; what it really answers is success (Q80).
        case .failure(let error) where error.kind == .alreadyConnected: confirm()
        // The daemon is still trying, and must be told to stop (Q8).
        case .failure(let error) where error.kind == .timedOut: close(error)
        case .failure(let error): end(error)
        }
    }

    /// The reply is the truth (Q78); where the mirror says otherwise, the daemon is asked.
    private func confirm() {
        if client.devices[key]?.isConnected == true { return opened() }
        connecting = client.call(
            path: key.path, interface: BlueZ.properties, member: "Get", deadline: deadlines.cleanup
        ) { (body) throws(DBusError) in
            try body.string(BlueZ.device)
            try body.string("Connected")
        } then: { [weak self] result in
            guard let self, phase == .connecting else { return }
            let isConnected = try? result.get().read { (body) throws(DBusError) in
                try body.variant { (value) throws(DBusError) in try value.bool() }
            }
            if isConnected == true { opened() } else { end(BluetoothError(.disconnected(.unknown))) }
        }
    }

    private func opened() {
        phase = .connected
        emitter.next(peripheral)
    }

    /// `Connected` changed. While connecting it may flicker, and the reply decides.
    func connectedChanged(_ isConnected: Bool) {
        guard !isConnected else { return }
        switch phase {
        case .connected:
            // An adapter that is being switched off drops its links first (Q32).
            let isGoingDown = client.adapters[key.adapter]?.powerState == "on-disabling"
            lost(BluetoothError(.disconnected(isGoingDown ? .adapter : .unknown)))
        case .closing: closed()
        case .connecting, .ended: break
        }
    }

    func servicesResolved() {
        if phase == .connected { resolution.resolved() }
    }

    /// The link is gone without our doing: everything in flight fails with one cause (S59).
    func lost(_ cause: BluetoothError) {
        if phase == .closing { closed() } else { end(cause) }
    }

    private func end(_ cause: BluetoothError) {
        guard phase != .ended else { return }
        phase = .ended
        connecting?.cancel()
        client.links[key] = nil
        abandon(cause)
        emitter.fail(cause.during(.connect, key.address.description))
        finish()
    }

    private func abandon(_ cause: BluetoothError) {
        let cause = BluetoothError(
            cause.kind, target: key.address.description, dbusName: cause.dbusName, dbusMessage: cause.dbusMessage)
        resolution.fail(cause)
        queue.fail(cause)
        for session in Array(notifications.values) { session.ended(cause) }
        notifications = [:]
    }

    // MARK: Closing

    /// Closes the link from our side: what runs fails with `cause`, the daemon is told once (S30), and the link is over
    /// when the daemon has both answered and shown it, or after the deadline (Q84).
    func close(_ cause: BluetoothError, isForced: Bool = false) {
        guard phase == .connecting || phase == .connected else { return }
        let isOurs = !isForeign || isForced
        connecting?.cancel()
        phase = .closing
        client.teardowns.begin()
        abandon(cause)
        if isOurs {
            client.call(
                path: key.path, interface: BlueZ.device, member: "Disconnect", deadline: deadlines.disconnect
            ) { [weak self] _ in
                guard let self, phase == .closing else { return }
                if client.devices[key]?.isConnected == true {
                    client.bus.schedule(after: deadlines.disconnect) { [weak self] in self?.closed() }
                } else {
                    closed()
                }
            }
        } else {
            closed()
        }
        emitter.fail(cause.during(.connect, key.address.description))
    }

    private func closed() {
        guard phase == .closing else { return }
        phase = .ended
        client.links[key] = nil
        client.teardowns.end()
        finish()
    }

    /// Runs work when this link is over.
    func afterClosing(_ work: @escaping () -> Void) { whenClosed.append(work) }

    private func finish() {
        let work = whenClosed
        whenClosed = []
        for action in work { action() }
    }
}
