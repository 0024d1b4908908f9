import RxBluetooth

/// How many messages each device of the configuration may publish. A pure value: times are monotonic, from the caller.
///
/// Without a limit, a broken sensor, or a sender with the address of a device, fills the store. Messages above the
/// limit wait. A newer message of the same kind replaces one that waits, so the newest value is always published.
struct DeviceBudget<Message: Sendable>: Sendable {
    private struct Device: Sendable {
        var rate = RateLimit()
        /// The newest message of each kind, the oldest first.
        var waiting: [Message] = []
        /// Whether the heap has an entry for the device.
        var isQueued = false

        /// Counts a message, and returns whether it may be published at once.
        mutating func takeFirst(at now: Duration, every interval: Duration, burst: Int) -> Bool {
            waiting.isEmpty && rate.take(at: now, every: interval, burst: burst)
        }
    }

    private static var maximumWaiting: Int { 16 }

    private let hasSameKind: @Sendable (Message, Message) -> Bool
    private var messagesPerMinute: Int
    /// The time between two messages on average.
    private var interval: Duration
    private var devices: [BluetoothAddress: Device] = [:]
    private var heap = DeadlineHeap<BluetoothAddress>()
    private var excess = LimitExcess()
    private var notices: [OtherDeviceNotice] = []

    /// Creates a budget in which a newer message replaces one of the same kind.
    init(messagesPerMinute: Int, hasSameKind: @escaping @Sendable (Message, Message) -> Bool) {
        self.hasSameKind = hasSameKind
        self.messagesPerMinute = messagesPerMinute
        interval = RateLimit.interval(perMinute: messagesPerMinute)
    }

    /// The messages that newer ones have replaced.
    var ignoredMessages: Int { excess.count }

    /// Uses another limit, and forgets what was counted. Call ``flush()`` before, so that no message waits.
    mutating func apply(messagesPerMinute: Int) {
        self.messagesPerMinute = messagesPerMinute
        interval = RateLimit.interval(perMinute: messagesPerMinute)
        devices = [:]
        heap = DeadlineHeap()
    }

    /// Adds a message, and returns what to publish now, the oldest first.
    mutating func add(_ message: Message, of address: BluetoothAddress, at now: Duration) -> [Message] {
        let (interval, burst) = (interval, messagesPerMinute)
        if devices[address, default: Device()].takeFirst(at: now, every: interval, burst: burst) { return [message] }
        wait(message, of: address, at: now)
        return take(from: address, at: now)
    }

    private mutating func wait(_ message: Message, of address: BluetoothAddress, at now: Duration) {
        let waiting = devices[address]?.waiting ?? []
        let same = waiting.firstIndex { hasSameKind($0, message) }
        if let replaced = same ?? (waiting.count >= Self.maximumWaiting ? 0 : nil) {
            devices[address]?.waiting.remove(at: replaced)
            if excess.add(at: now) { notices.append(.tooManyDeviceMessages(address, limit: messagesPerMinute)) }
        }
        devices[address]?.waiting.append(message)
    }

    /// Removes the messages of a device that the limit allows now.
    private mutating func take(from address: BluetoothAddress, at now: Duration) -> [Message] {
        guard var device = devices.removeValue(forKey: address) else { return [] }
        var count = 0
        while count < device.waiting.count, device.rate.take(at: now, every: interval, burst: messagesPerMinute) {
            count += 1
        }
        let messages = Array(device.waiting.prefix(count))
        device.waiting.removeFirst(count)
        if !device.waiting.isEmpty, !device.isQueued {
            device.isQueued = true
            heap.insert(address, at: device.rate.earliest(at: now, every: interval, burst: messagesPerMinute))
        }
        devices[address] = device
        return messages
    }

    /// Returns the messages that have waited until the limit allows them.
    mutating func due(at now: Duration) -> [Message] {
        var messages: [Message] = []
        while let first = heap.first, first.deadline <= now {
            heap.removeFirst()
            devices[first.key]?.isQueued = false
            messages += take(from: first.key, at: now)
        }
        return messages
    }

    /// Returns all messages that wait.
    mutating func flush() -> [Message] {
        var messages: [Message] = []
        for address in devices.keys.sorted() {
            messages += devices[address]?.waiting ?? []
            devices[address]?.waiting = []
        }
        return messages
    }

    /// When ``due(at:)`` or ``takeNotices(at:)`` may have work; nil if no limit is exceeded.
    var nextDeadline: Duration? { (heap.first?.deadline).earlier(excess.deadline) }

    /// Returns what to report: a limit that begins to be exceeded, or is not exceeded any more.
    mutating func takeNotices(at now: Duration) -> [OtherDeviceNotice] {
        if let count = excess.end(at: now) { notices.append(.deviceMessagesFit(ignored: count)) }
        defer { notices = [] }
        return notices
    }
}
