public import RxBluetooth

/// Which devices are in range, with smoothed signal strengths. A pure value: times are monotonic, from the caller.
///
/// A device is found with its first advertisement or a link, and lost after a time without any. Signal strengths are
/// smoothed by a low-pass filter with a time constant of 10 s.
public struct PresenceMonitor: Sendable {
    /// A change of a device's presence that is worth a message.
    public struct Change: Hashable, Sendable {
        /// What happened.
        public enum Kind: Hashable, Sendable {
            /// The first advertisement, or the first one after a loss.
            case found
            /// The smoothed signal strength changed by the threshold, or the last message is old.
            case updated
            /// No advertisement was received for the timeout.
            case lost
            /// The same for a device that was never found, so that there is nothing to publish.
            case forgotten
        }

        /// The device.
        public var address: BluetoothAddress
        public var kind: Kind
        /// The smoothed signal strength in dBm; nil if it was never known.
        public var rssi: Double?
        /// The monotonic time of the last advertisement.
        public var lastHeard: Duration
    }

    private struct Device: Sendable {
        var rssi: Double?
        var lastRSSI: Duration
        var lastHeard: Duration
        var published: Double?
        var publishedAt: Duration
        let firstHeard: Duration
        /// Whether ``Change/Kind/found`` was emitted.
        var isAnnounced = false
    }

    private static let timeConstant = 10.0

    private var settings: PublishingSettings
    private let settling: Duration
    private var devices: RecencyTable<BluetoothAddress, Device>
    /// The devices with a link. They are in range, although most of them do not advertise.
    private var linked: Set<BluetoothAddress> = []

    /// The number of devices that were removed because there were too many. They are reported as lost.
    public private(set) var evicted = 0

    /// Creates a monitor without devices.
    ///
    /// - Parameters:
    ///   - capacity: The largest number of devices. When it is reached, the device that was not heard for longest is
    ///     lost.
    ///   - settling: A device is found with its first advertisement after this time since the very first one.
    public init(_ settings: PublishingSettings, capacity: Int = 10_000, settling: Duration = .zero) {
        self.settings = settings
        self.settling = settling
        devices = RecencyTable(capacity: capacity)
    }

    /// Uses other settings from now on. Devices stay in range.
    mutating func apply(_ settings: PublishingSettings, capacity: Int) {
        self.settings = settings
        devices.setCapacity(capacity)
    }

    /// The devices in range.
    var addresses: [BluetoothAddress] { devices.keys }

    /// Moves a device to another monitor without a message. Returns what to publish there, if that one is full.
    mutating func move(_ address: BluetoothAddress, to other: inout PresenceMonitor) -> [Change] {
        guard let device = devices.remove(address) else { return [] }
        if linked.remove(address) != nil { other.linked.insert(address) }
        guard let removed = other.devices.use(address, default: device) else { return [] }
        other.evicted += 1
        return [Self.loss(of: removed)]
    }

    /// Removes a device that is not published any more, and returns what to publish.
    mutating func remove(_ address: BluetoothAddress) -> [Change] {
        linked.remove(address)
        return devices.remove(address).map { [Self.loss(of: (address, $0))] } ?? []
    }

    /// The number of devices in range.
    public var count: Int { devices.count }

    /// The time at which ``expire(at:)`` has work; nil if there is no device.
    public var nextDeadline: Duration? { devices.oldest.map { $0.value.lastHeard + settings.presenceTimeout } }

    /// Whether a device is in range.
    public func isPresent(_ address: BluetoothAddress) -> Bool { devices.contains(address) }

    /// Returns the state of a device as it was last published, with present values; nil if it is not in range.
    func state(of address: BluetoothAddress) -> Change? {
        devices.peek(address).flatMap { $0.isAnnounced ? Self.change(.updated, address, $0) : nil }
    }

    /// Returns the smoothed signal strength in dBm; nil if it is not known.
    public func rssi(of address: BluetoothAddress) -> Double? { devices.peek(address)?.rssi }

    /// Records an advertisement, and returns what to publish: at most a loss of another device, and one of this device.
    ///
    /// - Parameters:
    ///   - rssi: The signal strength in dBm; nil or 127 if it is not known.
    ///   - publishes: Whether a message about this device may be published. If not, it follows later.
    public mutating func hear(
        _ address: BluetoothAddress, rssi: Int?, at now: Duration, publishes: @autoclosure () -> Bool = true
    ) -> [Change] {
        let (settings, settling, known) = (settings, settling, rssi == 127 ? nil : rssi)
        let (change, removed) = devices.use(
            address,
            default: Device(
                rssi: nil, lastRSSI: now, lastHeard: now, published: nil, publishedAt: now, firstHeard: now)
        ) { device, _ -> Change? in
            device.lastHeard = now
            if let known { Self.smooth(&device, Double(known), now) }
            let isKnown = device.isAnnounced
            let isDue = isKnown ? Self.isDue(device, now, settings) : now - device.firstHeard >= settling
            guard isDue, publishes() else { return nil }
            device.published = device.rssi
            device.publishedAt = now
            device.isAnnounced = true
            return Self.change(isKnown ? .updated : .found, address, device)
        }
        guard let removed else { return change.map { [$0] } ?? [] }
        evicted += 1
        return [Self.loss(of: removed)] + (change.map { [$0] } ?? [])
    }

    /// Records that a link to a device was made or has ended, and returns what to publish.
    public mutating func setLinked(_ isLinked: Bool, _ address: BluetoothAddress, at now: Duration) -> [Change] {
        if isLinked { linked.insert(address) } else { guard linked.remove(address) != nil else { return [] } }
        return hear(address, rssi: nil, at: now)
    }

    /// Returns the devices that were lost, the one that was not heard for longest first, and what else to publish.
    public mutating func expire(at now: Duration) -> [Change] {
        var changes: [Change] = []
        while let oldest = devices.oldest, oldest.value.lastHeard + settings.presenceTimeout <= now {
            if linked.contains(oldest.key) {
                changes += hear(oldest.key, rssi: nil, at: now)
                continue
            }
            devices.remove(oldest.key)
            changes.append(Self.loss(of: oldest))
        }
        return changes
    }

    private static func isDue(_ device: Device, _ now: Duration, _ settings: PublishingSettings) -> Bool {
        guard now - device.publishedAt >= settings.minimumInterval else { return false }
        if now - device.publishedAt >= settings.maximumInterval { return true }
        guard let rssi = device.rssi else { return false }
        guard let published = device.published else { return true }
        return abs(rssi - published) >= settings.rssiChange && rssi != published
    }

    /// Source: the discrete form of a first-order low-pass filter, with the time since the last value.
    private static func smooth(_ device: inout Device, _ value: Double, _ now: Duration) {
        guard let old = device.rssi else {
            device.rssi = value
            device.lastRSSI = now
            return
        }
        let elapsed = max(0, (now - device.lastRSSI) / .seconds(1))
        // Values in quick succession also count a little.
        let weight = max(elapsed / (timeConstant + elapsed), 0.01)
        device.rssi = old + (value - old) * weight
        device.lastRSSI = now
    }

    private static func loss(of entry: (key: BluetoothAddress, value: Device)) -> Change {
        change(entry.value.isAnnounced ? .lost : .forgotten, entry.key, entry.value)
    }

    private static func change(_ kind: Change.Kind, _ address: BluetoothAddress, _ device: Device) -> Change {
        Change(address: address, kind: kind, rssi: device.rssi, lastHeard: device.lastHeard)
    }
}
