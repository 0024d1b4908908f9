internal import CDBus

/// From nothing to a bus that has greeted us.
extension Core {
    func open(_ address: Connection.Address, timeout: Duration) {
        perform {
            self.openDeadline = self.schedule(after: timeout) {
                if case .opening = self.state {
                    self.fail(.noReply("The bus did not answer for \(timeout) after connecting to it began."))
                }
            }
            self.secondTry = address
            self.connect(to: address)
        }
    }

    /// connect(2) blocks where a socket's queue is full, and a name server may be asked: that has a thread of its own,
    /// which is given up at the deadline. It ends when the kernel lets it go.
    private func connect(to address: Connection.Address) {
        startThread(named: "rxbt-dbus-open") {
            let result = RawConnection.connect(to: address)
            self.perform { self.connected(result) }
        }
    }

    /// The bus hung up. Before it has authenticated us that is its way of refusing us (Q16), and also what a bus does that is
    /// ending just then: so it is asked once more, and one that ended will not be there.
    func hungUp() {
        guard case .opening = state, let link, unsafe dbus_connection_get_is_authenticated(link.raw) == 0 else {
            return fail(.disconnected("The bus closed the connection."))
        }
        guard let address = secondTry else {
            return fail(
                DBusError(
                    name: DBusError.Name.authFailed,
                    message: "The bus closed the connection instead of authenticating this process."))
        }
        secondTry = nil
        // Later, because libdbus is on the stack.
        perform { self.reconnect(to: address) }
    }

    private func reconnect(to address: Connection.Address) {
        guard case .opening = state, cause == nil else { return }
        // Nothing but our greeting was sent.
        for greeting in inFlight.values {
            stop(greeting)
            _ = greeting.end()
        }
        inFlight = [:]
        dropLink()
        connect(to: address)
    }

    private func connected(_ result: Result<RawConnection, DBusError>) {
        guard case .opening = state, cause == nil else {
            if case .success(let late) = result { late.close() }
            return
        }
        switch result {
        case .failure(let error): fail(error)
        case .success(let link):
            self.link = link
            guard adopt(link) else {
                return fail(DBusError(name: DBusError.Name.limitsExceeded, message: "No descriptor is left."))
            }
            greet()
        }
    }

    private func adopt(_ link: RawConnection) -> Bool {
        // Beyond these limits libdbus calls our watch functions from whichever thread lets a message go. Nothing
        // piles up without them either: what was read is delivered before more is read.
        unsafe dbus_connection_set_max_received_size(link.raw, Int.max)
        unsafe dbus_connection_set_max_received_unix_fds(link.raw, Int.max)
        return unsafe addFilter(to: link.raw) && addWatches(to: link.raw)
    }

    private func greet() {
        ask("Hello") { result in
            switch result {
            case .success(let reply):
                self.uniqueName = try? reply.read { (body) throws(DBusError) in try body.string() }
                self.opened()
            case .failure(let error): self.fail(error)
            }
        }
    }

    private func opened() {
        openDeadline?.cancel()
        state = .open
        for subscription in subscriptions { register(subscription) }
        let backlog = backlog
        self.backlog = []
        for outgoing in backlog {
            switch outgoing {
            case .call(let call): submit(call)
            case .message(let message): _ = transmit(message)
            }
        }
    }

    /// In the context: the connection is to end, as soon as nobody of libdbus or of ours is on the stack.
    func fail(_ error: DBusError) {
        if case .closed = state { return }
        if cause == nil { cause = error }
    }
}
