internal import CDBus
import Glibc

/// The implementation of ``Connection``: owns its parts, and runs the steps from connecting to closing.
///
/// The event loop's thread retains this object and not the ``Connection``, so releasing the ``Connection`` closes it.
final class ConnectionCore: Bus, @unchecked Sendable {
    // Guard: only the event loop uses the variables.
    private let loop: EventLoop
    private let lifecycle: ConnectionLifecycle
    private let connection = RawConnection()
    private let calls: CallTable
    private let signals: SignalRouter
    private let objects: ObjectServer
    private let name = Guarded<String?>(nil)
    private var openDeadline: BusTask?
    private var lingerDeadline: BusTask?

    init(readingEvery interval: Duration = .zero) {
        loop = EventLoop(interval: interval)
        lifecycle = ConnectionLifecycle(loop)
        calls = CallTable(loop, lifecycle, connection)
        signals = SignalRouter(loop, lifecycle, connection, calls)
        objects = ObjectServer(loop, lifecycle, calls)
        loop.attach(self)
    }

    /// Our unique name on the bus; readable on any thread.
    private(set) var uniqueName: String? {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    // MARK: Bus

    var clock: BusClock { .monotonic }

    func perform(_ work: @escaping @Sendable () -> Void) { loop.perform(work) }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        loop.schedule(after: delay, work)
    }

    func preconditionInContext() { loop.preconditionInContext() }

    func performAtEndOfTurn(_ work: @escaping @Sendable () -> Void) -> Bool { loop.performAtEndOfTurn(work) }

    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask { calls.call(message, timeout: timeout, reply: reply) }

    func send(_ message: Message) { calls.send(message) }

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        signals.subscribe(rule, handler)
    }

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask { objects.export(at: path, includingChildren: includingChildren, handler) }

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        objects.requestName(name, done)
    }

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        lifecycle.whenDisconnected(handler)
    }

    func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask { loop.watch(socket, for: event, ready) }

    func close() { loop.enter { self.fail(.disconnected("The connection was closed here.")) } }

    // MARK: Opening

    func open(_ address: Connection.Address, timeout: Duration) {
        loop.perform {
            self.address = address
            self.openDeadline = self.loop.schedule(after: timeout) {
                if self.lifecycle.state.isOpening {
                    self.fail(.noReply("The bus did not answer within \(timeout) after connecting began."))
                }
            }
            self.connect(to: address)
        }
    }

    /// The address to connect to again if the bus hangs up.
    private var address: Connection.Address?

    // A separate thread calls connect(2), which blocks while the socket's queue is full or a host name is looked up.
    /// Connects on a separate thread. A connection that opens after the deadline is closed.
    private func connect(to address: Connection.Address) {
        startThread(named: "rxbt-dbus-open") {
            let result = RawConnection.connect(to: address)
            self.loop.perform { self.connected(result) }
        }
    }

    private func connected(_ result: Result<RawConnection.Handle, DBusError>) {
        guard lifecycle.state.mayConnect else {
            if case .success(let late) = result { late.close() }
            return
        }
        switch result {
        case .failure(let error): fail(error)
        case .success(let handle):
            guard connection.adopt(handle, receiver: self) else {
                return fail(
                    DBusError(name: DBusError.Name.limitsExceeded, message: "No file descriptor or memory is left."))
            }
            sendHello()
        }
    }

    private func sendHello() {
        calls.callBus("Hello") { result in
            switch result {
            case .success(let reply):
                self.uniqueName = try? reply.read { (body) throws(DBusError) in try body.string() }
                self.openDeadline?.cancel()
                self.lifecycle.state.open()
                self.signals.open()
                self.calls.open()
            case .failure(let error): self.fail(error)
            }
        }
    }

    func hangUp() {
        guard let pause = lifecycle.state.hangUp(isAuthenticated: connection.isAuthenticated), let address else {
            return
        }
        // Closes libdbus's connection in later work, because a function of libdbus is still on the stack.
        loop.perform {
            guard self.lifecycle.state.mayConnect else { return }
            self.calls.forgetHello()
            self.connection.close()
            self.loop.schedule(after: pause) {
                if self.lifecycle.state.mayConnect { self.connect(to: address) }
            }
        }
    }

    // MARK: Closing

    /// Closes the connection at the end of the event loop's present turn, when no callback is on the stack.
    private func fail(_ error: DBusError) { lifecycle.state.fail(error) }

    private func finish(_ error: DBusError) {
        openDeadline?.cancel()
        uniqueName = nil
        connection.dropMessages()
        // If everything is written, closes the socket before handlers run, so that the bus has released our names.
        closeWhenWritten()
        // Drops the connection after one second, because a bus that does not read would keep it open forever.
        if connection.isAdopted { lingerDeadline = loop.schedule(after: .seconds(1)) { self.dropConnection() } }
        calls.close(error)
        lifecycle.runHandlers(error)
        signals.close()
        objects.close()
    }

    /// Releases libdbus's connection if the state is closed and all messages are written.
    private func closeWhenWritten() {
        if lifecycle.state.isClosed, connection.isAdopted, !connection.mustWrite { dropConnection() }
    }

    private func dropConnection() {
        lingerDeadline?.cancel()
        connection.close()
    }
}

extension ConnectionCore: EventLoopClient {
    /// The maximum number of messages per turn, so that a flood of signals does not delay timers.
    private static let messagesPerTurn = 32

    var interest: Poller.Interest { connection.interest }

    func handle(_ events: Int16) { connection.handle(events) }

    func turn() -> Int {
        var budget = Self.messagesPerTurn
        while true {
            while budget > 0, mayDispatch, connection.dispatch() { budget -= 1 }
            guard budget > 0, mayDispatch, connection.mayHaveMore else { break }
            // Reading again in the same turn saves a wake-up of each receiver of signals.
            connection.handle(Int16(POLLIN))
        }
        if let reason = lifecycle.state.close() { finish(reason) }
        closeWhenWritten()
        return Self.messagesPerTurn - budget
    }

    var isBusy: Bool {
        if lifecycle.state.closeReason != nil { return true }
        return !lifecycle.state.isClosed && connection.hasMessages
    }

    var mayPause: Bool { lifecycle.state.isOpen && calls.isIdle && connection.interest.isReadingOnly }

    var isFinished: Bool { lifecycle.state.isClosed && !connection.isAdopted }

    private var mayDispatch: Bool { !lifecycle.state.isClosed && lifecycle.state.closeReason == nil }
}

extension ConnectionCore: RawConnectionReceiver {
    // The specification requires ignoring messages of an unknown type.
    func receive(_ message: Message) {
        switch message.kind {
        case .signal: signals.receive(message)
        case .reply, .error: calls.receiveReply(message)
        case .call: objects.serve(message, on: self)
        case nil: break
        }
    }
}
