import DBus

/// The battery level of a connected device, as bluetoothd reports it (`org.bluez.Battery1`).
final class BatteryLevel {
    private unowned let link: Link
    private let observers = EmitterList<Int>()

    init(_ link: Link) { self.link = link }

    /// Emits the present level if there is one, and each level that bluetoothd reports.
    ///
    /// With a deadline, the stream fails if there is no level by then.
    func observe(_ emitter: Emitter<Int>, deadline: Duration?) {
        let target = "the battery level of \(link.target)"
        observers.insert(emitter)
        let limit = deadline.map { deadline in
            link.client.bus.schedule(after: deadline) { [weak self] in
                guard let self, self.level == nil else { return }
                emitter.fail(
                    BluetoothError(
                        .unsupported, operation: .read, target: target, detail: "There is no battery level"))
            }
        }
        link.streams.add(emitter, during: .read, target) { [weak self] _ in
            limit?.cancel()
            self?.observers.remove(emitter)
        }
        if let level { emitter.next(level) }
    }

    func changed() {
        guard let level else { return }
        observers.next(level)
    }

    private var level: Int? { link.client.mirror.devices[link.key]?.battery.percentage.map(Int.init) }
}
