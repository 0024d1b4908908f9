import RxBluetooth

/// How many messages each device of the configuration may publish. A pure value: times are monotonic, from the caller.
///
/// Without a limit, a broken sensor, or a sender with the address of a device, fills the store. Messages above the
/// limit wait. A newer message of the same kind replaces one that waits, so the newest value is always published. Kinds
/// are published in turn.
struct DeviceBudget<Message: Sendable>: Sendable {
    private struct Device: Sendable {
        var rate = RateLimit()
        /// The newest message of each kind, and those that must be kept, in the order of their turns.
        var waiting: [Message] = []
        /// Whether the heap has an entry for the device.
        var isQueued = false

        /// Counts a message, and returns whether it may be published at once.
        mutating func takeFirst(at now: Duration, every interval: Duration, burst: Int) -> Bool {
            waiting.isEmpty && rate.take(at: now, every: interval, burst: burst)
        }
    }

    private static var maximumWaiting: Int { 256 }
    private static var maximumOfKind: Int { 16 }

    private let hasSameKind: @Sendable (Message, Message) -> Bool
    private let isKept: @Sendable (Message) -> Bool
    private let minimumBurst: Int
    private var messagesPerMinute: Int
    /// The time between two messages on average.
    private var interval: Duration
    private var devices: [BluetoothAddress: Device] = [:]
    private var heap = DeadlineHeap<BluetoothAddress>()
    private var excess = LimitExcess()
    private var notices: [DeviceLimitNotice] = []

    /// Creates a budget in which a newer message replaces one of the same kind.
    ///
    /// - Parameters:
    ///   - minimumBurst: How many messages are allowed at once at least. By default, it is those of a minute.
    ///   - isKept: Whether newer messages do not replace a message, unless too many of its kind wait.
    init(
        messagesPerMinute: Int, minimumBurst: Int = 0, hasSameKind: @escaping @Sendable (Message, Message) -> Bool,
        isKept: @escaping @Sendable (Message) -> Bool = { _ in false }
    ) {
        self.hasSameKind = hasSameKind
        self.isKept = isKept
        self.minimumBurst = minimumBurst
        self.messagesPerMinute = messagesPerMinute
        interval = RateLimit.interval(perMinute: messagesPerMinute)
    }

    /// The messages that newer ones have replaced, or that were dropped because too many kinds wait.
    var ignoredMessages: Int { excess.count }
    private var burst: Int { max(messagesPerMinute, minimumBurst) }

    /// Uses another limit, and forgets what was counted. Call ``flush()`` before, so that no message waits.
    mutating func apply(messagesPerMinute: Int) {
        self.messagesPerMinute = messagesPerMinute
        interval = RateLimit.interval(perMinute: messagesPerMinute)
        devices = [:]
        heap = DeadlineHeap()
    }

    /// Adds a message, and returns what to publish now, the oldest first.
    mutating func add(_ message: Message, of address: BluetoothAddress, at now: Duration) -> [Message] {
        let (interval, burst) = (interval, burst)
        if devices[address, default: Device()].takeFirst(at: now, every: interval, burst: burst) { return [message] }
        wait(message, of: address, at: now)
        return take(from: address, at: now)
    }

    private mutating func wait(_ message: Message, of address: BluetoothAddress, at now: Duration) {
        guard var device = devices.removeValue(forKey: address) else { return }
        let same = device.waiting.indices.filter { hasSameKind(device.waiting[$0], message) }
        let isFull = device.waiting.count >= Self.maximumWaiting
        var isLoss = true
        if let last = same.last, !isKept(device.waiting[last]) {
            // A kind that moved to the end would lose its turn each time.
            device.waiting[last] = message
        } else if let first = same.first, isFull || same.count >= Self.maximumOfKind {
            device.waiting.remove(at: first)
            device.waiting.append(message)
        } else if !isFull {
            device.waiting.append(message)
            isLoss = false
        }
        devices[address] = device
        guard isLoss, excess.add(at: now) else { return }
        notices.append(.tooManyDeviceMessages(address, limit: messagesPerMinute))
    }

    /// Removes the messages of a device that the limit allows now.
    private mutating func take(from address: BluetoothAddress, at now: Duration) -> [Message] {
        guard var device = devices.removeValue(forKey: address) else { return [] }
        let (interval, burst) = (interval, burst)
        var count = 0
        while count < device.waiting.count, device.rate.take(at: now, every: interval, burst: burst) { count += 1 }
        let messages = Array(device.waiting.prefix(count))
        device.waiting.removeFirst(count)
        if !device.waiting.isEmpty, !device.isQueued {
            device.isQueued = true
            heap.insert(address, at: device.rate.earliest(at: now, every: interval, burst: burst))
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
    mutating func takeNotices(at now: Duration) -> [DeviceLimitNotice] {
        if let count = excess.end(at: now) { notices.append(.deviceMessagesFit(ignored: count)) }
        defer { notices = [] }
        return notices
    }
}
