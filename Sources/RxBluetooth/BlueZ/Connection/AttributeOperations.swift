import DBus

/// Starts reads, writes and notifications over a live link.
final class AttributeOperations {
    private let attributes: AttributeTree
    private let deadlines: Deadlines
    private var deadline: Duration { deadlines.operation }
    private let exchanges: ExchangeLog
    /// The client, for sockets that outlive an operation.
    private weak let client: BlueZClient?

    init(_ client: BlueZClient) {
        attributes = client.attributes
        deadlines = client.settings.deadlines
        exchanges = client.settings.exchanges
        self.client = client
    }

    func read(_ characteristic: Characteristic, _ request: QueueRequest, _ emitter: Emitter<[UInt8]>) {
        let target = characteristic.target
        emitter.attempt(.read, target) { () throws(BluetoothError) in
            try Self.require(.read, characteristic)
            if let battery = try reportedBattery(characteristic, request) {
                let limit = deadlines.services
                return battery.read(emitter, target: target, deadline: request.options.deadline ?? limit)
            }
            let (item, link) = try operation(.read, .readValue(characteristic.key), request, characteristic, target) {
                Self.finish(emitter, Self.bytes($0), .read, target)
            }
            link.hideEcho(of: item, characteristic.key)
            item.recorded = { [exchanges] in exchanges.record(.read(characteristic, Self.bytes($0))) }
            submit(item, over: link, emitter)
        }
    }

    func write(
        _ value: [UInt8], isRequest: Bool, to characteristic: Characteristic, _ request: QueueRequest,
        _ emitter: Emitter<Never>
    ) {
        let target = characteristic.target
        emitter.attempt(.write, target) { () throws(BluetoothError) in
            try Self.require(isRequest ? .write : .writeWithoutResponse, characteristic)
            let call = BlueZCall.writeValue(value, isRequest: isRequest, characteristic.key)
            let (item, link) = try operation(.write, call, request, characteristic, target) {
                Self.finish(emitter, $0, .write, target)
            }
            item.isForwarded = isRequest
            let type: Characteristic.WriteType = isRequest ? .withResponse : .withoutResponse
            item.recorded = { [exchanges] in exchanges.record(.written(characteristic, value, type, $0.failure)) }
            submit(item, over: link, emitter)
        }
    }

    func read(_ descriptor: Descriptor, _ request: QueueRequest, _ emitter: Emitter<[UInt8]>) {
        let target = descriptor.target
        emitter.attempt(.readDescriptor, target) { () throws(BluetoothError) in
            let call = BlueZCall.readDescriptor(descriptor.path)
            try attributes.check(descriptor)
            let (item, link) = try operation(.readDescriptor, call, request, descriptor.characteristic, target) {
                Self.finish(emitter, Self.bytes($0), .readDescriptor, target)
            }
            item.recorded = { [exchanges] in exchanges.record(.descriptorRead(descriptor, Self.bytes($0))) }
            item.obstacle = { [attributes] in attributes.obstacle(to: descriptor) }
            submit(item, over: link, emitter)
        }
    }

    func write(_ value: [UInt8], to descriptor: Descriptor, _ request: QueueRequest, _ emitter: Emitter<Never>) {
        let target = descriptor.target
        emitter.attempt(.writeDescriptor, target) { () throws(BluetoothError) in
            let call = BlueZCall.writeDescriptor(value, descriptor.path)
            try attributes.check(descriptor)
            let (item, link) = try operation(.writeDescriptor, call, request, descriptor.characteristic, target) {
                Self.finish(emitter, $0, .writeDescriptor, target)
            }
            item.recorded = { [exchanges] in exchanges.record(.descriptorWritten(descriptor, value, $0.failure)) }
            item.obstacle = { [attributes] in attributes.obstacle(to: descriptor) }
            submit(item, over: link, emitter)
        }
    }

    /// Subscribes to the notifications of a characteristic.
    func observe(
        _ characteristic: Characteristic, _ transport: NotificationTransport, _ request: QueueRequest,
        _ emitter: Emitter<[UInt8]>
    ) {
        emitter.attempt(.notify, characteristic.target) { () throws(BluetoothError) in
            try request.options.check()
            try Self.require(transport == .socket ? .notify : [.notify, .indicate], characteristic)
            if let battery = try reportedBattery(characteristic, request) {
                return battery.observe(emitter, target: characteristic.target, deadline: deadlines.services)
            }
            let (link, _) = try attributes.find(characteristic)
            if let token = request.access, !link.queue.isInProgress(token) { throw ExclusiveAccess.over }
            let key = characteristic.key
            // A session of a removed characteristic is not shared: the characteristic may have been added again.
            if let old = link.notifications[key], old.isRemovalPending { link.remove(old, key) }
            let session = link.notifications[key] ?? NotifySession(characteristic, link: link)
            guard session.accepts(transport) else {
                throw BluetoothError(
                    .exclusiveUse, detail: "This program already receives the values by signals")
            }
            link.notifications[key] = session
            session.add(NotifySubscriber(emitter, transport, request))
        }
    }

