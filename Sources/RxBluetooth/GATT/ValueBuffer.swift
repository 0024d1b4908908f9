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
