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
        /// Whether the device has a bond, which may be too weak for a characteristic.
        var isBonded = false
    }

    private let characteristics: [Characteristic]
    private let state: Guarded<State>
    private let begun = PublishSubject<Void>()

    init(of characteristics: [Characteristic]) {
        self.characteristics = characteristics
        state = Guarded(State(waiting: Set(characteristics.map { Key($0) })))
    }

    /// Records that notifications are on. A value shows it, too: for a hidden battery service, nothing is switched.
    func record(_ characteristic: Characteristic) {
        let isLast = state.withLock { $0.waiting.remove(Key(characteristic)) != nil && $0.waiting.isEmpty }
        if isLast { begun.onNext(()) }
    }

    /// Emits once when all notifications are on.
    func observe(in manager: BluetoothManager) -> Observable<Void> { begun.take(1).alongside(recording(in: manager)) }

    /// Records which notifications are on, and whether the device has a bond. Emits nothing.
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
        return .merge(switches, bonds)
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
