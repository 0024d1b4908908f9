import RxBluetooth

/// Which devices Home Assistant discovers: those of the configuration, and a limited number of others. A pure value.
///
/// Another device that was not heard for the expiry leaves, so that its message is removed and its place is free.
struct DiscoveryAdmission: Sendable {
    private var policy: HomeAssistantSettings.Discovery
    private var limit: Int
    private var expiry: Duration
    /// When the other devices with a message were last heard.
    private var others: RecencyTable<BluetoothAddress, Duration>
    private var excess = LimitExcess()
    private var notices: [DeviceLimitNotice] = []

    private static let restoredTime = Duration.seconds(3600)

    init(_ settings: HomeAssistantSettings) {
        policy = settings.discovery
        limit = settings.discovery == .knownFormats ? settings.discoveryLimit : 0
        expiry = settings.discoveryExpiry
        others = RecencyTable(capacity: limit)
    }

    /// Uses other limits. Devices above a lower limit keep their messages until they leave.
    mutating func reload(_ settings: HomeAssistantSettings) {
        policy = settings.discovery
        limit = settings.discovery == .knownFormats ? settings.discoveryLimit : 0
        expiry = settings.discoveryExpiry
        others.setCapacity(max(limit, others.count))
        if policy != .knownFormats { for address in others.keys { others.remove(address) } }
    }

    /// How often a device was not discovered because of the limit.
    var refusedCount: Int { excess.count }

    /// Returns whether a device may have a message. Another device is then counted as heard.
    mutating func admit(_ device: MessageDevice, at now: Duration) -> Bool {
        guard !device.isConfigured else { return policy != .none }
        guard policy == .knownFormats else { return false }
        guard others.contains(device.address) || others.count < limit else {
            if excess.add(at: now) { notices.append(.tooManyDiscoveries(limit: limit)) }
            return false
        }
        _ = others.use(device.address, default: now) { time, _ in time = now }
        return true
    }

    /// Frees the place of a device that needs no message.
    mutating func withdraw(_ address: BluetoothAddress) { others.remove(address) }

    /// Learns a device for which an earlier process has published a message. Returns whether it keeps its place.
    ///
    /// - Parameter age: The time since it was heard. It was measured with clocks that may have been set meanwhile, so a
    ///   device always has an hour, or half of a shorter expiry, to be heard before it expires.
    mutating func restore(_ address: BluetoothAddress, age: Duration, at now: Duration) -> Bool {
        if others.contains(address) { return true }
        guard others.count < limit else { return false }
        let longest = expiry - min(Self.restoredTime, expiry / 2)
        let heard = now - min(age, longest)
        others.use(address, default: heard)
        return true
    }

    /// The other devices that have a message, with the times at which they were last heard.
    var discovered: [(address: BluetoothAddress, heard: Duration)] {
        others.keys.compactMap { address in others.peek(address).map { (address, $0) } }
    }

    /// Returns whether another device has a message.
    func contains(_ address: BluetoothAddress) -> Bool { others.contains(address) }

    /// Removes the devices that were not heard for the expiry, and returns them.
    mutating func expire(at now: Duration) -> [BluetoothAddress] {
        let expired = others.keys.filter { others.peek($0).map { $0 + expiry <= now } ?? false }
        for address in expired { others.remove(address) }
        return expired
    }

    /// Returns what to report: the limit begins to be exceeded, or is not exceeded any more.
    mutating func takeNotices(at now: Duration) -> [DeviceLimitNotice] {
        if let count = excess.end(at: now) { notices.append(.discoveriesFit(ignored: count)) }
        defer { notices = [] }
        return notices
    }
}
