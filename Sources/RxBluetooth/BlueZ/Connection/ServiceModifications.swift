import DBus

/// What a peripheral changes in its services while it is connected (Q111).
final class ServiceModifications {
    private unowned let link: Link
    private let observers = EmitterList<[Service]>()
    private var invalidated: [Service] = []
    private var isConfirming = false

    init(_ link: Link) { self.link = link }

    func observe(_ emitter: Emitter<[Service]>) {
        observers.insert(emitter)
        link.streams.add(emitter, during: .discover, link.target) { [weak self] _ in
            self?.observers.remove(emitter)
        }
    }

    func removed(_ record: ServiceRecord, _ handle: UInt16) {
        guard !observers.isEmpty, let uuid = record.uuid else { return }
        invalidated.append(
            Service(
                peripheral: link.peripheral, uuid: uuid, handle: handle, isPrimary: record.isPrimary,
                link: link.number, epoch: record.epoch))
        confirmConnection()
    }

    /// One came. Before the services are read for the first time that is no change.
    func added() {
        if link.serviceDiscovery.wasResolved, !observers.isEmpty { confirmConnection() }
    }

    /// bluetoothd takes the services one by one, and takes those of a device that is going just so. It is asked once for the
    /// link; its answer comes after all that it had to say, and what came till then is one modification.
    private func confirmConnection() {
        guard !isConfirming else { return }
        isConfirming = true
        link.client.readFlag("Connected", of: BlueZ.device, at: link.key.path) { [weak self] result in
            guard let self else { return }
            let services = invalidated
            isConfirming = false
            invalidated = []
            guard link.isConnected, (try? result.get()) == true else { return }
            observers.next(services)
        }
    }
}
