public import BluetoothValues
public import RxBluetooth

/// Decides when a reading is published: on change, not too often, and again after a time. A pure value.
///
/// Readings of a device with the same quantities form a group, because many devices send their quantities in turn.
/// Within a group:
///
/// - The first reading, and each reading with an event such as a pressed button, is published at once.
/// - A reading that did not change enough is suppressed, until the maximum interval has passed.
/// - A changed reading within the minimum interval waits until its end. A later reading of the group replaces it. If
///   several quantities have changed, the shortest of their minimum intervals applies.
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
        /// The deadline of the heap's valid entry for this group; nil if there is none.
        var queuedAt: Duration?
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

    /// What counts as a change, and the shortest intervals.
    private struct Rules {
        let minimumInterval: Duration
        let maximumInterval: Duration
        let changes: [Quantity: Double]
        let intervals: [Quantity: Duration]

        init(_ settings: PublishingSettings) {
            minimumInterval = settings.minimumInterval
            maximumInterval = settings.maximumInterval
            changes = Self.byQuantity(settings.changes)
            intervals = Self.byQuantity(settings.minimumIntervals)
        }

        private static func byQuantity<Value>(_ values: [String: Value]) -> [Quantity: Value] {
            Dictionary(
                uniqueKeysWithValues: values.compactMap { name, value in
                    Quantity(rawValue: name).map { ($0, value) }
                })
        }

        /// Returns the shortest interval of the quantities that differ by more than their smallest changes.
        ///
        /// It is nil if no quantity does.
        func interval(of reading: SensorReading, after published: SensorReading) -> Duration? {
            if reading.states != published.states || reading.texts != published.texts
                || reading.identifiers != published.identifiers
            {
                return minimumInterval
            }
            var shortest: Duration?
            for (new, old) in zip(reading.measurements, published.measurements) where new != old {
                guard isChange(new, old) else { continue }
                guard let interval = intervals[new.quantity], interval > minimumInterval else { return minimumInterval }
                shortest = min(shortest ?? maximumInterval, interval)
            }
            return shortest
        }

        private func isChange(_ new: SensorMeasurement, _ old: SensorMeasurement) -> Bool {
            guard let smallest = changes[new.quantity] else { return true }
            let (newValue, newUnit) = MeasuredProperty.converted(new.value, new.unit)
            let (oldValue, oldUnit) = MeasuredProperty.converted(old.value, old.unit)
            // Without the factor, 21.3 would not differ from 21.4 by 0.1.
            return newUnit != oldUnit || abs(newValue - oldValue) >= smallest * (1 - 1e-9)
        }

        /// The interval after which each change was published.
        var longestInterval: Duration { min(maximumInterval, intervals.values.reduce(minimumInterval, max)) }
    }

    private var rules: Rules
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
        rules = Rules(settings)
        devices = RecencyTable(capacity: capacity)
    }

    /// Uses other settings for the next readings. Readings that wait keep their deadlines.
    mutating func apply(_ settings: PublishingSettings, capacity: Int) {
        rules = Rules(settings)
        devices.setCapacity(capacity)
    }

    /// Forgets a device, so that its next reading is published.
    mutating func forget(_ device: BluetoothAddress) { devices.remove(device) }

    /// The time at which ``due(at:)`` may have work; nil if no reading waits.
    public var nextDeadline: Duration? { heap.first?.deadline }

    /// Adds a reading, and returns what to publish now, in its order.
    ///
    /// - Parameter item: What is returned when the reading is published, for example a message with its time.
    public mutating func add(
        _ item: @autoclosure () -> Item, _ reading: SensorReading, from device: BluetoothAddress, at now: Duration
    ) -> [Item] {
        let (rules, number) = (rules, groupCount)
        let (outcome, removed) = devices.use(device, default: []) { groups, _ -> Outcome in
            if let index = Self.index(of: reading, in: groups.span) {
                if index < groups.count - 1 { groups.append(groups.remove(at: index)) }
                return Self.add(item, reading, to: &groups[groups.count - 1], now, rules)
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

    /// Returns all readings that wait.
    public mutating func flush(at now: Duration) -> [Item] { due(at: now + rules.longestInterval) }

    /// Returns the readings that have waited for their minimum interval.
    public mutating func due(at now: Duration) -> [Item] {
        var items: [Item] = []
        while let first = heap.first, first.deadline <= now {
            heap.removeFirst()
            let (address, rules) = (first.key, rules)
            var retry: Duration?
            _ = devices.update(address.device) { groups in
                guard let index = groups.firstIndex(where: { $0.number == address.group }) else { return }
                // A later change of a quantity with a shorter interval has a newer entry.
                guard groups[index].queuedAt == first.deadline else { return }
                groups[index].queuedAt = nil
                guard let waiting = groups[index].waiting else { return }
                let interval = rules.interval(of: waiting.reading, after: groups[index].published)
                let deadline = groups[index].publishedAt + (interval ?? rules.minimumInterval)
                guard deadline <= now else {
                    groups[index].queuedAt = deadline
                    retry = deadline
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

    /// Returns the index of the group of a reading. Access by a span copies no group, which has many references.
    private static func index(of reading: SensorReading, in groups: Span<Group>) -> Int? {
        var index = groups.count - 1
        while index >= 0, !groups[index].published.hasSameKinds(as: reading) { index -= 1 }
        return index >= 0 ? index : nil
    }

    private static func add(
        _ item: () -> Item, _ reading: SensorReading, to group: inout Group, _ now: Duration,
        _ rules: Rules
    ) -> Outcome {
        var outcome = Outcome()
        if group.waiting != nil {
            group.waiting = nil
            outcome.suppressed += 1
        }
        let age = now - group.publishedAt
        if reading.events.isEmpty {
            let interval = rules.interval(of: reading, after: group.published)
            guard let interval = age >= rules.maximumInterval ? rules.minimumInterval : interval else {
                outcome.suppressed += 1
                return outcome
            }
            guard age >= interval else {
                group.waiting = (reading, item())
                let deadline = group.publishedAt + interval
                if group.queuedAt.map({ deadline < $0 }) ?? true {
                    outcome.queued = (group.number, deadline)
                    group.queuedAt = deadline
                }
                return outcome
            }
        }
        group.published = reading
        group.publishedAt = now
        outcome.items.append(item())
        return outcome
    }

    /// Removes entries of forgotten devices and groups.
    private mutating func removeOutdatedEntries() {
        var kept = DeadlineHeap<Address>()
        while let entry = heap.removeFirst() {
            let group = devices.peek(entry.key.device)?.first { $0.number == entry.key.group }
            if group?.queuedAt == entry.deadline { kept.insert(entry.key, at: entry.deadline) }
        }
        heap = kept
    }
}
