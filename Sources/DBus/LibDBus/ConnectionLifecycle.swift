/// The state of a connection as a value: opening, then open, then closed.
struct BusConnectionState {
    enum Phase {
        /// The bus has not yet answered Hello.
        case opening
        case open
        case closed(DBusError)
    }

    private(set) var phase = Phase.opening
    /// Why the connection closes at the end of the event loop's present turn; nil if it does not close.
    private(set) var closeReason: DBusError?
    private var mayRetry = true

    var isOpening: Bool { if case .opening = phase { true } else { false } }
    var isOpen: Bool { if case .open = phase { true } else { false } }
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Whether a connection that opens now is still needed.
    var mayConnect: Bool { isOpening && closeReason == nil }

    /// Records that the bus has answered Hello.
    mutating func open() { phase = .open }

    /// Records why the connection must close. Only the first reason is stored.
    mutating func fail(_ error: DBusError) {
        if !isClosed, closeReason == nil { closeReason = error }
    }

    // Q16: a bus that refuses us and a bus that is exiting both hang up before authentication. An exiting bus closes
    // the socket that listens a moment later, so only a bus that refuses us also accepts the second connection.
    /// Records that the bus closed the socket. Returns the pause before connecting again; nil if the connection ends.
    mutating func hangUp(isAuthenticated: Bool) -> Duration? {
        guard isOpening, !isAuthenticated else {
            fail(.disconnected("The bus closed the connection."))
            return nil
        }
        guard mayRetry else {
            fail(
                DBusError(
                    name: DBusError.Name.authFailed,
                    message: "The bus closed the connection instead of authenticating this process."))
            return nil
        }
        mayRetry = false
        return .milliseconds(100)
    }

    /// Changes the phase to closed if there is a reason to close. Returns the reason, once.
    mutating func close() -> DBusError? {
        guard let reason = closeReason else { return nil }
        closeReason = nil
        phase = .closed(reason)
        return reason
    }
}

/// The state of a connection, and the handlers that run when it closes.
final class ConnectionLifecycle: @unchecked Sendable {
    // Guard: only the event loop uses the variables.
    private let loop: EventLoop
    private var handlers: [DisconnectHandler] = []
    var state = BusConnectionState()

    init(_ loop: EventLoop) { self.loop = loop }

    /// Calls `handler` once when the connection closes, or soon if it has closed already.
    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        let entry = DisconnectHandler(handler)
        loop.enter {
            if case .closed(let error) = self.state.phase {
                self.loop.perform { entry.run(error) }
            } else if !entry.isEnded {
                self.handlers.append(entry)
            }
        }
        return BusTask {
            guard entry.end() else { return }
            self.loop.enter {
                entry.release()
                self.handlers.removeAll { $0 === entry }
            }
        }
    }

    /// Runs all disconnect handlers. Must be called after closing.
    func runHandlers(_ error: DBusError) {
        let handlers = handlers
        self.handlers = []
        for entry in handlers { entry.run(error) }
    }
}
