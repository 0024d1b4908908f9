public import FoundationEssentials
public import Rx
import Synchronization

/// An exchange with the GATT server of a peripheral: a read, a write, or a notified value.
///
/// ``BluetoothManager/attributeExchanges`` emits the exchanges.
public struct AttributeExchange: Equatable, Sendable {
    /// The number of the exchange among all exchanges that the manager emitted, from 1.
    ///
    /// A gap in the numbers means that exchanges were lost because the subscriber was too slow.
    public let number: UInt64
    /// The time of the reply or of the value, on the clock of the manager's scheduler.
    public let time: Date
    /// What was exchanged.
    public let kind: Kind

    /// What was exchanged, with the result.
    public enum Kind: Equatable, Sendable {
        /// A characteristic was read.
        case read(Characteristic, Result<[UInt8], BluetoothError>)
        /// A characteristic was written. The error is nil if the write succeeded.
        ///
        /// Without response, success means that bluetoothd has accepted the value.
        case written(Characteristic, [UInt8], Characteristic.WriteType, BluetoothError?)
        /// A descriptor was read.
        case descriptorRead(Descriptor, Result<[UInt8], BluetoothError>)
        /// A descriptor was written. The error is nil if the write succeeded.
        case descriptorWritten(Descriptor, [UInt8], BluetoothError?)
        /// The manager turned the notifications of a characteristic on or off.
        case notificationsSwitched(Characteristic, isOn: Bool)
        /// A characteristic has notified or indicated a value.
        ///
        /// A value is emitted once, also if the characteristic has several subscribers.
        case notified(Characteristic, [UInt8])
    }
}

extension BluetoothManager {
    /// The exchanges of this manager with the GATT servers of all its peripherals, for example to record them.
    ///
    /// Emits each operation when it has ended, and each notified value when it arrives, after the subscription. Leaves
    /// out operations that were never sent. The discovery of services is not an exchange, because bluetoothd discovers
    /// by itself. The elements contain addresses and values of devices.
    ///
    /// Never completes and never fails, also if the manager is closed. Hot; subscribing neither connects nor opens the
    /// bus. The subscription keeps the manager alive. Delivers on the manager's queue. At most 4096 exchanges wait for
    /// a slow subscriber. If there are more, the oldest are dropped, and ``AttributeExchange/number`` has a gap.
    /// Without a subscriber, no exchange is built.
    ///
    /// ```swift
    /// manager.attributeExchanges
    ///     .subscribe(onNext: { exchange in
    ///         if case .written(let characteristic, let value, _, nil) = exchange.kind {
    ///             print(exchange.time, characteristic.uuid, value)
    ///         }
    ///     })
    ///     .disposed(by: bag)
    /// ```
    public var attributeExchanges: Observable<AttributeExchange> {
        access.keptAlive(by: access.settings.exchanges.observed)
    }
}

/// The sink of a manager's exchanges. An exchange is built only if there is a subscriber.
final class ExchangeLog: Sendable {
    private let delivery: DeliveryQueue
    private let subject = PublishSubject<AttributeExchange>()
    private let count = Atomic<UInt64>(0)

    init(by delivery: DeliveryQueue) { self.delivery = delivery }

    func record(_ exchange: @autoclosure () -> AttributeExchange.Kind) {
        guard subject.hasObservers else { return }
        let number = count.add(1, ordering: .relaxed).newValue
        subject.onNext(AttributeExchange(number: number, time: delivery.scheduler.now, kind: exchange()))
    }

    var observed: Observable<AttributeExchange> {
        subject.observe(by: delivery, within: DeliveryBuffer(capacity: 4096, overflow: .dropOldest))
    }
}
