import DBus

/// The battery level of a connected device, as bluetoothd reports it (`org.bluez.Battery1`).
final class BatteryLevel {
    private unowned let client: BlueZClient
    private let bus: BusContext
    private let mirror: ObjectMirror
    private let key: DeviceKey
    private let streams: LinkStreams
    private let settings: Settings
    /// When the link was made.
    private let start: MonotonicTime
    /// Whether bluetoothd has reported a level during this link.
    private var isReported = false
    private let observers = EmitterList<Int>()
    private let valueObservers = EmitterList<[UInt8]>()
    private let readers = EmitterList<[UInt8]>()

    init(_ link: Link) {
        client = link.client
        bus = link.client.bus
        mirror = link.client.mirror
        key = link.key
        streams = link.streams
        settings = link.client.settings
        start = link.client.settings.now
    }

    /// Emits the present level if there is one, and each level that bluetoothd reports.
    ///
    /// With a deadline, the stream fails if there is no level before the deadline.
    func observe(_ emitter: Emitter<Int>, deadline: Duration?) {
        let target = "the battery level of \(key.address)"
        add(emitter, to: observers, .read, target, deadline)
        if let level { emitter.next(level) }
    }

    /// Whether the peripheral has no battery service, not even a hidden one, or a shown one without the level.
    ///
    /// bluetoothd lists hidden services, too. A list of an earlier connection proves nothing.
    /// Call it only if the services have no level.
    var isAbsent: Bool {
        guard level == nil, let device = mirror.devices[key] else { return false }
        return isShown || device.isListOfConnection && !isHidden
    }

    /// Whether bluetoothd shows a battery service, and so does not read the level itself.
    private var isShown: Bool {
        mirror.devices[key]?.services.values.contains { $0.uuid == 0x180F } ?? false
    }

    /// Whether bluetoothd hides a battery service.
    private var isHidden: Bool { mirror.devices[key]?.hidesBattery(client.version) ?? false }

    /// Whether bluetoothd may still be reading its first level, and pairing for it if the level is protected.
    ///
    /// bluetoothd reads the level before the operations of programs, as soon as it has the peripheral's services. It
    /// does not report a level with a descriptor 2902 that it cannot set, so the absence of such a level shows nothing.
    var isAwaited: Bool {
        guard !isReported, settings.elapsed(since: start) < Self.longestPairing else { return false }
        let services = mirror.devices[key]?.services.values
        let levels = services?.lazy.filter { $0.uuid == 0x180F }.flatMap(\.characteristics.values)
        return levels?.contains { $0.uuid == 0x2A19 && $0.isReportedByBluetoothd } == true
            || isHidden && services?.isEmpty == false
    }

    /// The longest time that bluetoothd waits for the answer of an agent. Source: BlueZ 5.66, src/agent.c.
    private static let longestPairing = Duration.seconds(60)

    /// The error of an operation for a level that does not arrive.
    func absence(of target: String, during operation: BluetoothError.Operation) -> BluetoothError {
        let isHidden = isHidden
        let detail =
            isHidden ? "bluetoothd hides the battery service, and has reported no level" : "There is no battery level"
        return BluetoothError(.unsupported, operation: operation, target: target, detail: detail)
            .withMissingBattery(isHidden ? .hidden : .absent)
    }

    /// Emits each level as the value of the characteristic, which bluetoothd hides.
    func observe(_ emitter: Emitter<[UInt8]>, target: String, deadline: Duration) {
        add(emitter, to: valueObservers, .notify, target, deadline)
        if let level { emitter.next([UInt8(level)]) }
    }

    /// Emits the level as the value of the characteristic, as soon as bluetoothd reports one.
    func read(_ emitter: Emitter<[UInt8]>, target: String, deadline: Duration) {
        if let level { return emitter.finish([UInt8(level)]) }
        add(emitter, to: readers, .read, target, deadline)
    }

    private func add<Value: Sendable>(
        _ emitter: Emitter<Value>, to list: EmitterList<Value>, _ operation: BluetoothError.Operation, _ target: String,
        _ deadline: Duration?
    ) {
        list.insert(emitter)
        let limit = deadline.map { deadline in
            bus.schedule(after: deadline) { [weak self] in
                guard let self, self.level == nil else { return }
                emitter.fail(absence(of: target, during: operation))
            }
        }
        streams.add(emitter, during: operation, target) { [weak list] _ in
            limit?.cancel()
            list?.remove(emitter)
        }
    }

    /// Handles a level that bluetoothd reports, or that it has reported before the link was opened.
    func changed() {
        guard let level else { return }
        isReported = true
        for reader in readers.removeAll() { reader.finish([UInt8(level)]) }
        observers.next(level)
        valueObservers.next([UInt8(level)])
    }

    private var level: Int? { mirror.devices[key]?.battery.percentage.map(Int.init) }
}

extension CharacteristicRecord {
    /// Whether bluetoothd reports the level after it has read it: it can turn notifications on, or there are none.
    ///
    /// Source: BlueZ, register_notify and notify_data_write_ccc in src/shared/gatt-client.c.
    fileprivate var isReportedByBluetoothd: Bool {
        !properties.isDisjoint(with: [.notify, .indicate]) || !descriptors.values.contains { $0.uuid == 0x2902 }
    }
}
