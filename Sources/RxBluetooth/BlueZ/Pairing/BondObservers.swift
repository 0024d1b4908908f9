/// Who follows whether devices are paired and bonded.
final class BondObservers {
    private unowned let client: BlueZClient
    private var observers: [BondObserver] = []

    private final class BondObserver {
        let peripheral: Peripheral
        let emitter: Emitter<Bool>
        let value: @Sendable (DeviceRecord) -> Bool
        var last: Bool?

        init(
            _ peripheral: Peripheral, _ emitter: Emitter<Bool>, _ value: @escaping @Sendable (DeviceRecord) -> Bool
        ) {
            self.peripheral = peripheral
            self.emitter = emitter
            self.value = value
        }

        func update(_ record: DeviceRecord?) {
            let now = record.map(value) ?? false
            guard now != last else { return }
            last = now
            emitter.next(now)
        }
    }

    init(_ client: BlueZClient) { self.client = client }

    func add(
        _ peripheral: Peripheral, _ emitter: Emitter<Bool>, _ value: @escaping @Sendable (DeviceRecord) -> Bool
    ) {
        let observer = BondObserver(peripheral, emitter, value)
        observers.append(observer)
        emitter.onEnd { [weak self, weak observer] in self?.observers.removeAll { $0 === observer } }
        if client.mirror.isSynced { observer.update(client.mirror.devices[peripheral.key]) }
    }

    /// What bluetoothd has under this key has changed. Whose key it is is asked now, for an adapter that comes back may have another
    /// number, and so have its devices (Q28).
    func changed(_ key: DeviceKey) {
        for observer in observers where observer.peripheral.key == key { observer.update(client.mirror.devices[key]) }
    }

    /// bluetoothd has told all that it has; what was bonded while it was away is not known before (Q2).
    func allChanged() {
        for observer in observers { observer.update(client.mirror.devices[observer.peripheral.key]) }
    }

    func fail(_ error: BluetoothError) {
        let ended = observers
        observers = []
        for observer in ended { observer.emitter.fail(error) }
    }
}
