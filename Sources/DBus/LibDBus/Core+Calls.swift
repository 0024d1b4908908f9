internal import CDBus

/// What goes out.
enum Outgoing: Sendable {
    case call(PendingCall)
    case message(Message)
}

/// Sending, and the answers.
extension Core {
    /// So many calls are in flight at most. A system bus grants 128 (Q9); the other half is for those that were given up
    /// here and that the bus still counts, and for what this layer itself asks.
    static let callsInFlight = 64

    @discardableResult
    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        let call = PendingCall(self, timeout, reply)
        // libdbus writes a serial into what it sends, and the caller may send the same message again or to another bus.
        if message.kind == .call, let copy = message.copy() {
            copy.expectReply()
            call.message = copy
        }
        enter { self.submit(call) }
        return BusTask {
            guard call.end() else { return }
            self.enter { self.drop(call) }
        }
    }

    func send(_ message: Message) {
        guard let copy = message.copy() else { return }
        enter {
            switch self.state {
            case .opening: self.backlog.append(.message(copy))
            case .open: _ = self.transmit(copy)
            case .closed: break
            }
        }
    }

    func submit(_ call: PendingCall) {
        guard !call.isEnded else { return }
        guard call.message != nil else {
            return settleLater(call, .invalidArgument("Only a method call can be called, and its descriptors copied."))
        }
        switch state {
        case .opening: backlog.append(.call(call))
        case .closed(let error): settleLater(call, error)
        case .open where cappedInFlight < Self.callsInFlight && waiting.isEmpty:
            call.isCapped = true
            dispatch(call)
        case .open: waiting.append(call)
        }
    }

    /// Puts a call on the wire. Its waiter is registered before the answer can be read: both happen in the context.
    func dispatch(_ call: PendingCall) {
        guard let message = call.message else { return }
        call.message = nil
        guard let serial = transmit(message) else {
            call.isCapped = false
            return settleLater(
                call, DBusError(name: DBusError.Name.limitsExceeded, message: "libdbus refuses to send the call."))
        }
        call.serial = serial
        inFlight[serial] = call
        if call.isCapped { cappedInFlight += 1 }
        start(call, due: MonotonicClock.moment(after: call.timeout))
    }

    /// The number that libdbus gave the message; nil where it cannot be sent.
    func transmit(_ message: Message) -> UInt32? {
        guard let link else { return nil }
        var serial: dbus_uint32_t = 0
        guard unsafe dbus_connection_send(link.raw, message.raw, &serial) != 0 else { return nil }
        return serial
    }

    /// An answer that nobody waits for any more is let go here, with the descriptors that it bears.
    func receiveReply(_ reply: Message) {
        guard let call = inFlight[reply.replySerial] else { return }
        remove(call)
        sendWaiting()
        call.settle(reply.error.map { .failure($0) } ?? .success(reply))
    }

    /// The deadline of a call has come. Its answer may still arrive, and is let go then.
    func expire(_ call: PendingCall) {
        remove(call)
        sendWaiting()
        call.settle(.failure(.noReply("No reply came within \(call.timeout).")))
    }

    private func drop(_ call: PendingCall) {
        call.forget()
        remove(call)
        sendWaiting()
    }

    private func remove(_ call: PendingCall) {
        guard call.serial != 0, inFlight.removeValue(forKey: call.serial) != nil else { return }
        stop(call)
        if call.isCapped { cappedInFlight -= 1 }
    }

    private func sendWaiting() {
        while cappedInFlight < Self.callsInFlight, case .open = state, let next = waiting.popFirst() {
            guard !next.isEnded else { continue }
            next.isCapped = true
            dispatch(next)
        }
    }

    /// No method calls back before it returns.
    private func settleLater(_ call: PendingCall, _ error: DBusError) {
        perform { call.settle(.failure(error)) }
    }
}
