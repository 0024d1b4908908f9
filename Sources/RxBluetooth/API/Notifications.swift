public import Rx

/// Values that the peripheral sends by itself.
extension Characteristic {
    /// Receives the values that the peripheral notifies or indicates.
    ///
    /// Emits each value, in order (S76), and never completes. Cold and shared: notifications are turned on with the first
    /// subscription to this characteristic and off when the last is disposed of (S69). Values that come while they are
    /// being turned on are delivered (Q102), what came before is not (S80); the answer of a read of ours is not (Q95, S64), though
    /// bluetoothd shows those of other programs alike, and only ``NotificationTransport/socket`` is free of these.
    ///
    /// Fails with ``BluetoothError/Kind/notPermitted`` where ``properties`` offer neither, with the cause where they
    /// cannot be turned on (S72), with ``BluetoothError/Kind/overflow`` as `buffer` says, and with the error of the connection
    /// when that ends. Where another program has the characteristic alone, or asks for it by another transport than
    /// this one does already, that is ``BluetoothError/Kind/exclusiveUse`` or ``BluetoothError/Kind/busy`` (Q105). Over a
    /// connection that is made again when it is lost, notifications are turned on again and the stream goes on (S78).
    /// Source: BlueZ, `gatt-api.txt`, `StartNotify` and `AcquireNotify`.
    ///
    /// - Parameters:
    ///   - transport: How bluetoothd hands the values over. Default: by signals. A subscriber by signals joins those who are
    ///     there already by socket.
    ///   - buffer: What may wait for this subscriber. Default: 1024 values; one more is an error.
    public func observeValueUpdates(
        using transport: NotificationTransport = .signals, buffer: ValueBuffer = ValueBuffer()
    ) -> Observable<[UInt8]> {
        peripheral.resumingAfterReconnect(
            peripheral.stream(within: buffer, of: self) { client, emitter in
                client.operations.observe(self, transport, emitter)
            },
            link: service.link)
    }

    /// How many values of this characteristic subscribers of this manager have lost because they were too slow for their
    /// ``ValueBuffer`` (S81): since the peripheral became known, all subscribers together.
    public var droppedValueCount: Int { peripheral.drops(of: key) }

    /// How the peripheral sends values by itself.
    public enum Updates: Sendable {
        /// Unconfirmed.
        case notifications
        /// Each one confirmed by bluetoothd.
        case indications
    }

    /// Which of the two bluetoothd turns on: notifications wherever they are offered, and there is no choice (S77, Q108). Nil where
    /// ``properties`` offer neither.
    public var updates: Updates? {
        if properties.contains(.notify) { return .notifications }
        return properties.contains(.indicate) ? .indications : nil
    }
}

/// How many notified values may wait for a subscriber that is slower than the peripheral, and what becomes of the next
/// one (S81). What is lost is counted: ``Characteristic/droppedValueCount``.
public struct ValueBuffer: Hashable, Sendable {
    /// What becomes of a value for which there is no room.
    public enum Overflow: Hashable, Sendable {
        /// It is lost, and after the values that wait the stream fails with ``BluetoothError/Kind/overflow``, so that no gap
        /// goes unnoticed.
        case fail
        /// The eldest value that waits is lost: for measurements, of which the latest counts.
        case dropOldest
        /// It is lost itself.
        case dropNewest
    }

    /// How many values may wait. Default: 1024. Zero and less count as 1.
    public var capacity: Int {
        didSet { capacity = max(1, capacity) }
    }
    /// What happens when more come. Default: the stream fails.
    public var overflow: Overflow

    /// Makes a buffer.
    public init(capacity: Int = 1024, overflow: Overflow = .fail) {
        self.capacity = max(1, capacity)
        self.overflow = overflow
    }
}

/// How bluetoothd hands notified values over.
public enum NotificationTransport: Hashable, Sendable {
    /// By D-Bus signals (`StartNotify`). No value is lost on the way, also those that come while notifications are being turned
    /// on. bluetoothd shows what other programs read by the same signal.
    case signals
    /// By a socket (`AcquireNotify`): a quarter of the work for each value, and nothing but notifications. bluetoothd gives it to
    /// one program at a time and only for characteristics that notify; it loses what comes before the socket is there (Q102),
    /// and, if this program does not read for long, what no longer fits in (Q106).
    case socket
}
