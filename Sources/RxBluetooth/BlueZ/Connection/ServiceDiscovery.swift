import DBus

/// Waits until bluetoothd has read and shown the services of a peripheral after connecting (Q70).
///
/// ``ServiceCompleteness`` decides how long to wait.
final class ServiceDiscovery {
    private unowned let link: Link
    private var waiters: [Waiter] = []
    /// When `ServicesResolved` became true in this connection; nil while it is false.
    private var resolvedAt: MonotonicTime?
    /// Whether the services have been complete since then. Later additions are changes, which are valid at once.
    private var isComplete = false
    /// Whether the services were complete at any time in this connection.
    private var wasComplete = false
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
        update()
        return { [weak self] in self?.remove(waiter) }
    }

    /// Handles a change of `ServicesResolved`, and its value when the link comes up.
    func resolvedChanged(_ isResolved: Bool) {
        if isResolved, resolvedAt == nil { resolvedAt = link.client.settings.now }
        if !isResolved { (resolvedAt, isComplete) = (nil, false) }
        update()
    }

    /// Handles a service, characteristic or descriptor that bluetoothd shows newly.
    func attributeAdded() { update() }

    /// Whether the services were complete at any time in this connection. Later additions are changes.
    var wasResolved: Bool {
        if !isComplete, remaining == .zero { recordCompletion() }
        return wasComplete
    }

    private func recordCompletion() { (isComplete, wasComplete) = (true, true) }

    func fail(_ error: BluetoothError) { finish(error) }

    /// The time until the services count as complete, if bluetoothd shows no others; nil before they are read.
    private var remaining: Duration? {
        if isComplete { return .zero }
        guard let resolvedAt, let device = link.client.mirror.devices[link.key] else { return nil }
        return ServiceCompleteness(of: device, resolvedAt: resolvedAt).remaining(at: link.client.settings.now)
    }

    private func update() {
        stopSettling()
        guard !waiters.isEmpty, let remaining else { return }
        guard remaining > .zero else { return complete() }
        settling = link.client.bus.schedule(after: remaining) { [weak self] in self?.complete() }
    }

    private func complete() {
        recordCompletion()
        let isClassic = link.client.mirror.devices[link.key]?.seemsClassicOnly == true
        finish(isClassic ? BluetoothError.classicOnlyLink : nil)
    }

    private func expired(_ waiter: Waiter) {
        remove(waiter)
        waiter.done(link.queue.earlierRefusal ?? BluetoothError(.timedOut))
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
