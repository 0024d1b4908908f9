public import Rx

// MARK: - Notifications and indications
extension Characteristic {
    /// Observes the values that the peripheral notifies or indicates.
    ///
    /// Emits each value, in order, and never completes. Cold and shared: the first subscription to this characteristic
    /// turns notifications on, disposing the last one turns them off. Values that arrive while notifications are being
    /// turned on are delivered, earlier ones are not. Delivers on the manager's queue.
    ///
    /// Results of this program's reads are not emitted. bluetoothd reports the reads of other programs like
    /// notifications; only ``NotificationTransport/socket`` excludes them. With ``ConnectOptions/reconnection``
    /// notifications are turned on again after link loss, and the stream continues.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/notPermitted`` before anything is sent, if ``properties`` include neither notifications
    ///   nor indications; for a socket, if they do not include notifications.
    /// - ``BluetoothError/Kind/exclusiveUse`` or ``BluetoothError/Kind/busy`` if another program uses the
    ///   characteristic exclusively, or this program uses it with signals and a socket is requested.
    /// - ``BluetoothError/Kind/overflow`` if the buffer is full and ``ValueBuffer/overflow`` is
    ///   ``ValueBuffer/Overflow/fail``.
    /// - ``BluetoothError/Kind/timedOut`` if notifications are not turned on within ``Deadlines/operation``, or the
    ///   error of the peripheral or bluetoothd if they cannot be turned on.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    ///
    /// Source: BlueZ, `gatt-api.txt`, `StartNotify` and `AcquireNotify`.
    ///
    /// - Parameters:
    ///   - transport: How bluetoothd delivers the values. Default: signals. If a subscription with a socket exists, one
    ///     with signals shares the socket.
    ///   - buffer: The buffer in front of this subscriber. Default: 1024 values; one more is an error.
    public func observeValueUpdates(
        using transport: NotificationTransport = .signals, buffer: ValueBuffer = ValueBuffer()
    ) -> Observable<[UInt8]> {
        peripheral.resumingAfterReconnect(
            peripheral.stream(within: buffer, of: self) { client, emitter in
                client.operations.observe(self, transport, emitter)
            },
            link: service.link)
    }

    /// The number of this characteristic's values that subscribers lost because their buffers were full.
    ///
    /// It counts all subscribers of this manager together, since the peripheral object was created. See
    /// ``ValueBuffer``.
    public var droppedValueCount: Int { peripheral.drops(of: key) }

    /// How the peripheral sends values.
    package enum Updates: Sendable {
        /// Notifications, without confirmation.
        case notifications
        /// Indications, each confirmed by bluetoothd.
        case indications
    }

    /// Whether bluetoothd turns on notifications or indications; nil if ``properties`` include neither.
    ///
    /// bluetoothd prefers notifications if both are supported. Programs cannot choose.
    package var updates: Updates? {
        if properties.contains(.notify) { return .notifications }
        return properties.contains(.indicate) ? .indications : nil
    }
}

/// The buffer of a subscriber that is slower than the peripheral, and what happens when it is full.
///
/// ``Characteristic/droppedValueCount`` counts the lost values.
public struct ValueBuffer: Hashable, Sendable {
    /// What happens to a value if the buffer is full.
    public enum Overflow: Hashable, Sendable {
        /// The value is lost. After the buffered values the stream fails with ``BluetoothError/Kind/overflow``.
        case fail
        /// The oldest buffered value is lost. For measurements of which only the latest matters.
        case dropOldest
        /// The new value is lost.
        case dropNewest
    }

    /// The number of values that the buffer holds. Default: 1024; minimum: 1.
    public var capacity: Int {
        didSet { capacity = max(1, capacity) }
    }
    /// What happens if the buffer is full. Default: the stream fails.
    public var overflow: Overflow

    /// Creates a buffer. By default it holds 1024 values, and the stream fails when it is full.
    public init(capacity: Int = 1024, overflow: Overflow = .fail) {
        self.capacity = max(1, capacity)
        self.overflow = overflow
    }
}

/// How bluetoothd delivers notified values.
public enum NotificationTransport: Hashable, Sendable {
    /// By D-Bus signals (`StartNotify`), also while notifications are being turned on.
    ///
    /// bluetoothd sends values that other programs read by the same signal.
    case signals
    /// By a socket (`AcquireNotify`), which needs a quarter of the work for each value.
    ///
    /// It delivers notifications only, not values that programs read. One program at a time can use it, and the
    /// characteristic must support notifications. Values are lost if they arrive before the socket is open, or if the
    /// socket is full because this program does not read it.
    case socket
}
