import DBus

/// Removes devices from bluetoothd. A removal succeeds when bluetoothd no longer shows the device.
///
/// bluetoothd may answer `RemoveDevice` and keep the device with its bond (Q138). The answered call has changed the
/// state that kept the device, so another call removes it.
final class DeviceRemovals {
    private unowned let client: BlueZClient
    private var pending: [Removal] = []

    private final class Removal {
        let key: DeviceKey
        let path: ObjectPath
        let deadline: Duration
        let start: MonotonicTime
        let done: (BluetoothError?) -> Void
        /// How many calls of `RemoveDevice` were answered.
        var answers = 0
        /// Whether closing the manager waits for this removal.
        var isTeardown = false
        /// Whether bluetoothd has removed the device since the first call. It may have found the device again.
        var isRemoved = false
        /// The pause before the next call; nil during a call.
        var pause: BusTask?

        init(
            _ key: DeviceKey, _ path: ObjectPath, _ deadline: Duration, _ start: MonotonicTime,
            _ done: @escaping (BluetoothError?) -> Void
        ) {
            self.key = key
            self.path = path
            self.deadline = deadline
            self.start = start
            self.done = done
        }
    }

    /// The first pause. bluetoothd may signal the removal shortly after its answer.
    private static let firstPause = Duration.milliseconds(100)
    /// The number of calls after which a removal fails: 1.5 s after the first answer.
    private static let attempts = 5

    init(_ client: BlueZClient) { self.client = client }

    /// Removes a device. The deadline is that of all calls together.
    ///
    /// `done` gets nil if bluetoothd does not show the device any more, or never did.
    func remove(_ key: DeviceKey, deadline: Duration, then done: @escaping (BluetoothError?) -> Void) {
        guard let path = ObjectPath(key.path) else {
            return done(BluetoothError(.invalidArgument, operation: .forget, target: key.address.description))
        }
        let removal = Removal(key, path, deadline, client.settings.now, done)
        pending.append(removal)
        call(removal, deadline: deadline)
    }

    func deviceRemoved(_ key: DeviceKey) {
        for removal in pending where removal.key == key {
            removal.isRemoved = true
            // During a call, its answer ends the removal.
            if removal.pause != nil { end(removal, nil) }
        }
    }

    /// Fails the removals that wait for their next call. The calls of the others fail by themselves.
    func daemonLost(_ error: BluetoothError) {
        for removal in pending where removal.pause != nil { end(removal, error.during(.forget, target(removal))) }
    }

    private func call(_ removal: Removal, deadline: Duration) {
        client.call(.removeDevice(removal.path, on: removal.key.adapter), deadline: deadline) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: answered(removal)
            case .failure(let error) where error.name == BlueZ.doesNotExist: answered(removal)
            case .failure(let error):
                end(
                    removal,
                    client.cause(of: error)?.during(.forget, target(removal))
                        ?? BluetoothError(error, operation: .forget, target: target(removal)))
            }
        }
    }

    private func answered(_ removal: Removal) {
        guard !removal.isRemoved, client.mirror.devices[removal.key] != nil else { return end(removal, nil) }
        removal.answers += 1
        let pause = Self.firstPause.doubled(removal.answers - 1, atMost: .seconds(1))
        let rest = removal.deadline - client.settings.now.duration(since: removal.start) - pause
        let isLast = removal.answers == Self.attempts || rest <= .zero
        if isLast { return end(removal, stillShown(removal)) }
        // bluetoothd would otherwise remove the device, and a new bond, when the next link ends.
        if !removal.isTeardown { client.teardowns.begin() }
        removal.isTeardown = true
        removal.pause = client.bus.schedule(after: pause) { [weak self] in
            removal.pause = nil
            self?.call(removal, deadline: rest)
        }
    }

    private func stillShown(_ removal: Removal) -> BluetoothError {
        BluetoothError(
            .busy, operation: .forget, target: target(removal),
            detail: "\(removal.answers) calls of RemoveDevice were answered")
    }

    private func target(_ removal: Removal) -> String { removal.key.address.description }

    private func end(_ removal: Removal, _ error: BluetoothError?) {
        guard let index = pending.firstIndex(where: { $0 === removal }) else { return }
        pending.remove(at: index)
        removal.pause?.cancel()
        removal.pause = nil
        removal.done(error)
        if removal.isTeardown { client.teardowns.end() }
    }
}
