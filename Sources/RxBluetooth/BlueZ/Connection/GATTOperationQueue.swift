import DBus

/// A GATT operation in the queue of its connection.
final class GATTOperation {
    let operation: BluetoothError.Operation
    let target: String
    let message: Message
    let deadline: Duration
    fileprivate var number: UInt64 = 0
    /// When the operation was queued; after its start, when it was started.
    fileprivate var since: MonotonicTime?
    fileprivate var isPairing = false
    fileprivate let failure: (DBusError) -> BluetoothError
    fileprivate var done: ((Result<Message, BluetoothError>) -> Void)?
    /// Runs when the operation is started.
    var started: (() -> Void)?
    /// Runs when a started operation has ended, also if it was cancelled.
    var ended: ((Result<Message, BluetoothError>) -> Void)?

    init(
        _ operation: BluetoothError.Operation, _ target: String, _ message: Message, deadline: Duration,
        failure: @escaping (DBusError) -> BluetoothError,
        done: @escaping (Result<Message, BluetoothError>) -> Void
    ) {
        self.operation = operation
        self.target = target
        self.message = message
        self.deadline = deadline
        self.failure = failure
        self.done = done
    }

    /// Fails the operation for its caller. A later reply is not reported.
    fileprivate func fail(_ error: BluetoothError) {
        let done = done
        self.done = nil
        done?(.failure(error))
    }

    fileprivate func finish(_ result: Result<Message, BluetoothError>) {
        ended?(result)
        done?(result)
    }
}

/// The GATT operations of a connection, which run one at a time.
///
/// ATT allows one request at a time, and bluetoothd refuses a second operation on the same attribute with InProgress
/// (Q94).
final class GATTOperationQueue {
    private let bus: BusContext
    private let settings: Settings
    private let mirror: ObjectMirror
    private let peripheral: Peripheral
    /// The number of operations submitted so far.
    private var count: UInt64 = 0
    private var waiting: [GATTOperation] = []
    private var running: GATTOperation?
    private var call: BusTask?
    private var isSuspended = false
    /// The operation that fails because its pairing was refused.
    ///
    /// Other operations fail until bluetoothd answers this operation, or the device is paired.
    private var refused: (operation: BluetoothError.Operation, target: String, error: BluetoothError)?
    /// The number of the operation that becomes `refused` if it has no reply after `answerGrace`.
    private var suspectedNumber: UInt64?
    /// Whether an operation waits for a refused pairing and blocks all other operations of the link.
    var isRefused: Bool { refused != nil || suspectedNumber != nil }
    /// Whether the running operation waits for a pairing that is in progress.
    var isPairing: Bool { running?.isPairing == true && !isRefused }

    init(_ client: BlueZClient, of peripheral: Peripheral) {
        bus = client.bus
        settings = client.settings
        mirror = client.mirror
        self.peripheral = peripheral
    }

    func submit(_ item: GATTOperation) {
        count += 1
        item.number = count
        item.since = settings.now
        if let error = refusal(of: item) {
            dropped(item, error)
            return item.fail(error)
        }
        waiting.append(item)
        settings.eventLog.trace(.operationQueued(described(item), waiting: waiting.count))
        advance()
    }

    /// Cancels an operation for its caller (S57).
    ///
    /// A queued operation is removed. A running operation blocks the queue until its reply arrives.
    func cancel(_ item: GATTOperation) {
        item.done = nil
        guard let index = waiting.firstIndex(where: { $0 === item }) else { return }
        waiting.remove(at: index)
        dropped(item, nil)
    }

    /// Stops the queue, because the link is down and the cause is not known yet.
    ///
    /// The reply to the running operation does not contain the cause, so it is ignored. ``fail(_:)`` reports the cause
    /// later.
    func suspend() { isSuspended = true }

    /// Handles a refused pairing.
    ///
    /// If the running operation needed the pairing, bluetoothd keeps it at the head of its own queue and never answers
    /// it. If the peripheral began the pairing, the reply arrives soon. The delay distinguishes the two cases.
    func refuse(_ error: BluetoothError) {
        guard let item = running, !isSuspended, !isRefused else { return }
        let number = item.number
        suspectedNumber = number
        bus.schedule(after: Self.answerGrace) { [weak self] in self?.failAfterRefusal(number, error) }
    }

    /// The time in which an operation that does not depend on the refused pairing is answered.
    private static let answerGrace = Duration.milliseconds(250)

