/// A call of this process that waits to be sent, or for its reply.
final class PendingCall: Deadline, @unchecked Sendable {
    // Guard: one thread makes it and hands it to the event loop; from then on only the event loop uses it.
    let timeout: Duration
    /// The message to send; nil after it was sent.
    var message: Message?
    /// The serial number on the wire; 0 before it was sent.
    var serial: UInt32 = 0
    /// Whether the limit of calls in flight counts it.
    var isCapped = false
    private let table: CallTable
    private var reply: (@Sendable (Result<Message, DBusError>) -> Void)?

    init(
        _ table: CallTable, _ timeout: Duration, _ reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) {
        self.table = table
        self.timeout = timeout
        self.reply = reply
    }

    /// Completes the call with a result, unless it was cancelled.
    func settle(_ result: Result<Message, DBusError>) {
        let reply = reply
        forget()
        if end() { reply?(result) }
    }

    /// Releases what the caller passed in.
    func forget() {
        reply = nil
        message = nil
    }

    override func expire() { table.expire(self) }
}

/// Calls that wait to be sent, in order.
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
