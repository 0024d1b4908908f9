import DBus

/// Waiting for bluetoothd to have read a peripheral's services, which it does after each connection (Q70).
final class ServiceDiscovery {
    private unowned let link: Link
    private var waiters: [Waiter] = []
    private var isSettled = false
    /// Whether the services were there once in this connection.
    private(set) var wasResolved = false
    private var settling: BusTask?

    private final class Waiter {
        let done: (BluetoothError?) -> Void
        var deadline: BusTask?

        init(_ done: @escaping (BluetoothError?) -> Void) { self.done = done }
    }

    init(_ link: Link) { self.link = link }

    /// Runs `done` with nil once the services are there, at once where they are (Q71), or with why they never came.
    /// What it returns takes the waiter away.
    func wait(_ done: @escaping (BluetoothError?) -> Void) -> () -> Void {
        let waiter = Waiter(done)
        waiters.append(waiter)
        waiter.deadline = link.client.bus.schedule(after: link.deadlines.services) { [weak self, weak waiter] in
            if let self, let waiter { expired(waiter) }
        }
        if link.client.mirror.devices[link.key]?.isResolved == true { resolved() }
        return { [weak self] in self?.remove(waiter) }
    }

    /// bluetoothd says that the services are read. Some versions say so before they show the first one (Q72).
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
