import DBus
import FoundationEssentials

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
    private let awaitsServices: Bool
    /// Whether it is up, and its services are read where that was to be awaited.
    private(set) var isReady = false
    var phase = Phase.connecting { didSet { since = client.settings.now } }
    /// When its phase began.
    private(set) var since: Date?
    /// How often the controller gave the attempt up (Q77).
    private var abortions = 0
    /// Whether no `Connect` is under way, and the next is due in a moment.
    private(set) var isPausing = false
    /// Why bluetoothd says that the link goes down.
    var announced: BluetoothError.DisconnectReason?
    private(set) var deadline: BusTask?
    /// Why it is being closed.
    var closingCause = BluetoothError(.disconnected(.requested))
    /// The call of `Connect`, and the question whether that came about.
    private var connecting: BusTask?
    /// What is waited for after that: an answer, or a deadline.
    var task: BusTask?
    private(set) lazy var queue = AttributeQueue(client, of: peripheral)
    private(set) lazy var resolution = Resolution(self)
    private(set) lazy var mtu = LinkMTU(self)
    private(set) lazy var modifications = ServiceModifications(self)
    private(set) lazy var battery = BatteryLevel(self)
    let streams = LinkStreams()
    private(set) lazy var strength = StrengthReading(self)
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
        _ peripheral: Peripheral, _ terms: LinkTerms, number: UInt64, client: BlueZClient, isForeign: Bool,
        emitter: Emitter<Peripheral>, isForPairing: Bool = false
    ) {
        awaitsServices = terms.awaitsServices
        self.peripheral = peripheral
        self.key = peripheral.key
        self.number = number
        self.client = client
        self.isForeign = isForeign
        self.emitter = emitter
        self.isForPairing = isForPairing
    }

    var isConnected: Bool { phase == .connected }
    /// Whether it is going down, and the next one may follow it.
    var isEnding: Bool { phase == .closing || phase == .losing }
    var deadlines: Deadlines { client.settings.deadlines }
    var target: String { key.address.description }

    func start() {
        emitter.onEnd { [weak self] in self?.close(BluetoothError(.disconnected(.requested))) }
        phase = .connecting
        peripheral.enter(.connecting)
        deadline = client.bus.schedule(after: deadlines.connect) { [weak self] in self?.expired() }
        connect()
    }

    private func connect() {
        wasSeenConnected = false
        connecting = client.call(
            path: key.path, interface: BlueZ.device, member: "Connect", deadline: deadlines.connect
        ) { [weak self] in self?.answered($0) }
    }

    private func expired() {
        if phase == .connecting { close(BluetoothError(.timedOut, operation: .connect, target: target)) }
    }

    private func answered(_ result: Result<Message, DBusError>) {
        guard phase == .connecting else { return }
        switch result.mapError({ BluetoothError($0, operation: .connect, target: target) }) {
        case .success: confirm()
        // bluetoothd's own documents announce this error; what it really answers is success (Q80).
        case .failure(let error) where error.kind == .alreadyConnected: confirm()
        // It refuses to connect what another program has connected a moment ago; that link is there to be used (Q74).
        case .failure where isForeign && client.devices[key]?.isConnected == true: confirm()
        case .failure(let error) where keysAreMissing(error): end(BluetoothError(.bondLost, after: error))
        case .failure(let error) where error.isAbortedConnection && abortions < Self.mostAbortions: aborted()
        // The daemon is still trying, and must be told to stop (Q8).
        case .failure(let error) where error.kind == .timedOut: close(error)
        case .failure(let error): end(error)
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

    /// How often an attempt that the controller gave up is repeated: the ninth failure is told (Q77).
    private static let mostAbortions = 8

    /// The controller gave the attempt up, as it does now and then. It is repeated after a moment, and not while the
    /// device still looks connected (Q77).
    private func aborted() {
        abortions += 1
        isPausing = true
        let pause = Duration.milliseconds(250)
        client.journal.debug(.connectRepeated(peripheral, aborts: abortions, again: pause))
        connecting = client.bus.schedule(after: pause) { [weak self] in
            guard let self, phase == .connecting else { return }
            if client.devices[key]?.isConnected == true, abortions < Self.mostAbortions { return aborted() }
            isPausing = false
            connect()
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
        deadline?.cancel()
        client.devices[key]?.aborts = 0
        if client.devices[key]?.isResolved == true {
            mtu.ask()
            resolution.resolved()
        }
        guard awaitsServices else { return ready() }
        _ = resolution.wait { [weak self] error in
            guard let self, phase == .connected else { return }
            // A peer that never tells its services is dead, whatever bluetoothd says of the link (Q73).
            if let error { close(error.during(.connect, target)) } else { ready() }
        }
    }

    private func ready() {
        isReady = true
        peripheral.enter(.connected)
        emitter.next(peripheral)
        pairing?.linkIsUp()
    }

    func servicesResolved() {
        guard phase == .connected else { return }
        mtu.ask()
        resolution.resolved()
    }

    // MARK: The end

    /// The link is over, and all that ran over it fails with one cause (S59).
    func end(_ cause: BluetoothError) {
        guard phase != .ended else { return }
        phase = .ended
        stopWaiting()
        client.links[key] = nil
        abandon(cause)
        peripheral.enter(.disconnected(told(cause)))
        emitter.fail(cause.during(.connect, target))
        finish(nil)
    }

    /// The reason as those hear it who did not ask for anything.
    func told(_ cause: BluetoothError) -> BluetoothError {
        BluetoothError(cause.kind, target: target, dbusName: cause.dbusName, dbusMessage: cause.dbusMessage)
    }

    func stopWaiting() {
        connecting?.cancel()
        deadline?.cancel()
        task?.cancel()
    }

    func abandon(_ cause: BluetoothError) {
        let cause = told(cause)
        mtu.forget()
        resolution.fail(cause)
        queue.fail(cause)
        strength.fail(cause)
        pairing?.linkEnded(cause)
        pairing = nil
        for session in Array(notifications.values) { session.ended(cause) }
        notifications = [:]
        streams.fail(cause)
    }

    /// Runs work when this link is over, with what was wrong where it could not be closed.
    func whenOver(_ work: @escaping (BluetoothError?) -> Void) { whenOver.append(work) }

    func finish(_ failure: BluetoothError?) {
        let work = whenOver
        whenOver = []
        for action in work { action(failure) }
    }
}
