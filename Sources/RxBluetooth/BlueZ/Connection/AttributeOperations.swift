import DBus

/// Reads, writes and notifications over a live link.
extension BlueZClient {
    /// Queues an operation on a characteristic that completes with what `then` reads from its reply.
    func submit<Element: Sendable>(
        _ operation: BluetoothError.Operation, _ characteristic: Characteristic, needs: Characteristic.Properties,
        _ member: String, _ emitter: Emitter<Element>,
        _ body: (inout MessageWriter) throws(DBusError) -> Void,
        then: ((Message) throws(DBusError) -> Element)? = nil
    ) {
        // What the characteristic does not offer is not even asked for (S65).
        guard !characteristic.properties.isDisjoint(with: needs) else {
            let offered = characteristic.properties.names.joined(separator: ", ")
            let error = BluetoothError(.notPermitted, dbusMessage: "It offers: \(offered)")
            return emitter.fail(error.during(operation, characteristic.target))
        }
        submit(
            operation, characteristic.target, characteristic.key.path, BlueZ.characteristic, member, characteristic,
            emitter, body, then: then)
    }

    /// Queues an operation on an attribute of a characteristic: that itself, or a descriptor.
    func submit<Element: Sendable>(
        _ operation: BluetoothError.Operation, _ target: String, _ path: String, _ interface: String, _ member: String,
        _ characteristic: Characteristic, _ emitter: Emitter<Element>,
        _ body: (inout MessageWriter) throws(DBusError) -> Void,
        then: ((Message) throws(DBusError) -> Element)? = nil
    ) {
        do throws(BluetoothError) {
            let link = try link(characteristic.peripheral.key, number: characteristic.service.link)
            guard record(of: characteristic) != nil else { throw Self.gone }
            let message: Message
            do throws(DBusError) {
                message = try Self.message(path: path, interface: interface, member: member, body)
            } catch {
                throw BluetoothError(error, operation: operation, target: target)
            }
            let item = GATTOperationQueue.GATTOperation(
                operation, target, message, deadline: settings.deadlines.operation,
                failure: { BluetoothError($0, operation: operation, on: characteristic, target: target) }
            ) { result in
                switch Self.outcome(result, then) {
                case .success(let element?): emitter.finish(element)
                case .success(nil): emitter.complete()
                case .failure(let error): emitter.fail(error.during(operation, target))
                }
            }
            if operation == .read { link.hideEcho(of: item, characteristic.key) }
            emitter.onEnd { [weak link] in link?.queue.cancel(item) }
            link.queue.submit(item)
        } catch {
            emitter.fail(error.during(operation, target))
        }
    }

    private static func outcome<Element>(
        _ result: Result<Message, BluetoothError>, _ then: ((Message) throws(DBusError) -> Element)?
    ) -> Result<Element?, BluetoothError> {
        result.flatMap { reply in
            guard let then else { return .success(nil) }
            do throws(DBusError) { return .success(try then(reply)) } catch {
                return .failure(
                    BluetoothError(.protocolViolation, dbusName: error.name, dbusMessage: error.message))
            }
        }
    }
}

extension Link {
    /// Keeps what a read shows as a change of value from those who wait for notifications (Q95, S64).
    fileprivate func hideEcho(of read: GATTOperationQueue.GATTOperation, _ key: CharacteristicKey) {
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

/// Notifications over a live link.
extension BlueZClient {
    func observe(
        _ characteristic: Characteristic, _ transport: NotificationTransport, _ emitter: Emitter<[UInt8]>
    ) {
        do throws(BluetoothError) {
            let needed: Characteristic.Properties = transport == .socket ? .notify : [.notify, .indicate]
            guard !characteristic.properties.isDisjoint(with: needed) else {
                let offered = characteristic.properties.names.joined(separator: ", ")
                throw BluetoothError(.notPermitted, dbusMessage: "It offers: \(offered)")
            }
            let link = try link(characteristic.peripheral.key, number: characteristic.service.link)
            guard record(of: characteristic) != nil else { throw Self.gone }
            let key = characteristic.key
            // One whose characteristic went, and is there again by now, is not joined.
            if let old = link.notifications[key], old.isDoomed { link.remove(old, key) }
            let session = link.notifications[key] ?? NotifySession(key, target: characteristic.target, link: link)
            guard session.accepts(transport) else {
                throw BluetoothError(
                    .exclusiveUse, dbusMessage: "This program receives its values by signals already")
            }
            link.notifications[key] = session
            session.add(emitter)
        } catch {
            emitter.fail(error.during(.notify, characteristic.target))
        }
    }
}
