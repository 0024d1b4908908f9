/// A call of this process that waits to be sent, or for its reply.
// Package access: Swift 6.3 reports "infinite recursion" for the implicit override of a package initialiser otherwise.
package final class PendingCall: PendingReply, @unchecked Sendable {
    // Guard: as in `PendingReply`.
    let timeout: Duration
    /// The message to send; nil after it was sent.
    var message: Message?
    /// Whether the limit of calls in flight counts it.
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
