import DBus

/// The operations on a connection's attributes, one after the other: ATT has one request under way at a time, and
/// bluetoothd answers InProgress to a second one on the same attribute (Q94).
final class AttributeQueue: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    private unowned let client: BlueZClient
    private var waiting: [Item] = []
    private var running: Item?
    private var call: BusTask?
    private var isSuspended = false
    /// Why nothing is submitted while what runs has no answer: it waits for a pairing that was refused.
    private var refusal: BluetoothError?
    var isRefused: Bool { refusal != nil }

    /// One operation.
    final class Item {
        let message: Message
        let deadline: Duration
        fileprivate let failure: (DBusError) -> BluetoothError
        fileprivate var done: ((Result<Message, BluetoothError>) -> Void)?
        /// Runs when it is the operation's turn.
        var started: (() -> Void)?
        /// Runs when an operation that had started is over, also where nobody waits for it any more.
        var ended: ((Result<Message, BluetoothError>) -> Void)?

        init(
            _ message: Message, deadline: Duration, failure: @escaping (DBusError) -> BluetoothError,
            done: @escaping (Result<Message, BluetoothError>) -> Void
        ) {
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

    init(_ client: BlueZClient) { self.client = client }

    func submit(_ item: Item) {
        if let refusal { return item.fail(refusal) }
        waiting.append(item)
        advance()
    }

    /// Nobody waits for the operation any more. One that waits never runs; one that runs holds its place until its
    /// answer comes (S57).
    func cancel(_ item: Item) {
        item.done = nil
        waiting.removeAll { $0 === item }
    }

    /// The connection is down, and why is still being found out. What bluetoothd answers now to what was under way is
    /// not the reason, so ``fail(_:)`` has the last word.
    func suspend() { isSuspended = true }

    /// A pairing was refused that the link needs. bluetoothd leaves what runs without an answer until ATT gives up after 30 s, and
    /// everything behind it; nobody is to wait for that. What runs holds its place, for a later pairing brings its answer.
    func refuse(_ error: BluetoothError) {
        guard let item = running, !isSuspended else { return }
        refusal = error
        let items = [item] + waiting
        waiting = []
        for item in items { item.fail(error) }
    }

    /// The connection is over: everything fails with one cause.
    func fail(_ cause: BluetoothError) {
        let (begun, items) = (running, waiting)
        running = nil
        waiting = []
        call?.cancel()
        call = nil
        begun?.finish(.failure(cause))
        for item in items { item.done?(.failure(cause)) }
    }

    private func advance() {
        guard running == nil, !isSuspended, !waiting.isEmpty else { return }
        let item = waiting.removeFirst()
        running = item
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
        item.finish(result.mapError(item.failure))
        advance()
    }
}
