import DBus

/// Changes the data that bluetoothd stores about a device.
extension BlueZClient {
    /// Marks a device as trusted or as not trusted.
    func trust(_ isTrusted: Bool, _ peripheral: Peripheral, _ emitter: Emitter<Never>) throws(BluetoothError) {
        let key = peripheral.key
        if let obstacle = obstacle(on: key.adapter) { throw obstacle }
        call(.setTrusted(isTrusted, key), deadline: settings.deadlines.operation) { [weak self] result in
            switch result {
            case .success: emitter.complete()
            case .failure(let error):
                emitter.fail(
                    self?.cause(of: error)?.during(.trust, key.address.description)
                        ?? BluetoothError(error, operation: .trust, target: key.address.description))
            }
        }
    }

    /// Closes the link to a device, if there is one, and removes the device from bluetoothd.
    func forget(_ peripheral: Peripheral, _ emitter: Emitter<Never>) throws(BluetoothError) {
        if let obstacle = obstacle(on: peripheral.key.adapter) { throw obstacle }
        guard let link = links.linkToClose(peripheral) else { return remove(peripheral, emitter) }
        let target = peripheral.address.description
        // The result of closing is ignored, because bluetoothd also closes the link when it removes the device.
        link.onClosed { [weak self] _ in
            guard let self else { return emitter.fail(BluetoothError(.closed, operation: .forget, target: target)) }
            if let obstacle = obstacle(on: peripheral.key.adapter) {
                return emitter.fail(obstacle.during(.forget, target))
            }
            remove(peripheral, emitter)
        }
        link.close(BluetoothError(.disconnected(.requested)), isForced: true)
    }

    /// Removes a device without a bond from bluetoothd, so that its services are read again.
    func refreshServices(of peripheral: Peripheral, _ emitter: Emitter<Never>) throws(BluetoothError) {
        if let obstacle = obstacle(on: peripheral.key.adapter) { throw obstacle }
        guard !mirror.isBonded(peripheral.key) else {
            throw BluetoothError(.refused, detail: "Removing the stored services would also remove the bond")
        }
        remove(peripheral, emitter)
    }

    private func remove(_ peripheral: Peripheral, _ emitter: Emitter<Never>) {
        removals.remove(peripheral.key, deadline: settings.deadlines.operation) { error in
            if let error { emitter.fail(error) } else { emitter.complete() }
        }
    }
}
