/// The subscriptions that observe whether devices are paired, bonded or connected.
final class DeviceValueObservers {
    private let mirror: ObjectMirror
    private let observers = ObserverList<DeviceValueObserver>()
    private let observersChanged: () -> Void

    var isEmpty: Bool { observers.isEmpty }

    private final class DeviceValueObserver: StreamObserver {
        let peripheral: Peripheral
        private let emitter: Emitter<Bool>
        private let value: @Sendable (DeviceRecord) -> Bool
        private var last: Bool?

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

        func fail(_ error: BluetoothError) { emitter.fail(error) }

        func onEnd(_ undo: @escaping () -> Void) { emitter.onEnd(undo) }
    }

    /// - Parameter observersChanged: Runs after an observer was added or removed.
    init(_ mirror: ObjectMirror, observersChanged: @escaping () -> Void) {
        self.mirror = mirror
        self.observersChanged = observersChanged
    }

    func add(
        _ peripheral: Peripheral, _ emitter: Emitter<Bool>, _ value: @escaping @Sendable (DeviceRecord) -> Bool
    ) {
        let observer = DeviceValueObserver(peripheral, emitter, value)
        observers.add(observer, onRemoval: observersChanged)
        observersChanged()
        if mirror.isSynced { observer.update(mirror.devices[peripheral.key]) }
    }

    /// Updates the observers of a device that has changed in bluetoothd.
    ///
    /// Compares the peripherals' present keys: an adapter that returns may have another number, and its devices other
    /// keys (Q28).
    func changed(_ key: DeviceKey) {
        for observer in observers.all where observer.peripheral.key == key {
            observer.update(mirror.devices[key])
        }
    }

    /// Updates all observers after a new snapshot.
    ///
    /// The values may have changed while bluetoothd was absent (Q2).
    func allChanged() {
        for observer in observers.all { observer.update(mirror.devices[observer.peripheral.key]) }
    }

    func fail(_ error: BluetoothError) { observers.fail(error) }
}
