public import Rx

// MARK: - Notifications and indications
extension Characteristic {
    /// Observes the values that the peripheral notifies or indicates.
    ///
    /// Emits each value, in order, and never completes. Cold and shared: the first subscription to this characteristic
    /// turns notifications on, and disposing of the last subscription turns them off. Values that arrive while
    /// notifications are being turned on are emitted; earlier values are not. Delivers on the manager's queue.
    ///
    /// Results of this program's reads are not emitted. Results of reads by other programs are emitted, because
    /// bluetoothd reports them like notifications; a socket excludes them. With ``ConnectOptions/reconnection``,
    /// notifications are turned on again after link loss, and the stream continues.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/notPermitted`` before anything is sent, if ``properties`` include neither notifications
    ///   nor indications. ``NotificationTransport/socket`` requires notifications.
    /// - ``BluetoothError/Kind/exclusiveUse`` or ``BluetoothError/Kind/busy`` if another program uses the
    ///   characteristic exclusively, or this program uses it with signals and requires a socket.
    /// - ``BluetoothError/Kind/overflow`` if the buffer is full and ``ValueBuffer/overflow`` is
    ///   ``ValueBuffer/Overflow/fail``.
    /// - ``BluetoothError/Kind/timedOut`` if turning notifications on takes longer than the deadline, or the error of
    ///   the peripheral or bluetoothd that refuses to turn them on.
    /// - ``BluetoothError/Kind/invalidArgument`` before anything is sent, if the deadline is zero or less.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    ///
    /// Source: BlueZ, `gatt-api.txt`, `StartNotify` and `AcquireNotify`.
    ///
    /// - Parameters:
    ///   - transport: How bluetoothd delivers the values. Default: signals. If another subscription of this manager
    ///     requires a socket, a subscription with signals shares that socket.
    ///   - buffer: The buffer in front of this subscriber. Default: 1024 values; if it is full, the stream fails.
    ///   - options: The deadline and the priority of turning notifications on. If several subscriptions wait for this,
    ///     the options with the highest priority apply. Default: ``Deadlines/operation``, and normal.
    public func observeValueUpdates(
        using transport: NotificationTransport = .signals, buffer: ValueBuffer = ValueBuffer(),
        options: OperationOptions = OperationOptions()
    ) -> Observable<[UInt8]> {
        peripheral.resumingAfterReconnect(
            observe(transport, buffer, QueueRequest(options: options)), link: service.link)
    }

    func observe(
        _ transport: NotificationTransport, _ buffer: ValueBuffer, _ request: QueueRequest
    ) -> Observable<[UInt8]> {
        peripheral.stream(within: buffer, of: self) { client, emitter in
            client.operations.observe(self, transport, request, emitter)
        }
    }

    /// The number of this characteristic's values that subscribers lost because their buffers were full.
    ///
    /// The number is the total of all subscribers of this manager since the peripheral object was created. See
    /// ``ValueBuffer``.
    public var droppedValueCount: Int { peripheral.drops(of: key) }

    /// Whether the peripheral sends notifications or indications.
    package enum Updates: Sendable {
        /// The peripheral sends notifications, without confirmation.
        case notifications
        /// The peripheral sends indications, and bluetoothd confirms each.
        case indications
    }

    /// What bluetoothd turns on: notifications or indications; nil if ``properties`` include neither.
    ///
    /// If both are supported, bluetoothd always turns on notifications.
    package var updates: Updates? {
        if properties.contains(.notify) { return .notifications }
        return properties.contains(.indicate) ? .indications : nil
    }
}

/// The buffer between a peripheral and a slower subscriber: its capacity, and what to do if it is full.
///
/// ``Characteristic/droppedValueCount`` is the number of values that were lost because a buffer was full.
public struct ValueBuffer: Hashable, Sendable {
    /// What happens when a value arrives and the buffer is full.
    public enum Overflow: Hashable, Sendable {
        /// The stream fails with ``BluetoothError/Kind/overflow`` after the buffered values.
        ///
        /// The new value is lost.
        case fail
        /// The oldest buffered value is lost. Useful if only the latest value matters.
        case dropOldest
        /// The new value is lost.
        case dropNewest
    }

    /// The number of values that the buffer holds. Default: 1024; minimum: 1.
    public var capacity: Int {
        didSet { capacity = max(1, capacity) }
    }
    /// What happens when a value arrives and the buffer is full. Default: the stream fails.
    public var overflow: Overflow

    /// Creates a buffer. By default it holds 1024 values, and the stream fails when it is full.
    public init(capacity: Int = 1024, overflow: Overflow = .fail) {
        self.capacity = max(1, capacity)
        self.overflow = overflow
    }
}

/// How bluetoothd delivers notified values.
///
/// A socket costs a fraction of the work of signals for each value, but it excludes other programs: while this program
/// has the socket of a characteristic, bluetoothd refuses the notifications of this characteristic to all other
/// programs. The default is therefore ``signals``.
public enum NotificationTransport: Hashable, Sendable {
    /// Values arrive as D-Bus signals (`StartNotify`), also while notifications are being turned on.
    ///
    /// Several programs can subscribe to the same characteristic. bluetoothd sends the same signal for values that
    /// other programs read.
    case signals
    /// Values arrive through a socket (`AcquireNotify`).
    ///
    /// The socket delivers only notifications, not values that programs read. Only one program at a time can have a
    /// socket for a characteristic, and the characteristic must support notifications. Values are lost if they arrive
    /// before the socket is open, or while the socket is full because this program does not read fast enough. The
    /// stream fails if another program uses the characteristic, or turns the notifications off.
    case socket
    /// Values arrive through a socket if bluetoothd offers one, and otherwise as signals.
    ///
    /// The stream uses signals in these cases, also after it has begun:
    /// - The characteristic supports only indications, or bluetoothd has no sockets.
    /// - bluetoothd refuses the socket, for example because another program subscribes with signals.
    /// - bluetoothd closes the socket while the link is up, for example because another program turned the
    ///   notifications off.
    /// - Another subscription of this manager requests ``signals``, and none requires a ``socket``.
    ///
    /// The stream then stays with signals until its subscribers are gone or the link is lost. No value is emitted
    /// twice, and the values in the socket are emitted before those of signals. bluetoothd turns the notifications of
    /// the peripheral off and on again for the change, so values that the peripheral does not send meanwhile are
    /// missing. If another program has the socket, bluetoothd also refuses signals, and the stream fails with
    /// ``BluetoothError/Kind/exclusiveUse``.
    ///
    /// Up to 5.83, bluetoothd may crash after a socket that the peripheral refuses. So with these versions,
    /// notifications are turned on by `StartNotify` and off again before the first socket of a characteristic is opened
    /// during a link. This applies to ``socket``, too. Values that the peripheral sends meanwhile are delivered to
    /// ``automatic``, and not to ``socket``.
    case automatic
}
