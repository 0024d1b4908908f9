/// A call of ours that waits for its answer, or for its turn.
final class PendingCall: Deadline, @unchecked Sendable {
    // Guard: made by one thread, which hands it to the context; from then on touched in the context only.
    let timeout: Duration
    /// What is to be sent; nil once it was.
    var message: Message?
    /// The number on the wire; 0 before it was sent.
    var serial: UInt32 = 0
    /// Whether it counts among those that may be in flight.
    var isCapped = false
    private let core: Core
    private var reply: (@Sendable (Result<Message, DBusError>) -> Void)?

    init(
        _ core: Core, _ timeout: Duration, _ reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) {
        self.core = core
        self.timeout = timeout
        self.reply = reply
    }

    /// Ends the wait with a result, unless it was called off.
    func settle(_ result: Result<Message, DBusError>) {
        let reply = reply
        forget()
        if end() { reply?(result) }
    }

    /// Lets go of what the caller gave.
    func forget() {
        reply = nil
        message = nil
    }

    override func expire() { core.expire(self) }
}

/// Calls that wait for their turn, in order.
struct CallQueue {
    private var calls: [PendingCall?] = []
    private var first = 0

    var isEmpty: Bool { first == calls.count }

    mutating func append(_ call: PendingCall) { calls.append(call) }

    mutating func popFirst() -> PendingCall? {
        guard first < calls.count else { return nil }
        let call = calls[first]
        calls[first] = nil
        first += 1
        if first == calls.count || first >= 256 {
            calls.removeFirst(first)
            first = 0
        }
        return call
    }

    mutating func removeAll() -> [PendingCall] {
        defer {
            calls = []
            first = 0
        }
        return calls.compactMap { $0 }
    }
}
