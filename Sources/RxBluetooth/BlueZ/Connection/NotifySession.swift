import DBus

/// The notifications of one characteristic during one connection: turned on once, for all who want them (S69).
final class NotifySession {
    private let key: CharacteristicKey
    private let target: String
    private unowned let link: Link
    private let subscribers = EmitterList<[UInt8]>()
    private var phase = Phase.off
    /// How values come; chosen by the first subscriber (Q105).
    private var transport = NotificationTransport.signals
    /// How the present subscribers want them. It differs from `transport` while a start that the last ones have left is unanswered.
    private var wanted = NotificationTransport.signals
    private var socket: NotifySocket?
    /// Whether bluetoothd took the characteristic away, and only the reason is still asked for.
    var isDoomed = false
    private var starting: GATTOperation?
    private(set) lazy var echoes = ReadEchoes(on: link.client.bus, link.client.settings) { [weak self] in
        self?.deliver($0)
    }

    private enum Phase {
        case off, queued, starting, on, stopping, ended
    }

    init(_ key: CharacteristicKey, target: String, link: Link) {
        self.key = key
        self.target = target
        self.link = link
    }

    /// Whether one more subscriber can have its values so. A session without subscribers is turned to what is asked for; a socket
    /// that is just being opened also serves a subscriber by signals.
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
        // What was sent cannot be taken back; its answer brings the stop.
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
            // Where the link is over, `ended` has the last word.
            guard let self, phase == .starting || phase == .queued, link.isConnected else { return }
            starting = nil
            switch result {
            case .success(let reply):
                phase = .on
                // The subscribers that wanted this one have left.
                if subscribers.isEmpty || transport != wanted { return stop() }
                if transport == .socket { open(reply) }
            case .failure(let error):
                // What was not answered may take effect later (Q8).
                if error.kind == .timedOut { stop() } else { phase = .off }
                // The present subscribers wait for a start of their own.
                if transport == wanted { finish(error) } else if phase == .off { restart() }
            }
        }
        // Values may come before the reply (Q102), but only once it is our turn: before that they are echoes of reads.
        item.started = { [weak self] in self?.phase = .starting }
        // One that was given up for want of a pairing may come about after that.
        item.ended = { [weak self] result in
            if let self, phase != .starting, (try? result.get()) != nil { sendStop() }
        }
        starting = item
        link.queue.submit(item)
    }

    /// Takes the socket that bluetoothd hands over.
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

    /// bluetoothd has closed the socket: the link is lost, and the reason is about to be known (Q107), or another program has
    /// turned the notifications off.
    private func socketEnded() {
        socket = nil
        link.client.readFlag("Connected", of: BlueZ.device, at: key.device.path) { [weak self] _ in
            guard let self, phase == .on, socket == nil, link.isConnected else { return }
            phase = .off
            finish(BluetoothError(.exclusiveUse, dbusMessage: "Another program has turned the notifications off"))
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

    /// Turning them off needs no place in the queue, where it would be forgotten if the link is lost: bluetoothd answers
    /// at once. Whatever the answer is, they are off for us (Q104).
    private func sendStop(_ done: @escaping () -> Void = {}) {
        let teardowns = link.client.teardowns
        teardowns.begin()
        link.client.call(.stopNotify(key), deadline: link.deadlines.cleanup) { _ in
            done()
            teardowns.end()
        }
    }

    /// A value came by a signal.
    func received(_ value: [UInt8]) {
        guard transport == .signals, wanted == .signals, phase == .on || phase == .starting else { return }
        echoes.received(value)
    }

    private func deliver(_ value: [UInt8]) {
        subscribers.next(value)
    }

    /// The connection, or the characteristic, is gone. bluetoothd would turn notifications on again by itself after
    /// the next connection, so it is told that they are not wanted (Q103), if it still has the characteristic.
    func ended(_ cause: BluetoothError) {
        guard phase != .ended else { return }
        if phase == .queued, let starting { link.queue.cancel(starting) }
        let wasOn = phase == .on || phase == .starting
        // What came before the end is still there, for it comes by another way than the news of the end.
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