    /// Fails all operations.
    ///
    /// The running operation stays in place, because it may be answered after a later pairing.
    private func failAfterRefusal(_ number: UInt64, _ error: BluetoothError) {
        guard suspectedNumber == number else { return }
        suspectedNumber = nil
        guard let item = running, item.number == number, !isSuspended else { return }
        refused = (item.operation, item.target, error)
        let items = waiting
        waiting = []
        item.fail(error)
        for item in items {
            let error = refusal(of: item) ?? error
            dropped(item, error)
            item.fail(error)
        }
    }

    /// Returns why an operation may not be submitted after a refused pairing; nil if it may be submitted.
    private func refusal(of item: GATTOperation) -> BluetoothError? {
        guard let refused else { return nil }
        if item.operation == refused.operation, item.target == refused.target { return refused.error }
        let first = BluetoothError(.needsPairing, operation: refused.operation, target: refused.target).summary
        return BluetoothError(.connectionStalled, detail: "Pairing was refused after this: \(first.dropLast())")
    }

    /// Records that the running operation has caused bluetoothd's pairing request.
    ///
    /// The caller has checked that bluetoothd called our agent for this peripheral, although this manager did not start
    /// a pairing.
    func pairingBegan() { running?.isPairing = true }

    /// Ends a refusal, because the device has been paired, perhaps by another program.
    ///
    /// bluetoothd then sends the operation that it kept, and the operations behind it. The refusal ends now and not
    /// with the reply, because our call may have reached its deadline before.
    func paired() {
        refused = nil
        suspectedNumber = nil
        running?.isPairing = false
    }

    /// Fails all operations with one cause, because the connection has ended.
    func fail(_ cause: BluetoothError) {
        let (begun, items) = (running, waiting)
        running = nil
        suspectedNumber = nil
        waiting = []
        call?.cancel()
        call = nil
        if let begun {
            ended(begun, cause)
            begun.finish(.failure(cause))
        }
        for item in items {
            dropped(item, cause)
            item.done?(.failure(cause))
        }
    }

    private func advance() {
        guard running == nil, !isSuspended, !waiting.isEmpty else { return }
        let item = waiting.removeFirst()
        running = item
        settings.eventLog.trace(.operationStarted(described(item), waited: settings.elapsed(since: item.since)))
        item.since = settings.now
        item.started?()
        call = bus.call(item.message, timeout: item.deadline) { [weak self] in self?.answered($0) }
    }

    private func answered(_ result: Result<Message, DBusError>) {
        // A lost bus fails its calls before it reports the loss. The queue stops here, and the report then ends the
        // link.
        if case .failure(let error) = result, error.name == DBusError.Name.disconnected { suspend() }
        guard !isSuspended, let item = running else { return }
        running = nil
        call = nil
        suspectedNumber = nil
        let outcome = result.mapError { correctedError(item.failure($0), item) }
        // After a time-out the refusal remains: bluetoothd still waits, and would not answer the next operation either.
        if case .failure(let error) = outcome, error.kind == .timedOut {} else { refused = nil }
        if case .failure(let error) = outcome { ended(item, error) } else { ended(item, nil) }
        item.finish(outcome)
        advance()
    }

    /// Corrects the kind of an error that bluetoothd reports imprecisely.
    private func correctedError(_ error: BluetoothError, _ item: GATTOperation) -> BluetoothError {
        // ATT fails a request after 30 s. bluetoothd then reports 0x0E as if the peripheral had answered, so the kind
        // is corrected (Q120).
        if error.attCode == 0x0E, settings.elapsed(since: item.since) >= Self.attTimeout {
            return BluetoothError(
                .timedOut, operation: error.operation, target: error.target, dbusName: error.dbusName,
                dbusMessage: error.dbusMessage)
        }
        return error.withWeakBond(mirror.isBonded(peripheral.key))
    }

    /// The transaction time-out of ATT.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part F, 3.3.3.
    private static let attTimeout = Duration.seconds(30)

    // MARK: Status and log

    /// The running operation, and how long it has been running.
    var current: (operation: QueuedOperation, time: Duration)? {
        running.map { (described($0), settings.elapsed(since: $0.since)) }
    }

    /// The number of operations that wait.
    var waitingCount: Int { waiting.count }

    private func described(_ item: GATTOperation) -> QueuedOperation {
        QueuedOperation(
            number: item.number, operation: item.operation, peripheral: peripheral, target: item.target)
    }

    private func ended(_ item: GATTOperation, _ error: BluetoothError?) {
        settings.eventLog.trace(.operationEnded(described(item), took: settings.elapsed(since: item.since), error))
    }

    private func dropped(_ item: GATTOperation, _ error: BluetoothError?) {
        settings.eventLog.trace(
            .operationDropped(described(item), waited: settings.elapsed(since: item.since), error))
    }
}
