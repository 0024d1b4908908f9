/// Messages that this process sends: calls in flight with their deadlines, and calls that wait to be sent.
final class CallTable: @unchecked Sendable {
    // Guard: only the event loop uses the variables.
    private let loop: EventLoop
    private let lifecycle: ConnectionLifecycle
    private let connection: RawConnection
    private var inFlight: [UInt32: PendingCall] = [:]
    private var cappedInFlight = 0
    private var waiting = CallQueue()
    /// What was sent while the connection was opening, in order.
    private var backlog: [Outgoing] = []

    private enum Outgoing {
        case call(PendingCall)
        case message(Message)
    }

    // Q9: a system bus allows 128. The other half is for calls that expired here but not in the bus, and for our own
    // calls to the bus.
    /// How many calls are in flight at most; the others wait.
    private static let callsInFlight = 64

    init(_ loop: EventLoop, _ lifecycle: ConnectionLifecycle, _ connection: RawConnection) {
        self.loop = loop
        self.lifecycle = lifecycle
        self.connection = connection
    }

    // MARK: On any thread

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
        loop.enter { self.submit(call) }
        return BusTask {
            guard call.end() else { return }
            self.loop.enter { self.drop(call) }
        }
    }

    func send(_ message: Message) {
        guard let copy = message.copy() else { return }
        loop.enter {
            switch self.lifecycle.state.phase {
            case .opening: self.backlog.append(.message(copy))
            case .open: _ = self.connection.send(copy)
            case .closed: break
            }
        }
    }

    // MARK: In the event loop

    private func submit(_ call: PendingCall) {
        guard !call.isEnded else { return }
        guard call.message != nil else {
            return settleLater(
                call, .invalidArgument("This is not a method call, or its file descriptors cannot be duplicated."))
        }
        switch lifecycle.state.phase {
        case .opening: backlog.append(.call(call))
        case .closed(let error): settleLater(call, error)
        case .open where cappedInFlight < Self.callsInFlight && waiting.isEmpty:
            call.isCapped = true
            dispatch(call)
        case .open: waiting.append(call)
        }
    }

    /// Puts a call on the wire. The event loop cannot read the reply before the call is registered.
    private func dispatch(_ call: PendingCall) {
        guard let message = call.message else { return }
        call.message = nil
        guard let serial = connection.send(message) else {
            call.isCapped = false
            return settleLater(
                call, DBusError(name: DBusError.Name.limitsExceeded, message: "libdbus refuses to send the call."))
        }
        call.serial = serial
        inFlight[serial] = call
        if call.isCapped { cappedInFlight += 1 }
        loop.start(call, due: MonotonicClock.moment(after: call.timeout))
    }

    /// Calls the bus itself. These few calls do not wait: their place among the match rules matters.
    func callBus(
        _ member: String, _ argument: String? = nil, _ done: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) {
        // No deadline: the bus answers or disconnects.
        let call = PendingCall(self, .seconds(Int64.max), done)
        call.message = try? Message.toBus(member) { (body) throws(DBusError) in
            if let argument { try body.string(argument) }
        }
        dispatch(call)
    }

    /// Completes the call that a reply answers. A late reply is released here, with its file descriptors.
    func receiveReply(_ reply: Message) {
        guard let call = inFlight[reply.replySerial] else { return }
        remove(call)
        sendWaiting()
        call.settle(reply.error.map { .failure($0) } ?? .success(reply))
    }

    /// Fails a call at its deadline. ``receiveReply(_:)`` ignores a later reply.
    func expire(_ call: PendingCall) {
        remove(call)
        sendWaiting()
        call.settle(.failure(.noReply("No reply came within \(call.timeout).")))
    }

    private func drop(_ call: PendingCall) {
        call.message = nil
        call.clear()
        remove(call)
        sendWaiting()
    }

    private func remove(_ call: PendingCall) {
        guard call.serial != 0, inFlight.removeValue(forKey: call.serial) != nil else { return }
        loop.stop(call)
        if call.isCapped { cappedInFlight -= 1 }
    }

    private func sendWaiting() {
        while cappedInFlight < Self.callsInFlight, lifecycle.state.isOpen, let next = waiting.popFirst() {
            guard !next.isEnded else { continue }
            next.isCapped = true
            dispatch(next)
        }
    }

    // No method calls back before it returns.
    private func settleLater(_ call: PendingCall, _ error: DBusError) {
        loop.perform { call.settle(.failure(error)) }
    }

    // MARK: Opening and closing

    /// Sends what waited for the connection to open.
    func open() {
        let backlog = backlog
        self.backlog = []
        for outgoing in backlog {
            switch outgoing {
            case .call(let call): submit(call)
            case .message(let message): _ = connection.send(message)
            }
        }
    }

    /// Forgets the Hello of an attempt to connect, without a result. Nothing else is in flight then.
    func forgetHello() {
        for hello in inFlight.values {
            loop.stop(hello)
            hello.end()
        }
        inFlight = [:]
    }

    /// Fails all calls, in the order in which they were sent.
    func close(_ error: DBusError) {
        var calls = inFlight.values.sorted { $0.serial < $1.serial } + waiting.removeAll()
        for case .call(let call) in backlog { calls.append(call) }
        (inFlight, cappedInFlight, backlog) = ([:], 0, [])
        for call in calls {
            loop.stop(call)
            call.settle(.failure(error))
        }
    }
}
