/// Who follows whether devices are paired and bonded.
final class BondWatches {
    private unowned let client: BlueZClient
    private var watches: [Watch] = []

    private final class Watch {
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

        func tell(_ record: DeviceRecord?) {
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
        let watch = Watch(peripheral, emitter, value)
        watches.append(watch)
        emitter.onEnd { [weak self, weak watch] in self?.watches.removeAll { $0 === watch } }
        if client.isSynced { watch.tell(client.devices[peripheral.key]) }
    }

    /// What bluetoothd has under this key has changed. Whose key it is is asked now, for an adapter that comes back may have another
    /// number, and so have its devices (Q28).
    func changed(_ key: DeviceKey) {
        for watch in watches where watch.peripheral.key == key { watch.tell(client.devices[key]) }
    }

    /// bluetoothd has told all that it has; what was bonded while it was away is not known before (Q2).
    func allChanged() {
        for watch in watches { watch.tell(client.devices[watch.peripheral.key]) }
    }

    func fail(_ error: BluetoothError) {
        let ended = watches
        watches = []
        for watch in ended { watch.emitter.fail(error) }
    }
}
