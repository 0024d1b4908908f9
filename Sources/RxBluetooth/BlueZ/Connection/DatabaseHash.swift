import DBus

/// Compares the attributes of a reconnected peripheral with those of its earlier link.
///
/// A firmware update can move handles while there is no link. The characteristic Database Hash (2B2A) changes with the
/// attributes, so a different value ends the validity of all attributes of the earlier link (Q93).
/// Source: Core Specification 5.4, Vol 3, Part G, 7.3.
extension Link {
    /// Runs `done` before the first operation of the link: without an error if the link can be used.
    ///
    /// Attributes of an earlier link are then valid only if they are unchanged. A peripheral without the characteristic
    /// cannot be checked, so its attributes stay valid.
    func verifyAttributes(_ done: @escaping (BluetoothError?) -> Void) {
        readDatabaseHash { [weak self] result in
            guard let self else { return }
            let hash: [UInt8]?
            switch result {
            case .success(let value): hash = value
            case .failure(let error) where error.isLossOfLink: return
            case .failure(let error) where error.kind == .timedOut: return done(error)
            case .failure: hash = nil
            }
            if peripheral.reconnector?.replaceDatabaseHash(hash) == true { client.mirror.renewServices(of: key) }
            done(nil)
        }
    }

    /// Stores the hash of services that have changed during the link.
    ///
    /// The mirror has already ended the validity of the removed attributes.
    func adoptDatabaseHash() {
        guard let reconnector = peripheral.reconnector, reconnector.number == number else { return }
        readDatabaseHash { result in
            if let hash = try? result.get() { _ = reconnector.replaceDatabaseHash(hash) }
        }
    }

    /// Reads the hash, before all operations that wait. The value is nil if the peripheral has no hash.
    private func readDatabaseHash(_ done: @escaping (Result<[UInt8]?, BluetoothError>) -> Void) {
        guard let hash = client.mirror.databaseHash(of: key), let message = try? BlueZCall.readValue(hash).message()
        else { return done(.success(nil)) }
        let target = "the Database Hash of \(key.address)"
        let item = GATTOperation(
            .read, target, message, QueueRequest(options: OperationOptions(priority: .high)),
            deadline: deadlines.operation, failure: { BluetoothError($0, operation: .read, target: target) }
        ) { result in
            done(
                result.map { reply in
                    let value = try? reply.read { (body) throws(DBusError) in try body.bytes() }
                    return value?.count == Self.hashLength ? value : nil
                })
        }
        queue.submit(item)
    }

    /// The length of a Database Hash in bytes.
    private static let hashLength = 16
}

extension ObjectMirror {
    /// Returns the Database Hash of a device if it can be read; nil otherwise.
    func databaseHash(of key: DeviceKey) -> CharacteristicKey? {
        for (service, record) in devices[key]?.services ?? [:] where record.uuid == 0x1801 {
            for (handle, record) in record.characteristics
            where record.uuid == 0x2B2A && record.properties.contains(.read) {
                return CharacteristicKey(device: key, service: service, handle: handle)
            }
        }
        return nil
    }
}
