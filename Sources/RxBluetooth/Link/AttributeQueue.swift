import DBus
import FoundationEssentials

/// The operations on a connection's attributes, one after the other: ATT has one request under way at a time, and
/// bluetoothd answers InProgress to a second one on the same attribute (Q94).
final class AttributeQueue: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    private unowned let client: BlueZClient
    private let peripheral: Peripheral
    /// How many operations there have been.
    private var count: UInt64 = 0
    private var waiting: [Item] = []
    private var running: Item?
    private var call: BusTask?
    private var isSuspended = false
    /// Why nothing is submitted while what runs has no answer: it waits for a pairing that was refused.
    private var refusal: BluetoothError?
    var isRefused: Bool { refusal != nil }

    /// One operation.
    final class Item {
        let operation: BluetoothError.Operation
        let target: String
        let message: Message
        let deadline: Duration
        fileprivate var number: UInt64 = 0
        /// When it began to wait, and from its turn on when that was.
        fileprivate var since: Date?
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

    init(_ client: BlueZClient, of peripheral: Peripheral) {
        self.client = client
        self.peripheral = peripheral
    }

    func submit(_ item: Item) {
        count += 1
        item.number = count
        item.since = client.settings.now
        if let refusal {
            dropped(item, refusal)
            return item.fail(refusal)
        }
        waiting.append(item)
        client.journal.trace(.operationQueued(described(item), waiting: waiting.count))
        advance()
    }

    /// Nobody waits for the operation any more. One that waits never runs; one that runs holds its place until its
    /// answer comes (S57).
    func cancel(_ item: Item) {
        item.done = nil
        guard let index = waiting.firstIndex(where: { $0 === item }) else { return }
        waiting.remove(at: index)
        dropped(item, nil)
    }

    /// The connection is down, and why is still being found out. What bluetoothd answers now to what was under way is
    /// not the reason, so ``fail(_:)`` has the last word.
    func suspend() { isSuspended = true }

    /// A pairing was refused that the link needs. bluetoothd leaves what runs without an answer until ATT gives up after 30 s, and
    /// everything behind it; nobody is to wait for that. What runs holds its place, for a later pairing brings its answer.
    func refuse(_ error: BluetoothError) {
        guard let item = running, !isSuspended else { return }
        refusal = error
        let items = waiting
        waiting = []
        item.fail(error)
        for item in items {
            dropped(item, error)
            item.fail(error)
        }
    }

    /// The connection is over: everything fails with one cause.
    func fail(_ cause: BluetoothError) {
        let (begun, items) = (running, waiting)
        running = nil
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
        client.journal.trace(.operationStarted(described(item), waited: client.settings.elapsed(since: item.since)))
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
        refusal = nil
        let outcome = result.mapError(item.failure)
        if case .failure(let error) = outcome { ended(item, error) } else { ended(item, nil) }
        item.finish(outcome)
        advance()
    }

    // MARK: What is told of it

    /// The operation that has its turn, with how long it has it.
    var holder: (operation: QueuedOperation, time: Duration)? {
        running.map { (described($0), client.settings.elapsed(since: $0.since)) }
    }

    /// How many operations wait behind it.
    var waitingCount: Int { waiting.count }

    private func described(_ item: Item) -> QueuedOperation {
        QueuedOperation(
            number: item.number, operation: item.operation, peripheral: peripheral, target: item.target)
    }

    private func ended(_ item: Item, _ error: BluetoothError?) {
        client.journal.trace(.operationEnded(described(item), took: client.settings.elapsed(since: item.since), error))
    }

    private func dropped(_ item: Item, _ error: BluetoothError?) {
        client.journal.trace(
            .operationDropped(described(item), waited: client.settings.elapsed(since: item.since), error))
    }
}
