import DBus

/// The notifications of a characteristic during a connection, shared by all subscribers (S69).
final class NotifySession {
    private let key: CharacteristicKey
    private let target: String
    private unowned let link: Link
    private let subscribers = EmitterList<[UInt8]>()
    private var phase = Phase.off
    /// The transport of the values; the first subscriber chooses it (Q105).
    private var transport = NotificationTransport.signals
    /// The transport for the present subscribers.
    ///
    /// It differs from `transport` while a start for earlier subscribers has no answer.
    private var wanted = NotificationTransport.signals
    private var socket: NotifySocket?
    /// Whether bluetoothd removed the characteristic, and the reason is not known yet.
    var isRemovalPending = false
    private var starting: GATTOperation?
    private(set) lazy var echoes = ReadEchoes(on: link.client.bus, link.client.settings) { [weak self] in
        self?.deliver($0)
    }

    /// The state of the notifications.
    private enum Phase {
        case off, queued, starting, on, stopping, ended
    }

    init(_ key: CharacteristicKey, target: String, link: Link) {
        self.key = key
        self.target = target
        self.link = link
    }

    /// Returns whether another subscriber can use a transport.
    ///
    /// Without subscribers, the session adopts the transport, unless a socket is just being opened. A session with a
    /// socket also accepts subscribers by signals.
    func accepts(_ transport: NotificationTransport) -> Bool {
        if subscribers.isEmpty {
            wanted = phase == .starting && self.transport == .socket ? .socket : transport
        }
        return transport == .signals || wanted == .socket
    }

    func add(_ emitter: Emitter<[UInt8]>) {
        subscribers.add(emitter) { [weak self] in self?.subscriberRemoved() }
        if phase == .off { start() }
    }

    private func subscriberRemoved() {
        guard subscribers.isEmpty else { return }
        switch phase {
        case .on: stop()
        case .queued:
            if let starting { link.queue.cancel(starting) }
            starting = nil
            phase = .off
        // A start that was sent cannot be undone. When it is answered, the notifications are turned off.
        case .off, .starting, .stopping, .ended: break
        }
    }

    private func start() {
        transport = wanted
        let call: BlueZCall = transport == .socket ? .acquireNotify(key) : .startNotify(key)
        guard let message = try? call.message() else { return }
        phase = .queued
        let target = target
        let item = GATTOperation(
            .notify, target, message, deadline: link.deadlines.operation,
            failure: { BluetoothError($0, operation: .notify, target: target) }
        ) { [weak self] result in
            // A result after the end of the link is ignored, because `ended` reports the cause.
            guard let self, phase == .starting || phase == .queued, link.isConnected else { return }
            starting = nil
            switch result {
            case .success(let reply):
                phase = .on
                // The notifications are turned off if no subscriber of this start is left.
                if subscribers.isEmpty || transport != wanted { return stop() }
                if transport == .socket { open(reply) }
            case .failure(let error):
                // A start that timed out may take effect later, so the notifications are turned off (Q8).
                if error.kind == .timedOut { stop() } else { phase = .off }
                // If the subscribers now need another transport, they need a start of their own.
                if transport == wanted { finish(error) } else if phase == .off { restart() }
            }
        }
        // Values are accepted as soon as the start is sent, because they may precede its reply (Q102). Earlier values
        // are echoes of reads.
        item.started = { [weak self] in self?.phase = .starting }
        // A start that failed because a pairing was refused may succeed later. The notifications are then turned off.
        item.ended = { [weak self] result in
            if let self, phase != .starting, (try? result.get()) != nil { sendStop() }
        }
        starting = item
        link.queue.submit(item)
    }

    /// Opens the socket in a reply of `AcquireNotify`.
    private func open(_ reply: Message) {
        do throws(DBusError) {
            let socket = try NotifySocket(reply, on: link.client.bus)
            self.socket = socket
            socket.start { [weak self] in
                self?.deliver($0)
            } ended: { [weak self] in
                self?.socketEnded()
            }
        } catch {
            stop()
            finish(BluetoothError(.protocolViolation, dbusName: error.name, dbusMessage: error.message))
        }
    }

    /// Handles the end of the socket: the link is lost, or another program turned notifications off.
    ///
    /// `Connected` is read to distinguish the two: the reason of a lost link arrives before the reply (Q107).
    private func socketEnded() {
        socket = nil
        link.client.readFlag("Connected", of: BlueZ.device, at: key.device.path) { [weak self] _ in
            guard let self, phase == .on, socket == nil, link.isConnected else { return }
            phase = .off
            finish(BluetoothError(.exclusiveUse, detail: "Another program has turned the notifications off"))
        }
    }

    private func stop() {
        phase = .stopping
        socket?.close()
        socket = nil
        sendStop { [weak self] in
            guard let self, phase == .stopping else { return }
            phase = .off
            restart()
        }
    }

    private func restart() {
        if !subscribers.isEmpty { start() }
    }

    /// Turns the notifications off without the queue, which drops its calls if the link is lost.
    ///
    /// bluetoothd answers at once. With any reply, the notifications are off for this program (Q104).
    private func sendStop(_ done: @escaping () -> Void = {}) {
        let teardowns = link.client.teardowns
        teardowns.begin()
        link.client.call(.stopNotify(key), deadline: link.deadlines.cleanup) { _ in
            done()
            teardowns.end()
        }
    }

    /// Handles a value from a signal.
    func received(_ value: [UInt8]) {
        guard transport == .signals, wanted == .signals, phase == .on || phase == .starting else { return }
        echoes.received(value)
    }

    private func deliver(_ value: [UInt8]) {
        subscribers.next(value)
    }

    /// Ends the session, because the connection has ended or the characteristic is gone.
    ///
    /// bluetoothd would turn notifications on again after the next connection (Q103). So this function turns them off
    /// if bluetoothd still has the characteristic.
    func ended(_ cause: BluetoothError) {
        guard phase != .ended else { return }
        if phase == .queued, let starting { link.queue.cancel(starting) }
        let wasOn = phase == .on || phase == .starting
        // The socket is drained first, because the end arrives over the bus: earlier values may still be in the socket.
        socket?.drain()
        socket?.close()
        phase = .ended
        if wasOn, link.client.owner != nil, link.client.mirror.record(key) != nil { sendStop() }
        finish(cause)
    }

    private func finish(_ error: BluetoothError) {
        subscribers.fail(error.during(.notify, target))
    }
}
