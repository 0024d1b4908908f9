/// Who follows whether devices are paired and bonded.
final class BondWatches: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    private unowned let client: BlueZClient
    private var watches: [DeviceKey: [Watch]] = [:]

    // Guard: touched in the bus's context only.
    private final class Watch: @unchecked Sendable {
        let emitter: Emitter<Bool>
        let value: @Sendable (DeviceRecord) -> Bool
        var last: Bool?

        init(_ emitter: Emitter<Bool>, _ value: @escaping @Sendable (DeviceRecord) -> Bool) {
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

    func add(_ key: DeviceKey, _ emitter: Emitter<Bool>, _ value: @escaping @Sendable (DeviceRecord) -> Bool) {
        let watch = Watch(emitter, value)
        watches[key, default: []].append(watch)
        emitter.onEnd { [weak self, weak watch] in
            guard let self else { return }
            watches[key]?.removeAll { $0 === watch }
            if watches[key]?.isEmpty == true { watches[key] = nil }
        }
        if client.isSynced { watch.tell(client.devices[key]) }
    }

    func changed(_ key: DeviceKey) {
        for watch in watches[key] ?? [] { watch.tell(client.devices[key]) }
    }

    /// bluetoothd has told all that it has; what was bonded while it was away is not known before (Q2).
    func allChanged() {
        for key in Array(watches.keys) { changed(key) }
    }

    func fail(_ error: BluetoothError) {
        let ended = watches
        watches = [:]
        for (_, watches) in ended { for watch in watches { watch.emitter.fail(error) } }
    }
}
