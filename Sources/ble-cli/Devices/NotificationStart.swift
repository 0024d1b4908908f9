import Rx
import RxBluetooth

/// The moment at which the notifications of several characteristics of a device are on.
final class NotificationStart: Sendable {
    /// A characteristic, also after the device was connected again.
    private struct Key: Hashable {
        let peripheral: Peripheral
        let handle: UInt16

        init(_ characteristic: Characteristic) {
            (peripheral, handle) = (characteristic.peripheral, characteristic.handle)
        }
    }

    private struct State {
        /// The characteristics with notifications that are not on yet.
        var waiting: Set<Key>
        /// The UUIDs of the characteristics without a descriptor that turns notifications on.
        var unconfigured: [BluetoothUUID] = []
        /// Whether the device has a bond, which may be too weak for a characteristic.
        var isBonded = false
    }

    private let characteristics: [Characteristic]
    private let state: Guarded<State>
    private let begun = PublishSubject<Void>()

    /// - Parameter areOn: Whether the notifications are on already.
    init(of characteristics: [Characteristic], areOn: Bool = false) {
        self.characteristics = characteristics
        state = Guarded(State(waiting: areOn ? [] : Set(characteristics.map { Key($0) })))
    }

    /// Records that notifications are on. A value shows it, too: for a hidden battery service, nothing is switched.
    func record(_ characteristic: Characteristic) {
        let isLast = state.withLock { $0.waiting.remove(Key(characteristic)) != nil && $0.waiting.isEmpty }
        if isLast { begun.onNext(()) }
    }

    /// Emits once when all notifications are on.
    func observe(in manager: BluetoothManager) -> Observable<Void> { begun.take(1).alongside(recording(in: manager)) }

    /// Records which notifications are on, their descriptors, and whether the device has a bond. Emits nothing.
    func recording(in manager: BluetoothManager) -> Observable<Never> {
        let switches = manager.attributeExchanges
            .do(onNext: { [self] exchange in
                guard case .notificationsSwitched(let characteristic, isOn: true) = exchange.kind else { return }
                record(characteristic)
            })
            .ignoreElements()
        let bonds = (characteristics.first?.peripheral.isBonded ?? .empty())
            .do(onNext: { [self] isBonded in state.withLock { $0.isBonded = isBonded } })
            .ignoreElements().catch { _ in .empty() }
        return .merge(switches, bonds, recordingDescriptors())
    }

    /// Records which characteristics have no descriptor that turns notifications on. Needs no request to the device.
    private func recordingDescriptors() -> Observable<Never> {
        let discoveries = characteristics.filter { !$0.isHidden }
            .map { (characteristic: Characteristic) -> Observable<Never> in
                characteristic.discoverDescriptors().map(\.uuid).toArray().asObservable()
                    .do(onNext: { [self] uuids in
                        guard !uuids.contains(0x2902) else { return }
                        state.withLock { $0.unconfigured.append(characteristic.uuid) }
                    })
                    .ignoreElements().catch { _ in .empty() }
            }
        return .merge(discoveries)
    }

    /// Why no value may ever arrive, as a sentence; nil if each characteristic has its descriptor.
    var missingDescriptors: String? {
        let uuids = state.withLock(\.unconfigured)
        guard !uuids.isEmpty else { return nil }
        let names = uuids.map(\.description).joined(separator: ", ")
        let verb = uuids.count == 1 ? "has" : "have"
        return "\(names) \(verb) no descriptor 2902, which turns notifications on, so the device may never send any."
    }

    /// The error of the first characteristic with notifications that are not on at a time limit; nil if all are on.
    ///
    /// For a hidden battery service, nothing is switched, so only a value is missing.
    func error(within limit: Duration) -> BluetoothError? {
        let (waiting, isBonded) = state.withLock { ($0.waiting, $0.isBonded) }
        guard let first = characteristics.first(where: { !$0.isHidden && waiting.contains(Key($0)) }) else {
            return nil
        }
        let detail = "The notifications were not on within \(limit.text)"
        let target = GATTAttribute.characteristic(first).target
        return BluetoothError(.timedOut, operation: .notify, target: target, detail: detail).withWeakBond(isBonded)
    }
}
