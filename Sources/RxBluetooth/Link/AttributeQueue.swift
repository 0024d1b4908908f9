import DBus

/// The operations on a connection's attributes, one after the other: ATT has one request under way at a time, and
/// bluetoothd answers InProgress to a second one on the same attribute (Q94).
final class AttributeQueue: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    private unowned let client: BlueZClient
    private var waiting: [Item] = []
    private var running: Item?

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

        fileprivate func finish(_ result: Result<Message, BluetoothError>) {
            ended?(result)
            done?(result)
        }
    }

    init(_ client: BlueZClient) { self.client = client }

    func submit(_ item: Item) {
        waiting.append(item)
        advance()
    }

    /// Nobody waits for the operation any more. One that waits never runs; one that runs holds its place until its
    /// answer comes (S57). Tells whether it had begun.
    @discardableResult
    func cancel(_ item: Item) -> Bool {
        item.done = nil
        if running === item { return true }
        waiting.removeAll { $0 === item }
        return false
    }

    /// The connection is over: everything fails with one cause.
    func fail(_ cause: BluetoothError) {
        let (begun, items) = (running, waiting)
        running = nil
        waiting = []
        begun?.finish(.failure(cause))
        for item in items { item.done?(.failure(cause)) }
    }

    private func advance() {
        guard running == nil, !waiting.isEmpty else { return }
        let item = waiting.removeFirst()
        running = item
        item.started?()
        let number = ObjectIdentifier(item)
        client.bus.call(item.message, timeout: item.deadline) { [weak self] result in
            guard let self, let item = running, ObjectIdentifier(item) == number else { return }
            running = nil
            item.finish(result.mapError(item.failure))
            advance()
        }
    }
}
