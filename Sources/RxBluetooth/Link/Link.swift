import DBus

/// One connection to a peripheral, from asking for it until it is closed, and all that runs over it.
final class Link {
    let key: DeviceKey
    /// Tells this connection from earlier and later ones of the same device.
    let number: UInt64
    unowned let client: BlueZClient
    let peripheral: Peripheral
    let emitter: Emitter<Peripheral>
    /// Whether the link that is up is another program's, so that closing it is not ours to do (Q74). While connecting it follows
    /// what bluetoothd shows; it is settled when the link is opened.
    var isForeign: Bool
    /// Whether a link that another program made is used as if we had made it.
    let takesOver: Bool
    private let awaitsServices: Bool
    /// Whether it is up, and its services are read where that was to be awaited.
    private(set) var isReady = false
    var phase = Phase.connecting { didSet { since = client.settings.now } }
    /// When its phase began.
    private(set) var since: MonotonicTime?
    /// How often the controller gave the attempt up (Q77).
    var abortions = 0
    /// What connecting waits for.
    var step = Step.none
    /// How often another program's attempt was in the way (Q119).
    var collisions = 0
    /// The scan that looks for the device after bluetoothd removed it (Q123).
    var rediscovery: (any Disposable)?
    /// Why bluetoothd says that the link goes down.
    var announced: BluetoothError.DisconnectReason?
    /// The end of connecting, or of finding out why the link was lost.
    var deadline: BusTask?
    /// Whether the established link was shown as down while it was being closed.
    var wasSeenDown = false
    /// Whether an attempt that was under way is being closed, and not an established link.
    var isClosingAttempt = false
    /// Whether it is being closed because `Connect` failed although the device is connected.
    var hasFailed = false
    /// Whether its `Disconnect` has been repeated, because `Connect` succeeded after it.
    var isClosedAgain = false
    /// Why it is being closed.
    var closingCause = BluetoothError(.disconnected(.requested))
    /// The call of `Connect`, the question whether that came about, or the pause before the next call.
    var connecting: BusTask?
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

    enum Step {
        /// `pausing`: our attempt failed, and the next is due; `yielding`: another program's attempt is under way;
        /// `rediscovering`: bluetoothd has removed the device.
        case none, calling, confirming, pausing, yielding, rediscovering
    }

    init(
        _ peripheral: Peripheral, _ terms: LinkTerms, number: UInt64, client: BlueZClient, isForeign: Bool,
        emitter: Emitter<Peripheral>, isForPairing: Bool = false
    ) {
        awaitsServices = terms.awaitsServices
        takesOver = terms.existing == .takeOver
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

    func opened() {
        phase = .connected
        step = .none
        connecting = nil
        stopRediscovery()
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
        cause.with(nil, target)
    }

    func stopWaiting() {
        connecting?.cancel()
        connecting = nil
        deadline?.cancel()
        task?.cancel()
        stopRediscovery()
    }

    func abandon(_ cause: BluetoothError) {
        // Each of them adds its own operation and target.
        let cause = cause.with(nil, nil)
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
