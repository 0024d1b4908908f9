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
    /// The last published reading of a group, and a later one that waits.
    private struct Group: Sendable {
        /// Distinguishes the groups of all devices, also forgotten ones.
        let number: Int
        var published: SensorReading
        var publishedAt: Duration
        var waiting: (reading: SensorReading, item: Item)?
        /// Whether the heap has an entry for this group.
        var isQueued = false

        /// Whether a reading has the same quantities, states and identifiers.
        func contains(_ reading: SensorReading) -> Bool {
            published.format == reading.format
                && published.measurements.elementsEqual(reading.measurements) { $0.quantity == $1.quantity }
                && published.states.elementsEqual(reading.states) { $0.kind == $1.kind }
                && published.identifiers.elementsEqual(reading.identifiers) { $0.kind == $1.kind }
        }
    }

    private struct Address: Sendable {
        let device: BluetoothAddress
        let group: Int
    }

    /// What happens to a reading.
    private struct Outcome {
        var items: [Item] = []
        var queued: (group: Int, deadline: Duration)?
        var suppressed = 0
    }

    private static var maximumGroups: Int { 16 }

    private let settings: PublishingSettings
    private let changes: [Quantity: Double]
    /// The groups of each device, in the order of use.
    private var devices: RecencyTable<BluetoothAddress, [Group]>
    private var heap = DeadlineHeap<Address>()
    private var groupCount = 0

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
        _ item: @autoclosure () -> Item, _ reading: SensorReading, from device: BluetoothAddress, at now: Duration
    ) -> [Item] {
        let (settings, changes, number) = (settings, changes, groupCount)
        let (outcome, removed) = devices.use(device, default: []) { groups, _ -> Outcome in
            if let index = groups.lastIndex(where: { $0.contains(reading) }) {
                if index < groups.count - 1 { groups.append(groups.remove(at: index)) }
                return Self.add(item, reading, to: &groups[groups.count - 1], now, settings, changes)
            }
            var outcome = Outcome()
            if groups.count >= Self.maximumGroups, let waiting = groups.removeFirst().waiting {
                outcome.items.append(waiting.item)
            }
            groups.append(Group(number: number, published: reading, publishedAt: now))
            outcome.items.append(item())
            return outcome
        }
        groupCount += 1
        suppressed += outcome.suppressed
        if let queued = outcome.queued {
            heap.insert(Address(device: device, group: queued.group), at: queued.deadline)
            if heap.count > 64 + 2 * Self.maximumGroups * devices.capacity { removeOutdatedEntries() }
        }
        guard let removed else { return outcome.items }
        evicted += 1
        return removed.value.compactMap { $0.waiting?.item } + outcome.items
    }

    /// Returns the readings that have waited for the minimum interval.
    public mutating func due(at now: Duration) -> [Item] {
        var items: [Item] = []
        while let first = heap.first, first.deadline <= now {
            heap.removeFirst()
            let (address, interval) = (first.key, settings.minimumInterval)
            var retry: Duration?
            _ = devices.update(address.device) { groups in
                guard let index = groups.firstIndex(where: { $0.number == address.group }) else { return }
                groups[index].isQueued = false
                guard let waiting = groups[index].waiting else { return }
                guard groups[index].publishedAt + interval <= now else {
                    groups[index].isQueued = true
                    retry = groups[index].publishedAt + interval
                    return
                }
                groups[index].published = waiting.reading
                groups[index].publishedAt = now
                groups[index].waiting = nil
                items.append(waiting.item)
            }
            if let retry { heap.insert(address, at: retry) }
        }
        return items
    }

    private static func add(
        _ item: () -> Item, _ reading: SensorReading, to group: inout Group, _ now: Duration,
        _ settings: PublishingSettings, _ changes: [Quantity: Double]
    ) -> Outcome {
        var outcome = Outcome()
        if group.waiting != nil {
            group.waiting = nil
            outcome.suppressed += 1
        }
        let age = now - group.publishedAt
        if reading.events.isEmpty {
            guard age >= settings.maximumInterval || hasChanged(reading, group.published, changes) else {
                outcome.suppressed += 1
                return outcome
            }
            guard age >= settings.minimumInterval else {
                group.waiting = (reading, item())
                if !group.isQueued { outcome.queued = (group.number, group.publishedAt + settings.minimumInterval) }
                group.isQueued = true
                return outcome
            }
        }
        group.published = reading
        group.publishedAt = now
        outcome.items.append(item())
        return outcome
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

    /// Removes entries of forgotten devices and groups.
    private mutating func removeOutdatedEntries() {
        var kept = DeadlineHeap<Address>()
        while let entry = heap.removeFirst() {
            let group = devices.peek(entry.key.device)?.first { $0.number == entry.key.group }
            if group?.isQueued == true { kept.insert(entry.key, at: entry.deadline) }
        }
        heap = kept
    }
}
