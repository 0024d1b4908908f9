// Has package access, because Swift 6.3 otherwise reports "infinite recursion" in the implicit override of `init`.
/// A call of this process that waits to be sent, or waits for its reply.
package final class PendingCall: PendingReply, @unchecked Sendable {
    // Guard: as in `PendingReply`.
    let timeout: Duration
    /// The message to send; nil after it was sent.
    var message: Message?
    /// Whether the call counts towards the limit of calls in flight.
    var isCapped = false
    private let table: CallTable

    init(
        _ table: CallTable, _ timeout: Duration, _ reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) {
        self.table = table
        self.timeout = timeout
        super.init(reply)
    }

    override func expire() { table.expire(self) }
}

/// A queue of calls that wait to be sent.
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
