import DBus
import Rx

/// Connections.
extension BlueZClient {
    func connect(_ peripheral: Peripheral, _ emitter: Emitter<Peripheral>) {
        let key = peripheral.key
        do throws(BluetoothError) {
            if let link = links[key] {
                guard link.isClosing || link.isForPairing else { throw BluetoothError(.alreadyConnected) }
                // What is being closed is waited for (S31), and so is a pairing.
                link.whenOver { [weak self] _ in
                    if emitter.isActive { self?.connect(peripheral, emitter) }
                }
                return
            }
            if let obstacle { throw obstacle }
            guard let device = devices[key] else { throw BluetoothError(.peripheralGone) }
            let link = Link(
                peripheral, number: peripherals.nextLinkNumber(), client: self, isForeign: device.isConnected,
                emitter: emitter)
            links[key] = link
            // bluetoothd may ask about pairing as soon as there is a link.
            agent.register()
            link.start()
        } catch {
            emitter.fail(error.during(.connect, key.address.description))
        }
    }

    /// Closes the link of a peripheral, whoever made it.
    func disconnect(_ peripheral: Peripheral, _ emitter: Emitter<Never>) {
        guard let link = link(toClose: peripheral) else { return emitter.complete() }
        link.whenOver { failure in
            if let failure { emitter.fail(failure) } else { emitter.complete() }
        }
        link.close(BluetoothError(.disconnected(.requested)), isForced: true)
    }

    /// The link of a peripheral, whoever made it; nil where there is none.
    func link(toClose peripheral: Peripheral) -> Link? { links[peripheral.key] ?? adopted(peripheral) }

    /// The link of another program as one of ours, to be closed; nil where there is none.
    private func adopted(_ peripheral: Peripheral) -> Link? {
        guard devices[peripheral.key]?.isConnected == true else { return nil }
        let nobody = Emitter(AnyObserver<Peripheral> { _ in })
        let link = Link(
            peripheral, number: peripherals.nextLinkNumber(), client: self, isForeign: true, emitter: nobody)
        links[peripheral.key] = link
        return link
    }

    /// The live link of a peripheral, or why there is none.
    func link(_ key: DeviceKey) throws(BluetoothError) -> Link {
        guard let link = links[key], link.isConnected else { throw obstacle ?? BluetoothError(.notConnected) }
        return link
    }

    /// The live link in which something was discovered. What is left from an earlier one is not valid any more (S53).
    func link(_ key: DeviceKey, number: UInt64) throws(BluetoothError) -> Link {
        let link = try link(key)
        guard link.number == number else { throw Self.outdated }
        return link
    }

    static let outdated = BluetoothError(
        .attributeNotFound, dbusMessage: "It was discovered in an earlier connection; discover it again")
}
