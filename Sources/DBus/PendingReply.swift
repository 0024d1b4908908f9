/// The handler of a call's reply. It runs at most once.
package class PendingReply: Deadline, @unchecked Sendable {
    // Guard: one thread makes it and passes it to the bus's context. After that only the context uses the variables.
    /// The serial number of the call; 0 before it was sent.
    package final var serial: UInt32 = 0
    private var handler: (@Sendable (Result<Message, DBusError>) -> Void)?

    package init(_ handler: @escaping @Sendable (Result<Message, DBusError>) -> Void) { self.handler = handler }

    /// Runs the handler, unless the call was cancelled.
    package final func settle(_ result: Result<Message, DBusError>) {
        let handler = handler
        clear()
        if end() { handler?(result) }
    }

    /// Releases what the caller passed in.
    package final func clear() { handler = nil }
}