    /// Opens a socket for writes without response.
    func acquireWrite(
        _ characteristic: Characteristic, _ request: QueueRequest, _ emitter: Emitter<CharacteristicWriter>
    ) {
        let target = characteristic.target
        emitter.attempt(.write, target) { () throws(BluetoothError) in
            try request.options.check()
            try Self.require(.writeWithoutResponse, characteristic)
            let (link, _) = try attributes.find(characteristic)
            let item = GATTOperation(
                .write, target, try Self.message(.acquireWrite(characteristic.key), .write, target), request,
                deadline: deadline,
                // bluetoothd opens the socket without the peripheral, so an error has no ATT code.
                failure: { BluetoothError($0, operation: .write, target: target).withoutATTCode }
            ) { [weak client, weak link] result in
                guard let client, let link else { return }
                switch result {
                case .success(let reply): link.openWriter(reply, characteristic, client, emitter)
                case .failure(let error): emitter.fail(error.during(.write, target))
                }
            }
            item.isForwarded = false
            item.obstacle = { [attributes] in attributes.obstacle(to: characteristic) }
            submit(item, over: link, emitter)
        }
    }

    /// Returns the level that bluetoothd reports, if it hides the battery service of the characteristic.
    private func reportedBattery(
        _ characteristic: Characteristic, _ request: QueueRequest
    ) throws(BluetoothError) -> BatteryLevel? {
        guard characteristic.isHidden else { return nil }
        try request.options.check()
        let (link, _) = try attributes.find(characteristic)
        if let token = request.access, !link.queue.isInProgress(token) { throw ExclusiveAccess.over }
        return link.battery
    }

    // MARK: Calls and results

    /// Throws if a characteristic does not offer an operation, so that the operation is not sent (S65).
    private static func require(
        _ needed: Characteristic.Properties, _ characteristic: Characteristic
    ) throws(BluetoothError) {
        guard characteristic.properties.isDisjoint(with: needed) else { return }
        let offered = characteristic.properties.names.joined(separator: ", ")
        throw BluetoothError(
            .notPermitted, detail: offered.isEmpty ? "It offers nothing" : "It offers only: \(offered)")
    }

    private static func message(
        _ call: BlueZCall, _ operation: BluetoothError.Operation, _ target: String
    ) throws(BluetoothError) -> Message {
        do throws(DBusError) { return try call.message() } catch {
            throw BluetoothError(error, operation: operation, target: target)
        }
    }

    private func operation(
        _ operation: BluetoothError.Operation, _ call: BlueZCall, _ request: QueueRequest,
        _ characteristic: Characteristic, _ target: String,
        done: @escaping (Result<Message, BluetoothError>) -> Void
    ) throws(BluetoothError) -> (GATTOperation, Link) {
        try request.options.check()
        let (link, _) = try attributes.find(characteristic)
        let item = GATTOperation(
            operation, target, try Self.message(call, operation, target), request, deadline: deadline,
            failure: { BluetoothError($0, operation: operation, on: characteristic, target: target) }, done: done)
        item.obstacle = { [attributes] in attributes.obstacle(to: characteristic) }
        return (item, link)
    }

    private func submit<Element>(_ item: GATTOperation, over link: Link, _ emitter: Emitter<Element>) {
        emitter.onEnd { [weak link] in link?.queue.cancel(item) }
        link.queue.submit(item)
    }

    private static func finish(
        _ emitter: Emitter<[UInt8]>, _ result: Result<[UInt8], BluetoothError>, _ operation: BluetoothError.Operation,
        _ target: String
    ) {
        switch result {
        case .success(let value): emitter.finish(value)
        case .failure(let error): emitter.fail(error.during(operation, target))
        }
    }

    private static func finish(
        _ emitter: Emitter<Never>, _ result: Result<Message, BluetoothError>, _ operation: BluetoothError.Operation,
        _ target: String
    ) {
        switch result {
        case .success: emitter.complete()
        case .failure(let error): emitter.fail(error.during(operation, target))
        }
    }

    private static func bytes(_ result: Result<Message, BluetoothError>) -> Result<[UInt8], BluetoothError> {
        result.flatMap { reply in
            do throws(DBusError) {
                return .success(try reply.read { (body) throws(DBusError) in try body.bytes() })
            } catch {
                return .failure(BluetoothError(.protocolViolation, dbusName: error.name, dbusMessage: error.message))
            }
        }
    }
}

extension Link {
    /// Hides the echo of a read from the subscribers of notifications (Q95, S64).
    ///
    /// bluetoothd signals a value that was read in the same way as a notification.
    fileprivate func hideEcho(of read: GATTOperation, _ key: CharacteristicKey) {
        var session: NotifySession?
        read.started = { [weak self] in
            session = self?.notifications[key]
            session?.echoes.readBegan()
        }
        read.ended = { result in
            let value = try? result.get().read { (body) throws(DBusError) in try body.bytes() }
            session?.echoes.readEnded(value)
        }
    }
}
