import DBus
import Rx

/// How a link is to be made.
struct LinkRequest: Sendable {
    /// The number of the connection that it continues; nil for a new one.
    var number: UInt64?
    var existing = ConnectOptions.ExistingLink.share
    /// Whether it counts only once its services are read.
    var awaitsServices = false
}

/// Connections.
extension BlueZClient {
    func connect(_ peripheral: Peripheral, _ request: LinkRequest, _ emitter: Emitter<Peripheral>) {
        let key = peripheral.key
        do throws(BluetoothError) {
            // While a supervised connection waits for its link, the peripheral is taken all the same (S32).
            if let reconnector = peripheral.reconnector, reconnector.number != request.number {
                throw BluetoothError(.alreadyConnected)
            }
            if let link = links[key] {
                guard link.state.isEnding || link.isForPairing else { throw BluetoothError(.alreadyConnected) }
                // What is being closed, or is lost and waits for its reason, is waited for (S31, S32), and so is a pairing.
                return connect(peripheral, request, emitter, after: link)
            }
            if let obstacle = obstacle(on: key.adapter) { throw obstacle }
            guard let device = devices[key] else { throw BluetoothError(.peripheralGone) }
            if device.isConnected, request.existing == .replace, let link = adopted(peripheral) {
                connect(peripheral, request, emitter, after: link, isReplacing: true)
                return link.close(BluetoothError(.disconnected(.requested)), isForced: true)
            }
            let isOrphan = orphans.take(key, since: returned.map(settings.elapsed(since:)))
            let isOthers = device.isConnected && request.existing != .takeOver && !isOrphan
            let state = LinkState(
                maker: isOthers ? .otherProgram : .thisManager, takesOver: request.existing == .takeOver,
                awaitsServices: request.awaitsServices, target: key.address.description)
            let link = Link(
                peripheral, state, number: request.number ?? peripherals.nextLinkNumber(), client: self,
                emitter: emitter)
            links[key] = link
            // bluetoothd may ask about pairing as soon as there is a link.
            agent.register()
            link.start()
        } catch {
            emitter.fail(error.during(.connect, key.address.description))
        }
    }

    private func connect(
        _ peripheral: Peripheral, _ request: LinkRequest, _ emitter: Emitter<Peripheral>, after link: Link,
        isReplacing: Bool = false
    ) {
        link.onClosed { [weak self] failure in
            guard emitter.isActive else { return }
            var request = request
            if isReplacing {
                if let failure { return emitter.fail(failure.during(.connect, peripheral.address.description)) }
                // Once is enough: with a program that connects again at once there would be no end to it.
                request.existing = .share
            }
            self?.connect(peripheral, request, emitter)
        }
    }

    /// Closes the link of a peripheral, whoever made it.
    func disconnect(_ peripheral: Peripheral, _ emitter: Emitter<Never>) {
        guard let link = link(toClose: peripheral) else { return emitter.complete() }
        link.onClosed { failure in
            if let failure { emitter.fail(failure) } else { emitter.complete() }
        }
        link.close(BluetoothError(.disconnected(.requested)), isForced: true)
    }

    /// The link of a peripheral, whoever made it; nil where there is none.
    func link(toClose peripheral: Peripheral) -> Link? { links[peripheral.key] ?? adopted(peripheral) }

    /// The link of another program as one of ours, to be closed; nil where there is none.
    private func adopted(_ peripheral: Peripheral) -> Link? {
        guard devices[peripheral.key]?.isConnected == true else { return nil }
        let link = Link(
            peripheral, LinkState(adopting: peripheral.address.description), number: peripherals.nextLinkNumber(),
            client: self, emitter: Emitter { _ in })
        links[peripheral.key] = link
        return link
    }

    /// The live link of a peripheral, or why there is none.
    func link(_ key: DeviceKey) throws(BluetoothError) -> Link {
        guard let link = links[key], link.isConnected else {
            throw obstacle(on: key.adapter) ?? BluetoothError(.notConnected)
        }
        return link
    }

    /// The live link in which something was discovered. What is left from an earlier one is not valid any more (S53).
    func link(_ key: DeviceKey, number: UInt64) throws(BluetoothError) -> Link {
        let link = try link(key)
        guard link.number == number else { throw Self.outdated }
        // A link that has come back is one for us when its services are there.
        guard link.state.isReady else { throw BluetoothError(.notConnected) }
        return link
    }

    static let outdated = BluetoothError(
        .attributeNotFound, dbusMessage: "It was discovered in an earlier connection; discover it again")
}

/// The links of ours that a killed bluetoothd left. The kernel keeps them for about two seconds, and the next bluetoothd shows them
/// (Q2). A connection that this manager makes over one has its own link again, which is ours to close; the link of another program is not (Q74).
final class OrphanedLinks {
    private var keys: Set<DeviceKey> = []

    /// How long after the return of bluetoothd such a link can be one of before. Later it is somebody's new one.
    static let lifetime = Duration.seconds(5)

    /// bluetoothd has gone, and these were there.
    func left(by links: some Sequence<Link>) {
        for link in links where !link.state.isOfOtherProgram { keys.insert(link.key) }
    }

    /// The device was seen without a link.
    func closed(_ key: DeviceKey) { keys.remove(key) }

    /// The next bluetoothd has told which devices are connected. A link to another one is a new one.
    func keep(where isConnected: (DeviceKey) -> Bool) { keys = keys.filter(isConnected) }

    /// Whether the link to a device is one that we made before. Asked once, for a later link is another one.
    func take(_ key: DeviceKey, since returned: Duration?) -> Bool {
        guard keys.remove(key) != nil, let returned else { return false }
        return returned < Self.lifetime
    }
}
