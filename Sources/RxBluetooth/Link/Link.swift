import DBus
internal import Logging

/// One connection to a peripheral, from asking for it until it is closed, and all that runs over it.
final class Link: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    let key: DeviceKey
    /// Tells this connection from earlier and later ones of the same device.
    let number: UInt64
    unowned let client: BlueZClient
    let peripheral: Peripheral
    let emitter: Emitter<Peripheral>
    /// Whether another program had connected the device before us; then closing is not ours to do (Q74).
    let isForeign: Bool
    var phase = Phase.connecting
    /// The call of `Connect`, and the question whether that came about.
    private var connecting: BusTask?
    /// What is waited for after that: an answer, or a deadline.
    var task: BusTask?
    private(set) lazy var queue = AttributeQueue(client)
    private(set) lazy var resolution = Resolution(self)
    var notifications: [CharacteristicKey: NotifySession] = [:]
    var isDisconnectAnswered = false
    /// The pairing that goes over this link.
    var pairing: PairingAttempt?
    /// Whether it was made for a pairing only; whoever wants to connect waits for its end.
    let isForPairing: Bool
    /// Whether `Connected` was seen while connecting.
    var wasSeenConnected = false
    private var whenOver: [(BluetoothError?) -> Void] = []

    enum Phase {
        /// `losing` is down, but it is not known yet why; `closing` is being closed by us.
        case connecting, connected, losing, closing, ended
    }

    init(
        _ peripheral: Peripheral, number: UInt64, client: BlueZClient, isForeign: Bool, emitter: Emitter<Peripheral>,
        isForPairing: Bool = false
    ) {
        self.peripheral = peripheral
        self.key = peripheral.key
        self.number = number
        self.client = client
        self.isForeign = isForeign
        self.emitter = emitter
        self.isForPairing = isForPairing
    }

    var isConnected: Bool { phase == .connected }
    var isClosing: Bool { phase == .closing }
    var deadlines: Deadlines { client.settings.deadlines }
    var target: String { key.address.description }

    func start() {
        emitter.onEnd { [weak self] in self?.close(BluetoothError(.disconnected(.requested))) }
        connecting = client.call(
            path: key.path, interface: BlueZ.device, member: "Connect", deadline: deadlines.connect
        ) { [weak self] in self?.answered($0) }
    }

    private func answered(_ result: Result<Message, DBusError>) {
        guard phase == .connecting else { return }
        switch result.mapError({ BluetoothError($0, operation: .connect, target: target) }) {
        case .success: confirm()
        // bluetoothd's own documents announce this error; what it really answers is success (Q80).
        case .failure(let error) where error.kind == .alreadyConnected: confirm()
        // It refuses to connect what another program has connected a moment ago; that link is there to be used (Q74).
        case .failure where isForeign && client.devices[key]?.isConnected == true: confirm()
        // The daemon is still trying, and must be told to stop (Q8).
        case .failure(let error) where error.kind == .timedOut: close(error)
        case .failure(let error): end(keysAreMissing(error) ? BluetoothError(.bondLost, after: error) : error)
        }
    }

    /// Whether the link came up and could not be encrypted, because the peripheral has lost the bond (Q87). bluetoothd 5.66 does not
    /// say so. Either it tells of a cancellation for which nobody has asked (Q79), or of an abort, which a controller may also
    /// bring about by itself (Q77); only one that comes twice in a row is taken for it.
    private func keysAreMissing(_ error: BluetoothError) -> Bool {
        guard wasSeenConnected, client.devices[key]?.isBonded == true else { return false }
        switch error.dbusMessage {
        case "br-connection-canceled": return true
        case "le-connection-abort-by-local":
            client.devices[key]?.aborts += 1
            return client.devices[key]?.aborts ?? 0 > 1
        default: return false
        }
    }

    /// The reply is the truth (Q78); where the mirror says otherwise, the daemon is asked.
    private func confirm() {
        if client.devices[key]?.isConnected == true { return opened() }
        connecting = client.readFlag("Connected", of: BlueZ.device, at: key.path) { [weak self] result in
            guard let self, phase == .connecting else { return }
            switch result {
            case .success(true): opened()
            case .success(false): end(BluetoothError(.disconnected(.unknown)))
            // There may be a link all the same, and it is ours to close.
            case .failure(let error): close(BluetoothError(error, operation: .connect, target: target))
            }
        }
    }

    private func opened() {
        phase = .connected
        connecting = nil
        client.devices[key]?.aborts = 0
        client.logger.debug("A link is up.", metadata: ["link": "\(number)", "foreign": "\(isForeign)"])
        emitter.next(peripheral)
        pairing?.linkIsUp()
    }

    func servicesResolved() {
        if phase == .connected { resolution.resolved() }
    }

    // MARK: The end

    /// The link is over, and all that ran over it fails with one cause (S59).
    func end(_ cause: BluetoothError) {
        guard phase != .ended else { return }
        phase = .ended
        client.logger.debug("A link is over.", metadata: ["link": "\(number)", "cause": "\(cause.code)"])
        stopWaiting()
        client.links[key] = nil
        abandon(cause)
        emitter.fail(cause.during(.connect, target))
        finish(nil)
    }

    func stopWaiting() {
        connecting?.cancel()
        task?.cancel()
    }

    func abandon(_ cause: BluetoothError) {
        let cause = BluetoothError(cause.kind, target: target, dbusName: cause.dbusName, dbusMessage: cause.dbusMessage)
        resolution.fail(cause)
        queue.fail(cause)
        pairing?.linkEnded(cause)
        pairing = nil
        for session in Array(notifications.values) { session.ended(cause) }
        notifications = [:]
    }

    /// Runs work when this link is over, with what was wrong where it could not be closed.
    func whenOver(_ work: @escaping (BluetoothError?) -> Void) { whenOver.append(work) }

    func finish(_ failure: BluetoothError?) {
        let work = whenOver
        whenOver = []
        for action in work { action(failure) }
    }
}
