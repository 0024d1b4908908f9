public import BluetoothValues
public import RxBluetooth

/// Decides when a reading is published: on change, not too often, and again after a time. A pure value.
///
/// Readings of a device with the same quantities form a group, because many devices send their quantities in turn.
/// Within a group:
///
/// - The first reading, and each reading with an event such as a pressed button, is published at once.
/// - A reading that did not change enough is suppressed, until the maximum interval has passed.
/// - A changed reading within the minimum interval waits until its end. A later reading of the group replaces it.
///
/// Times are monotonic, from the caller. The memory is bounded: at most a number of devices, with 16 groups each.
public struct ReadingLimiter<Item: Sendable>: Sendable {
    /// What distinguishes readings of one device.
    private struct GroupKey: Hashable, Sendable {
        let format: SensorFormat
        let quantities: [Quantity]
        let states: [SensorState.Kind]
        let identifiers: [SensorIdentifier.Kind]

        init(_ reading: SensorReading) {
            format = reading.format
            quantities = reading.measurements.map(\.quantity)
            states = reading.states.map(\.kind)
            identifiers = reading.identifiers.map(\.kind)
        }
    }

    /// The last published reading of a group, and a later one that waits.
    private struct Group: Sendable {
        var published: SensorReading
        var publishedAt: Duration
        var waiting: (reading: SensorReading, item: Item)?
        /// Whether the heap has an entry for this group.
        var isQueued = false
    }

    private struct Address: Hashable, Sendable {
        let device: BluetoothAddress
        let group: GroupKey
    }

    private let settings: PublishingSettings
    private let changes: [Quantity: Double]
    private var devices: RecencyTable<BluetoothAddress, RecencyTable<GroupKey, Group>>
    private var heap = DeadlineHeap<Address>()

    /// The number of readings that were not published, because they did not change enough or were replaced.
    public private(set) var suppressed = 0
    /// The number of devices that were forgotten because there were too many. Their waiting readings were published.
    public private(set) var evicted = 0

    /// Creates a limiter without devices.
    ///
    /// - Parameter capacity: The largest number of devices. When it is reached, the one that was not heard for longest
    ///   is forgotten.
    public init(_ settings: PublishingSettings, capacity: Int = 10_000) {
        self.settings = settings
        changes = Dictionary(
            uniqueKeysWithValues: settings.changes.compactMap { name, change in
                Quantity(rawValue: name).map { ($0, change) }
            })
        devices = RecencyTable(capacity: capacity)
    }

    /// The time at which ``due(at:)`` may have work; nil if no reading waits.
    public var nextDeadline: Duration? { heap.first?.deadline }

    /// Adds a reading, and returns what to publish now, in its order.
    ///
    /// - Parameter item: What is returned when the reading is published, for example a message with its time.
    public mutating func add(
        _ item: Item, _ reading: SensorReading, from device: BluetoothAddress, at now: Duration
    ) -> [Item] {
        var items: [Item] = []
        if let removed = devices.use(device, default: RecencyTable(capacity: 16)) {
            evicted += 1
            items = removed.value.keys.compactMap { removed.value.peek($0)?.waiting?.item }
        }
        let key = GroupKey(reading)
        let (settings, changes) = (settings, changes)
        let outcome = devices.update(device) { groups -> (items: [Item], queuedAt: Duration?, suppressed: Int) in
            guard groups.peek(key) != nil else {
                let first = Group(published: reading, publishedAt: now)
                let removed = groups.use(key, default: first)?.value.waiting?.item
                return ((removed.map { [$0] } ?? []) + [item], nil, 0)
            }
            groups.use(key, default: Group(published: reading, publishedAt: now))
            return groups.update(key) { Self.add(item, reading, to: &$0, now, settings, changes) } ?? ([], nil, 0)
        }
        guard let outcome else { return items }
        suppressed += outcome.suppressed
        if let deadline = outcome.queuedAt {
            heap.insert(Address(device: device, group: key), at: deadline)
            if heap.count > 64 + 32 * devices.capacity { removeOutdatedEntries() }
        }
        return items + outcome.items
    }

    /// Returns the readings that have waited for the minimum interval.
    public mutating func due(at now: Duration) -> [Item] {
        var items: [Item] = []
        while let first = heap.first, first.deadline <= now {
            heap.removeFirst()
            let (address, interval) = (first.key, settings.minimumInterval)
            var retry: Duration?
            let item = devices.update(address.device) { groups -> Item? in
                groups.update(address.group) { group -> Item? in
                    group.isQueued = false
                    guard let waiting = group.waiting else { return nil }
                    guard group.publishedAt + interval <= now else {
                        group.isQueued = true
                        retry = group.publishedAt + interval
                        return nil
                    }
                    group.published = waiting.reading
                    group.publishedAt = now
                    group.waiting = nil
                    return waiting.item
                } ?? nil
            }
            if let retry { heap.insert(address, at: retry) }
            if let item, let item { items.append(item) }
        }
        return items
    }

    private static func add(
        _ item: Item, _ reading: SensorReading, to group: inout Group, _ now: Duration,
        _ settings: PublishingSettings, _ changes: [Quantity: Double]
    ) -> (items: [Item], queuedAt: Duration?, suppressed: Int) {
        let replaced = group.waiting == nil ? 0 : 1
        group.waiting = nil
        let age = now - group.publishedAt
        if reading.events.isEmpty {
            guard age >= settings.maximumInterval || hasChanged(reading, group.published, changes) else {
                return ([], nil, replaced + 1)
            }
            guard age >= settings.minimumInterval else {
                group.waiting = (reading, item)
                let isQueued = group.isQueued
                group.isQueued = true
                return ([], isQueued ? nil : group.publishedAt + settings.minimumInterval, replaced)
            }
        }
        group.published = reading
        group.publishedAt = now
        return ([item], nil, replaced)
    }

    /// Whether a reading differs from another one of its group by more than the smallest changes.
    private static func hasChanged(
        _ reading: SensorReading, _ published: SensorReading, _ changes: [Quantity: Double]
    ) -> Bool {
        if reading.states != published.states || reading.texts != published.texts
            || reading.identifiers != published.identifiers
        {
            return true
        }
        for (new, old) in zip(reading.measurements, published.measurements) where new != old {
            guard let smallest = changes[new.quantity] else { return true }
            let (newValue, newUnit) = MeasuredProperty.converted(new.value, new.unit)
            let (oldValue, oldUnit) = MeasuredProperty.converted(old.value, old.unit)
            // Without the factor, 21.3 would not differ from 21.4 by 0.1.
            if newUnit != oldUnit || abs(newValue - oldValue) >= smallest * (1 - 1e-9) { return true }
        }
        return false
    }

    /// Removes entries of forgotten devices.
    private mutating func removeOutdatedEntries() {
        var kept = DeadlineHeap<Address>()
        while let entry = heap.removeFirst() {
            if devices.peek(entry.key.device)?.peek(entry.key.group)?.isQueued == true {
                kept.insert(entry.key, at: entry.deadline)
            }
        }
        heap = kept
    }
}
