import DBus

/// The socket on which bluetoothd sends notified values, one per packet.
final class NotifySocket {
    private var end: SharedSocket?
    private let bus: BusContext
    private var watch: BusTask?
    private var received: (([[UInt8]]) -> Void)?

    /// The largest number of values in one turn of the bus context, so that a flood does not delay timers and calls.
    static let valuesPerTurn = 256

    /// Takes the socket from a reply of `AcquireNotify`.
    init(_ reply: Message, on bus: BusContext) throws(DBusError) {
        self.bus = bus
        end = try reply.read { (body) throws(DBusError) in
            SharedSocket(PacketSocket(adopting: try body.descriptor()))
        }
    }

    /// Delivers the values that wait together, and reports the end of the socket.
    ///
    /// A call of ``close()`` is not reported.
    func start(_ received: @escaping ([[UInt8]]) -> Void, ended: @escaping () -> Void) {
        guard let end else { return }
        self.received = received
        watch = bus.watch(end, for: .readable) { [weak self] in
            if let self, !receive(atMost: Self.valuesPerTurn) {
                close()
                ended()
            }
        }
    }

    /// Delivers all values that have arrived.
    func drain() { receive(atMost: .max) }

    /// Delivers values that have arrived. Returns false if the other end is closed.
    @discardableResult
    private func receive(atMost limit: Int) -> Bool {
        guard let end, let received else { return true }
        var values: [[UInt8]] = []
        let progress = end.socket.receiveWaiting(into: &values, atMost: limit, upTo: Characteristic.longestValue)
        if !values.isEmpty { received(values) }
        // The receiver may have closed the socket.
        return progress != .ended || self.end == nil
    }

    /// Closes our end. bluetoothd can then give the characteristic to another program.
    func close() {
        watch?.cancel()
        watch = nil
        received = nil
        end = nil
    }
}

/// The socket on which bluetoothd receives writes without response, one per packet.
final class WriteSocket {
    private var end: SharedSocket?
    private let bus: BusContext
    private var watch: BusTask?
    private var pendingWrites: [(value: [UInt8], emitter: Emitter<Never>)] = []
    private var failure = BluetoothError(.closed, detail: "The characteristic was released")
    /// Runs when bluetoothd closes its end.
    var ended: (() -> Void)?
    /// Records a value that bluetoothd has accepted.
    var recorded: (([UInt8]) -> Void)?

    init(_ end: SharedSocket, on bus: BusContext) {
        self.end = end
        self.bus = bus
        listen(for: .readable)
    }

    func write(_ value: [UInt8], _ emitter: Emitter<Never>) {
        guard end != nil else { return emitter.fail(failure) }
        pendingWrites.append((value, emitter))
        emitter.onEnd { [weak self] in self?.pendingWrites.removeAll { $0.emitter === emitter } }
        if pendingWrites.count == 1 { sendPending() }
    }

    /// Sends values until the socket is full, and continues when the socket is writable.
    private func sendPending() {
        while let end, let (value, emitter) = pendingWrites.first {
            switch end.socket.trySend(value) {
            case .sent:
                recorded?(value)
                emitter.complete()
            case .full: return listen(for: .writable)
            case .ended: return lost()
            }
        }
    }

    private func listen(for event: SharedSocket.Event) {
        guard let end else { return }
        watch?.cancel()
        watch = bus.watch(end, for: event) { [weak self] in
            guard let self else { return }
            if event == .writable {
                listen(for: .readable)
                sendPending()
            } else if end.socket.receive() == .ended {
                lost()
            }
        }
    }

    private func lost() {
        let ended = ended
        watch?.cancel()
        watch = nil
        self.ended = nil
        ended?()
    }

    /// Closes our end, which releases the characteristic.
    ///
    /// Values that wait are not sent, and their streams fail.
    func close(_ cause: BluetoothError? = nil) {
        watch?.cancel()
        watch = nil
        ended = nil
        end = nil
        if let cause { failure = cause }
        let all = pendingWrites
        pendingWrites = []
        for (_, emitter) in all { emitter.fail(failure) }
    }
}

extension Link {
    /// Opens the socket in a reply of `AcquireWrite`, and emits the writer.
    func openWriter(
        _ reply: Message, _ characteristic: Characteristic, _ client: BlueZClient,
        _ emitter: Emitter<CharacteristicWriter>
    ) {
        let target = characteristic.target
        do throws(DBusError) {
            let (end, mtu) = try reply.read { (body) throws(DBusError) in
                (SharedSocket(PacketSocket(adopting: try body.descriptor())), try body.uint16())
            }
            let socket = WriteSocket(end, on: client.bus)
            let length = Peripheral.payload(of: max(Peripheral.smallestMTU, Int(mtu)))
            streams.add(emitter, during: .write, target) { socket.close($0) }
            let device = characteristic.key.device
            let exchanges = client.settings.exchanges
            socket.recorded = { exchanges.record(.written(characteristic, $0, .withoutResponse, nil)) }
            socket.ended = { [weak client] in
                // `Connected` is read first: if the link is lost, the reason arrives before the reply and ends the
                // stream (Q107).
                client?.readFlag("Connected", of: BlueZ.device, at: device.path) { [weak client] _ in
                    guard client?.links[device]?.isConnected == true else { return }
                    let cause = BluetoothError(
                        .bluez, operation: .write, target: target, detail: "The socket was closed by bluetoothd")
                    socket.close(cause)
                    emitter.fail(cause)
                }
            }
            emitter.next(
                CharacteristicWriter(characteristic, maximumLength: length, socket: client.bus.confined(socket)))
        } catch {
            emitter.fail(
                BluetoothError(
                    .protocolViolation, operation: .write, target: target, dbusName: error.name,
                    dbusMessage: error.message))
        }
    }
}
