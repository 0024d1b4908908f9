import DBus

/// An operation on an attribute, in the queue of its connection.
final class GATTOperation {
    let operation: BluetoothError.Operation
    let target: String
    let message: Message
    let deadline: Duration
    fileprivate var number: UInt64 = 0
    /// When it began to wait, and from its turn on when that was.
    fileprivate var since: MonotonicTime?
    fileprivate var isPairing = false
    fileprivate let failure: (DBusError) -> BluetoothError
    fileprivate var done: ((Result<Message, BluetoothError>) -> Void)?
    /// Runs when it is the operation's turn.
    var started: (() -> Void)?
    /// Runs when an operation that had started is over, also where nobody waits for it any more.
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

    /// Nobody waits any more, and this is why.
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

/// The operations on a connection's attributes, one after the other: ATT has one request under way at a time, and
/// bluetoothd answers InProgress to a second one on the same attribute (Q94).
final class GATTOperationQueue {
    private unowned let client: BlueZClient
    private let peripheral: Peripheral
    /// How many operations there have been.
    private var count: UInt64 = 0
    private var waiting: [GATTOperation] = []
    private var running: GATTOperation?
    private var call: BusTask?
    private var isSuspended = false
    /// The operation that needed a pairing which was refused. Nothing else is submitted before it is answered or the device is paired.
    private var refused: (operation: BluetoothError.Operation, target: String, error: BluetoothError)?
    /// The number of the operation that may be about to become `refused`.
    private var suspected: UInt64?
    /// Whether bluetoothd waits for a pairing that was refused, and the link carries nothing else.
    var isRefused: Bool { refused != nil || suspected != nil }
    /// Whether a pairing that the running operation made necessary is under way.
    var isPairing: Bool { running?.isPairing == true && !isRefused }

    init(_ client: BlueZClient, of peripheral: Peripheral) {
        self.client = client
        self.peripheral = peripheral
    }

    func submit(_ item: GATTOperation) {
        count += 1
        item.number = count
        item.since = client.settings.now
        if let error = refusal(of: item) {
            dropped(item, error)
            return item.fail(error)
        }
        waiting.append(item)
        client.eventLog.trace(.operationQueued(described(item), waiting: waiting.count))
        advance()
    }

    /// Nobody waits for the operation any more. One that waits never runs; one that runs holds its place until its
    /// answer comes (S57).
    func cancel(_ item: GATTOperation) {
        item.done = nil
        guard let index = waiting.firstIndex(where: { $0 === item }) else { return }
        waiting.remove(at: index)
        dropped(item, nil)
    }

    /// The connection is down, and why is still being found out. What bluetoothd answers now to what was under way is
    /// not the reason, so ``fail(_:)`` has the last word.
    func suspend() { isSuspended = true }

    /// A pairing was refused. If the running operation needed it, bluetoothd keeps that operation at the head of its own queue and
    /// never answers it. If the peripheral began the pairing, the answer arrives soon, hence the delay.
    func refuse(_ error: BluetoothError) {
        guard let item = running, !isSuspended, !isRefused else { return }
        let number = item.number
        suspected = number
        client.bus.schedule(after: Self.answerDelay) { [weak self] in self?.giveUp(number, error) }
    }

    /// How long the answer of an operation may take that does not depend on the refused pairing.
    private static let answerDelay = Duration.milliseconds(250)

    /// The operation keeps its place, because a later pairing may still bring its answer.
    private func giveUp(_ number: UInt64, _ error: BluetoothError) {
        guard suspected == number else { return }
        suspected = nil
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

    /// Why an operation is not submitted; nil if it is.
    private func refusal(of item: GATTOperation) -> BluetoothError? {
        guard let refused else { return nil }
        if item.operation == refused.operation, item.target == refused.target { return refused.error }
        let first = BluetoothError(.needsPairing, operation: refused.operation, target: refused.target).summary
        return BluetoothError(.connectionStalled, dbusMessage: "pairing was refused after this: \(first.dropLast())")
    }

    /// bluetoothd has asked our agent about a pairing of this peripheral, which nobody has asked for: the running operation needs it.
    func pairingBegan() { running?.isPairing = true }

    /// The device has been paired, perhaps by another program. bluetoothd then sends the operation that it kept, and what follows. Our
    /// call of it may have reached its deadline before, and would never end the refusal.
    func paired() {
        refused = nil
        suspected = nil
        running?.isPairing = false
    }

    /// The connection is over: everything fails with one cause.
    func fail(_ cause: BluetoothError) {
        let (begun, items) = (running, waiting)
        running = nil
        suspected = nil
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
        client.eventLog.trace(.operationStarted(described(item), waited: client.settings.elapsed(since: item.since)))
        item.since = client.settings.now
        item.started?()
        call = client.bus.call(item.message, timeout: item.deadline) { [weak self] in self?.answered($0) }
    }

    private func answered(_ result: Result<Message, DBusError>) {
        // A bus that ends fails what is in flight before it says that it has ended, and links end with it.
        if case .failure(let error) = result, error.name == DBusError.Name.disconnected { suspend() }
        guard !isSuspended, let item = running else { return }
        running = nil
        call = nil
        suspected = nil
        let outcome = result.mapError { explained(item.failure($0), item) }
        // At our own deadline bluetoothd still waits, and would not answer the next operation either.
        if case .failure(let error) = outcome, error.kind == .timedOut {} else { refused = nil }
        if case .failure(let error) = outcome { ended(item, error) } else { ended(item, nil) }
        item.finish(outcome)
        advance()
    }

    /// What an error of bluetoothd means here, where it does not say so.
    private func explained(_ error: BluetoothError, _ item: GATTOperation) -> BluetoothError {
        // ATT gives up after 30 s; bluetoothd reports that as 0x0E, as if the peripheral had answered (Q120).
        if error.attCode == 0x0E, client.settings.elapsed(since: item.since) >= Self.attTimeout {
            return BluetoothError(
                .timedOut, operation: error.operation, target: error.target, dbusName: error.dbusName,
                dbusMessage: error.dbusMessage)
        }
        return error.withWeakBond(client.mirror.isBonded(peripheral.key))
    }

    /// Source: Core Specification 5.4, Vol 3, Part F, 3.3.3.
    private static let attTimeout = Duration.seconds(30)

    // MARK: What is told of it

    /// The operation that has its turn, with how long it has it.
    var current: (operation: QueuedOperation, time: Duration)? {
        running.map { (described($0), client.settings.elapsed(since: $0.since)) }
    }

    /// How many operations wait behind it.
    var waitingCount: Int { waiting.count }

    private func described(_ item: GATTOperation) -> QueuedOperation {
        QueuedOperation(
            number: item.number, operation: item.operation, peripheral: peripheral, target: item.target)
    }

    private func ended(_ item: GATTOperation, _ error: BluetoothError?) {
        client.eventLog.trace(.operationEnded(described(item), took: client.settings.elapsed(since: item.since), error))
    }

    private func dropped(_ item: GATTOperation, _ error: BluetoothError?) {
        client.eventLog.trace(
            .operationDropped(described(item), waited: client.settings.elapsed(since: item.since), error))
    }
}
