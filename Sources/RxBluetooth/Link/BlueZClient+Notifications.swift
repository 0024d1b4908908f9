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
