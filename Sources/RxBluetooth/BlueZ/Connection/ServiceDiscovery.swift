import DBus

/// Waits until bluetoothd has read the services of a peripheral after connecting (Q70).
final class ServiceDiscovery {
    private unowned let link: Link
    private var waiters: [Waiter] = []
    private var isSettled = false
    /// Whether the services were complete at any time in this connection.
    private(set) var wasResolved = false
    private var settling: BusTask?

    /// A call of `wait` that has no result yet.
    private final class Waiter {
        let done: (BluetoothError?) -> Void
        var deadline: BusTask?

        init(_ done: @escaping (BluetoothError?) -> Void) { self.done = done }
    }

    init(_ link: Link) { self.link = link }

    /// Runs `done` with nil when the services are read, or with an error if they cannot be read.
    ///
    /// If the services are read already, `done` runs at once (Q71). The returned function removes the waiter.
    func wait(_ done: @escaping (BluetoothError?) -> Void) -> () -> Void {
        let waiter = Waiter(done)
        waiters.append(waiter)
        waiter.deadline = link.client.bus.schedule(after: link.deadlines.services) { [weak self, weak waiter] in
            if let self, let waiter { expired(waiter) }
        }
        if link.client.mirror.devices[link.key]?.isResolved == true { resolved() }
        return { [weak self] in self?.remove(waiter) }
    }

    /// Handles `ServicesResolved`.
    ///
    /// Some versions of bluetoothd send it before they show a service (Q72). So an empty list is accepted only after
    /// one second.
    func resolved() {
        wasResolved = true
        guard !waiters.isEmpty, settling == nil else { return }
        if isSettled || link.client.mirror.devices[link.key]?.services.isEmpty == false { return finish(nil) }
        settling = link.client.bus.schedule(after: .seconds(1)) { [weak self] in
            self?.isSettled = true
            self?.finish(nil)
        }
    }

    func fail(_ error: BluetoothError) { finish(error) }

    private func expired(_ waiter: Waiter) {
        remove(waiter)
        waiter.done(BluetoothError(.timedOut))
    }

    private func remove(_ waiter: Waiter) {
        waiter.deadline?.cancel()
        waiters.removeAll { $0 === waiter }
        if waiters.isEmpty { stopSettling() }
    }

    private func finish(_ error: BluetoothError?) {
        let done = waiters
        waiters = []
        stopSettling()
        for waiter in done {
            waiter.deadline?.cancel()
            waiter.done(error)
        }
    }

    private func stopSettling() {
        settling?.cancel()
        settling = nil
    }
}

/// Reports changes of a peripheral's services during a connection (Q111).
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

    /// Handles an added service. An addition is a change only after the services were complete once.
    func added() {
        if link.serviceDiscovery.wasResolved, !observers.isEmpty { confirmConnection() }
    }

    /// Reports the changes together if the link is still up.
    ///
    /// bluetoothd removes services one by one, also when it loses the device. So `Connected` is read: the reply arrives
    /// after all signals of the change, and shows whether the link is up.
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
