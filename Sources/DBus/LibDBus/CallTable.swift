/// Sends messages. Stores calls in flight with their deadlines, and calls that wait to be sent.
final class CallTable: @unchecked Sendable {
    // Guard: only the event loop uses the variables.
    private let loop: EventLoop
    private let lifecycle: ConnectionLifecycle
    private let connection: RawConnection
    private var inFlight: [UInt32: PendingCall] = [:]
    private var cappedInFlight = 0
    private var waiting = CallQueue()
    /// Messages to send when the connection is open, in order.
    private var backlog: [Outgoing] = []

    private enum Outgoing {
        case call(PendingCall)
        case message(Message)
    }

    // Q9: a system bus allows 128 calls in flight. Half of them stay free for calls to the bus itself,
    // and for calls that have expired here but not in the bus.
    /// The maximum number of calls in flight; further calls wait.
    private static let callsInFlight = 64

    init(_ loop: EventLoop, _ lifecycle: ConnectionLifecycle, _ connection: RawConnection) {
        self.loop = loop
        self.lifecycle = lifecycle
        self.connection = connection
    }

    /// Whether no call waits for its reply.
    var isIdle: Bool { inFlight.isEmpty }

    // MARK: On any thread

    @discardableResult
    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        let call = PendingCall(self, timeout, reply)
        // Sends a copy: libdbus writes a serial number into the message, and the caller may send the original again.
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

    /// Sends a call and registers it, before the event loop can read the reply.
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

    /// Calls the bus itself, regardless of the limit on calls in flight.
    ///
    /// The call is sent immediately, because its order relative to `AddMatch` messages matters.
    func callBus(
        _ member: String, _ argument: String? = nil, _ done: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) {
        // The call needs no deadline, because the bus either answers or disconnects.
        let call = PendingCall(self, .seconds(Int64.max), done)
        call.message = try? Message.toBus(member) { (body) throws(DBusError) in
            if let argument { try body.string(argument) }
        }
        dispatch(call)
    }

    /// Completes the call that `reply` answers. Releases a late reply with its file descriptors.
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

    // Settles the call in later work, because no method of a bus calls back before it returns.
    private func settleLater(_ call: PendingCall, _ error: DBusError) {
        loop.perform { call.settle(.failure(error)) }
    }

    // MARK: Opening and closing

    /// Sends the messages that waited for the connection to open.
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

    /// Removes the `Hello` call of a failed attempt to connect, without calling its handler.
    ///
    /// No other call is in flight while the connection opens.
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
