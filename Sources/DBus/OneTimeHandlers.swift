import Synchronization

/// A flag that any thread sets once: a call was answered or cancelled, or a subscription has ended.
///
/// Subclasses add state, for example a handler that is released when the flag is set.
package class EndFlag: @unchecked Sendable {
    // Guard: the flag is atomic. Only the bus's context uses the variables of subclasses.
    private let ended = Atomic<Bool>(false)

    package init() {}

    package final var isEnded: Bool { ended.load(ordering: .acquiring) }

    /// Sets the flag. Returns true for the first call only.
    @discardableResult
    package final func end() -> Bool { !ended.exchange(true, ordering: .acquiringAndReleasing) }
}

/// The handler of a call's reply. It runs at most once.
package class PendingReply: Deadline, @unchecked Sendable {
    // Guard: one thread makes the object and passes it to the bus's context. Then only the context uses the variables.
    /// The serial number of the call; 0 before the call is sent.
    package final var serial: UInt32 = 0
    private var handler: (@Sendable (Result<Message, DBusError>) -> Void)?

    package init(_ handler: @escaping @Sendable (Result<Message, DBusError>) -> Void) { self.handler = handler }

    /// Runs the handler, unless the call was cancelled.
    package final func settle(_ result: Result<Message, DBusError>) {
        let handler = handler
        clear()
        if end() { handler?(result) }
    }

    /// Releases the handler.
    package final func clear() { handler = nil }
}

/// A handler that runs at most once, when the connection closes.
package final class DisconnectHandler: EndFlag, @unchecked Sendable {
    // Guard: only the bus's context uses `handler` after `init`.
    private var handler: (@Sendable (DBusError) -> Void)?

    package init(_ handler: @escaping @Sendable (DBusError) -> Void) { self.handler = handler }

    package func run(_ error: DBusError) {
        let handler = handler
        release()
        if end() { handler?(error) }
    }

    package func release() { handler = nil }
}
