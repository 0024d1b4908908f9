internal import CDBus

/// One who wants to know of the end.
final class DisconnectHandler: Entry, @unchecked Sendable {
    // Guard: touched in the context only, once it is made.
    var handler: (@Sendable (DBusError) -> Void)?

    init(_ handler: @escaping @Sendable (DBusError) -> Void) { self.handler = handler }

    func say(_ error: DBusError) {
        let handler = handler
        self.handler = nil
        if end() { handler?(error) }
    }
}

/// The end of a connection.
extension Core {
    func close() {
        enter { self.fail(.disconnected("The connection was closed here.")) }
    }

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        let disconnectHandler = DisconnectHandler(handler)
        enter {
            if case .closed(let error) = self.state {
                self.perform { disconnectHandler.say(error) }
            } else if !disconnectHandler.isEnded {
                self.disconnectHandlers.append(disconnectHandler)
            }
        }
        return BusTask {
            guard disconnectHandler.end() else { return }
            self.enter {
                disconnectHandler.handler = nil
                self.disconnectHandlers.removeAll { $0 === disconnectHandler }
            }
        }
    }

    /// Ends everything, once: first what is in flight, in the order in which it was sent, then those who asked for it.
    func finish(_ error: DBusError) {
        if case .closed = state { return }
        state = .closed(error)
        openDeadline?.cancel()
        uniqueName = nil
        // Moved out first: what is let go may run code that comes back here.
        let subscriptions = subscriptions
        let exports = exports
        let disconnectHandlers = disconnectHandlers
        let calls = takeCalls()
        (self.subscriptions, self.exports, self.disconnectHandlers) = ([], [:], [])
        (rules, owners) = ([:], [:])
        // Before anybody hears of it, so that who does finds our names free.
        startLingering()
        for call in calls {
            stop(call)
            call.settle(.failure(error))
        }
        for disconnectHandler in disconnectHandlers { disconnectHandler.say(error) }
        for subscription in subscriptions {
            _ = subscription.end()
            subscription.handler = nil
        }
        for export in exports.values {
            _ = export.end()
            export.handler = nil
        }
    }

    private func takeCalls() -> [PendingCall] {
        var calls = inFlight.values.sorted { $0.serial < $1.serial } + waiting.removeAll()
        for case .call(let call) in backlog { calls.append(call) }
        (inFlight, cappedInFlight, backlog) = ([:], 0, [])
        return calls
    }

    /// What was sent before is still written out, for a second at most: a bus that reads nothing must not hold us.
    private func startLingering() {
        lingerOn()
        if link != nil { lingerDeadline = schedule(after: .seconds(1)) { self.dropLink() } }
    }

    /// Lets libdbus's connection go once it has nothing more to write.
    func lingerOn() {
        guard case .closed = state, let link else { return }
        let mayWrite = unsafe dbus_connection_get_is_connected(link.raw) != 0
        if unsafe mayWrite && dbus_connection_has_messages_to_send(link.raw) != 0 { return }
        dropLink()
    }

    func dropLink() {
        guard let link else { return }
        self.link = nil
        lingerDeadline?.cancel()
        link.close()
    }
}
