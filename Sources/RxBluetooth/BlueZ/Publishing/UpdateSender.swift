import DBus

/// Sends the values of a published characteristic to bluetoothd, which passes them on to the subscribed centrals.
final class UpdateSender {
    private unowned let application: PublishedApplication
    private let attribute: LocalAttribute
    private let path: ObjectPath
    private var queue: UpdateQueue
    /// The deadline of an indication without a confirmation.
    private var deadline: BusTask?
    private var count = 0
    private var waiting: [Int: Emitter<Bool>] = [:]
    private let observers = EmitterList<Bool>()

    init(
        _ characteristic: LocalCharacteristic, _ attribute: LocalAttribute, at path: ObjectPath,
        of application: PublishedApplication
    ) {
        self.application = application
        self.attribute = attribute
        self.path = path
        // If a central can choose notifications, no confirmation may ever arrive.
        queue = UpdateQueue(
            isConfirmed: !characteristic.properties.contains(.notify), buffer: characteristic.buffer)
    }

    private var client: BlueZClient { application.client }
    var isSubscribed: Bool { queue.isSubscribed }

    func handle(_ event: UpdateQueue.Event) {
        let wasSubscribed = isSubscribed
        for action in queue.handle(event) { perform(action) }
        if isSubscribed != wasSubscribed { observers.next(isSubscribed) }
    }

    func confirmed() {
        if queue.isConfirmed { handle(.received(batch: queue.batch)) }
    }

    /// Sends a value. The emitter gets the result; if it is nil, a value that does not fit ends the services.
    func send(_ value: [UInt8], _ emitter: Emitter<Bool>?) {
        guard value.count <= Characteristic.longestValue else {
            let error = Characteristic.tooLong(value.count).during(.publish, target)
            return emitter?.fail(error) ?? application.end(error)
        }
        count += 1
        let id = count
        waiting[id] = emitter
        emitter?.onEnd { [weak self] in
            if self?.waiting.removeValue(forKey: id) != nil { self?.handle(.cancelled(id: id)) }
        }
        handle(.added(id: id, value: value))
    }

    func observe(_ emitter: Emitter<Bool>) {
        observers.add(emitter)
        emitter.next(isSubscribed)
    }

    /// Ends all streams because the services are no longer published.
    func end() {
        handle(.unsubscribed)
        deadline?.cancel()
        for emitter in observers.removeAll() { emitter.complete() }
    }

    private var target: String { "\(attribute.characteristic)" }

    private func perform(_ action: UpdateQueue.Action) {
        switch action {
        case .send(let value): signal(value)
        case .awaitReceipt(let batch): awaitReceipt(of: batch)
        case .finish(let id, let wasSent): waiting.removeValue(forKey: id)?.finish(wasSent)
        case .fail(let id, let kind):
            let error = BluetoothError(kind, operation: .publish, target: target)
            guard let emitter = waiting.removeValue(forKey: id) else {
                if kind == .overflow { application.end(error) }
                return
            }
            emitter.fail(error)
        }
    }

    // The signal goes to bluetoothd only: a broadcast would show the value to every program on the bus.
    private func signal(_ value: [UInt8]) {
        guard let owner = client.owner else { return }
        let signal = try? Message.signal(
            path: path, interface: BlueZ.properties, member: "PropertiesChanged", to: owner
        ) { (body) throws(DBusError) in
            try body.string(BlueZ.characteristic)
            try body.properties(["Value": .bytes(value)])
            try body.value(.strings([]))
        }
        if let signal { client.bus.send(signal) }
    }

    // bluetoothd answers a ping after the signals before it (Q18), so the ping shows that it has taken the values.
    private func awaitReceipt(of batch: Int) {
        let limit = client.settings.deadlines.operation
        guard queue.isConfirmed else {
            client.call(.ping, deadline: limit) { [weak self] result in
                switch result {
                case .success: self?.handle(.received(batch: batch))
                case .failure: self?.handle(.timedOut(batch: batch))
                }
            }
            return
        }
        deadline?.cancel()
        deadline = client.bus.schedule(after: limit) { [weak self] in self?.handle(.timedOut(batch: batch)) }
    }
}
