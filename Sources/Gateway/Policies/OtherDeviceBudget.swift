/// What devices that the configuration does not contain may use. A pure value: times are monotonic, from the caller.
///
/// Without limits, a sender that changes its address with each packet fills the store and the broker.
struct OtherDeviceBudget: Sendable {
    /// The limits. What was counted before a change stays counted.
    var settings: OtherDeviceSettings {
        didSet { interval = RateLimit.interval(perMinute: settings.messagesPerMinute) }
    }
    /// The time between two messages on average.
    private var interval: Duration
    private var messages = RateLimit()
    private var presence = RateLimit()
    private var deviceExcess = LimitExcess()
    private var messageExcess = LimitExcess()
    private var notices: [DeviceLimitNotice] = []

    init(_ settings: OtherDeviceSettings) {
        self.settings = settings
        interval = RateLimit.interval(perMinute: settings.messagesPerMinute)
    }

    /// The advertisements of devices above the limit.
    var ignoredAdvertisements: Int { deviceExcess.count }
    /// The readings above the limit.
    var ignoredMessages: Int { messageExcess.count }

    /// Whether a device may be published.
    ///
    /// - Parameters:
    ///   - isPresent: Whether it is among the devices in range.
    ///   - count: The number of other devices in range.
    mutating func admits(isPresent: @autoclosure () -> Bool, count: Int, at now: Duration) -> Bool {
        if count < settings.maximum || isPresent() { return true }
        if deviceExcess.add(at: now) { notices.append(.tooManyDevices(limit: settings.maximum)) }
        return false
    }

    /// Counts a reading, and returns whether it may be published.
    mutating func takeReading(at now: Duration) -> Bool {
        if messages.take(at: now, every: interval, burst: settings.messagesPerMinute) { return true }
        if messageExcess.add(at: now) { notices.append(.tooManyMessages(limit: settings.messagesPerMinute)) }
        return false
    }

    /// Whether the presence of a device may be published. It has a quarter of the messages, so readings keep the rest.
    func allowsPresence(at now: Duration) -> Bool {
        messages.allows(at: now, every: interval, burst: settings.messagesPerMinute)
            && presence.allows(at: now, every: interval * 4, burst: settings.messagesPerMinute / 4)
    }

    /// Counts a message about presence. The loss of a device is published in any case, because its presence was.
    mutating func countPresence(at now: Duration) {
        messages.count(at: now, every: interval)
        presence.count(at: now, every: interval * 4)
    }

    /// When ``takeNotices(at:)`` may have work; nil if no limit is exceeded.
    var nextDeadline: Duration? { deviceExcess.deadline.earlier(messageExcess.deadline) }

    /// Returns what to report: limits that begin to be exceeded, or are not exceeded any more.
    mutating func takeNotices(at now: Duration) -> [DeviceLimitNotice] {
        if let count = deviceExcess.end(at: now) { notices.append(.devicesFit(ignored: count)) }
        if let count = messageExcess.end(at: now) { notices.append(.messagesFit(ignored: count)) }
        defer { notices = [] }
        return notices
    }
}
