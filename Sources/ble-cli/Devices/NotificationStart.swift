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

    /// The characteristics with notifications that are not on yet.
    private let waiting: Guarded<Set<Key>>
    private let begun = PublishSubject<Void>()

    init(of characteristics: [Characteristic]) { waiting = Guarded(Set(characteristics.map { Key($0) })) }

    /// Records that notifications are on. A value shows it, too: for a hidden battery service, nothing is switched.
    func record(_ characteristic: Characteristic) {
        let isLast = waiting.withLock { $0.remove(Key(characteristic)) != nil && $0.isEmpty }
        if isLast { begun.onNext(()) }
    }

    /// Emits once when all notifications are on.
    func observe(in manager: BluetoothManager) -> Observable<Void> {
        let switches = manager.attributeExchanges
            .do(onNext: { [self] exchange in
                guard case .notificationsSwitched(let characteristic, isOn: true) = exchange.kind else { return }
                record(characteristic)
            })
            .ignoreElements()
        return begun.take(1).alongside(switches)
    }
}
