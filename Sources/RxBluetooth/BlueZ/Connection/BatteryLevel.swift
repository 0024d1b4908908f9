import DBus

/// The battery level of a connected device, as bluetoothd reports it (`org.bluez.Battery1`).
final class BatteryLevel {
    private let bus: BusContext
    private let mirror: ObjectMirror
    private let key: DeviceKey
    private let streams: LinkStreams
    private let observers = EmitterList<Int>()

    init(_ link: Link) {
        bus = link.client.bus
        mirror = link.client.mirror
        key = link.key
        streams = link.streams
    }

    /// Emits the present level if there is one, and each level that bluetoothd reports.
    ///
    /// With a deadline, the stream fails if there is no level before the deadline.
    func observe(_ emitter: Emitter<Int>, deadline: Duration?) {
        let target = "the battery level of \(key.address)"
        observers.insert(emitter)
        let limit = deadline.map { deadline in
            bus.schedule(after: deadline) { [weak self] in
                guard let self, self.level == nil else { return }
                emitter.fail(
                    BluetoothError(
                        .unsupported, operation: .read, target: target, detail: "There is no battery level"))
            }
        }
        streams.add(emitter, during: .read, target) { [weak self] _ in
            limit?.cancel()
            self?.observers.remove(emitter)
        }
        if let level { emitter.next(level) }
    }

    func changed() {
        guard let level else { return }
        observers.next(level)
    }

    private var level: Int? { mirror.devices[key]?.battery.percentage.map(Int.init) }
}
