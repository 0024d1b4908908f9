import DBus

/// An entry in the queue of a connection: a GATT operation, or a request for exclusive access.
class QueueEntry {
    let operation: BluetoothError.Operation
    let target: String
    let deadline: Duration
    let priority: OperationOptions.Priority
    /// The number of the entry within its link, from 1.
    var number: UInt64 = 0
    /// When the entry was queued; after its start, when it was started.
    var since: MonotonicTime?

    init(
        _ operation: BluetoothError.Operation, _ target: String, deadline: Duration,
        priority: OperationOptions.Priority
    ) {
        self.operation = operation
        self.target = target
        self.deadline = deadline
        self.priority = priority
    }

    /// Fails the entry for its caller.
    func fail(_ error: BluetoothError) {}
}

/// How an operation enters the queue of its connection.
struct QueueRequest: Sendable {
    var options = OperationOptions()
    /// The exclusive access that the operation belongs to; nil for none.
    var access: ExclusiveAccess.Token?
}

/// A GATT operation in the queue of its connection.
final class GATTOperation: QueueEntry {
    let message: Message
    /// The exclusive access that the operation belongs to; nil for none.
    var access: ExclusiveAccess.Token?
    /// Whether the operation serves several subscribers, so that it outlives an exclusive access.
    var isShared = false
    var isPairing = false
    /// Whether bluetoothd answers the operation only after a reply of the peripheral.
    var isForwarded = true
    let failure: (DBusError) -> BluetoothError
    private var done: ((Result<Message, BluetoothError>) -> Void)?
    /// Returns why the operation may not be sent any more; nil if it may.
    ///
    /// Checked directly before the call, because the services can change while the operation waits.
    var obstacle: (() -> BluetoothError?)?
    /// Runs when the operation is started.
    var started: (() -> Void)?
    /// Records the result of a started operation once, also if it was cancelled.
    var recorded: ((Result<Message, BluetoothError>) -> Void)?
    /// Runs when a started operation has ended, also if it was cancelled.
    var ended: ((Result<Message, BluetoothError>) -> Void)?

    init(
        _ operation: BluetoothError.Operation, _ target: String, _ message: Message, _ request: QueueRequest,
        deadline: Duration, failure: @escaping (DBusError) -> BluetoothError,
        done: @escaping (Result<Message, BluetoothError>) -> Void
    ) {
        self.message = message
        self.failure = failure
        self.done = done
        access = request.access
        super.init(
            operation, target, deadline: request.options.deadline ?? deadline, priority: request.options.priority)
    }

    /// Stops reporting to the caller.
    func cancel() { done = nil }

    /// Fails the operation for its caller. A later reply is not reported.
    override func fail(_ error: BluetoothError) {
        let done = done
        self.done = nil
        done?(.failure(error))
    }

    /// Records the result, unless one is recorded already.
    func record(_ result: Result<Message, BluetoothError>) {
        let recorded = recorded
        self.recorded = nil
        recorded?(result)
    }

    func finish(_ result: Result<Message, BluetoothError>) {
        record(result)
        ended?(result)
        done?(result)
    }
}

extension GATTOperation {
    /// The transaction time-out of ATT.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part F, 3.3.3.
    static let attTimeout = Duration.seconds(30)

    /// Corrects the kind of an error that bluetoothd reports imprecisely, or that is only a missing reply.
    ///
    /// - Parameters:
    ///   - error: The error of the reply, or of the missing reply.
    ///   - time: How long the operation has run.
    ///   - isBonded: Whether the peripheral has a bond.
    ///   - refusal: The error of a pairing that no operation had started, and that was refused.
    func corrected(
        _ error: BluetoothError, after time: Duration, _ isBonded: Bool, _ refusal: BluetoothError?
    ) -> BluetoothError {
        if let refusal, error.kind == .timedOut { return refusal.during(operation, target) }
        // ATT fails a request after 30 s. bluetoothd then reports 0x0E as if the peripheral had answered, so the kind
        // is corrected (Q120).
        if error.attCode == 0x0E, time >= Self.attTimeout {
            return BluetoothError(
                .timedOut, operation: error.operation, target: error.target, dbusName: error.dbusName,
                dbusMessage: error.dbusMessage
            )
            .withWeakBond(isBonded)
        }
        // bluetoothd sends “Not paired” also if the key is too short (Q96). For the other causes it pairs first, so it
        // sends this error only after a pairing.
        return error.withWeakBond(isBonded).withSuspectedKey(!isPairing)
    }
}
