import Synchronization

/// The number of scan results that one subscription to a scan has lost because it was too slow.
final class ScanDrops: Sendable {
    private let count = Atomic<Int>(0)

    var total: Int { count.load(ordering: .relaxed) }

    /// Adds a number of dropped results. Returns the total.
    func add(_ drops: Int) -> Int { count.add(drops, ordering: .relaxed).newValue }
}

extension ScanBuffer {
    /// The number of waiting results above which replaced results are dropped.
    private static let comfortable = 512

    /// Returns the buffer for one subscription.
    func delivery(_ drops: ScanDrops, _ eventLog: EventLog) -> DeliveryBuffer<ScannedPeripheral> {
        let (capacity, overflow): (Int, DeliveryBuffer<ScannedPeripheral>.Overflow) =
            switch policy {
            case .latest: (Self.comfortable, .compact(Self.latestOfEach))
            case .dropOldest(let capacity): (capacity, .dropOldest)
            case .unbounded: (.max, .dropNewest)
            }
        return DeliveryBuffer(capacity: capacity, overflow: overflow) { count in
            let total = drops.add(count)
            eventLog.debug(.scanResultsDropped(count: count, total: total))
        }
    }

    /// Returns the latest result of each peripheral, in the order of their arrival.
    private static func latestOfEach(_ results: [ScannedPeripheral]) -> [ScannedPeripheral] {
        var seen: Set<ObjectIdentifier> = []
        return results.reversed().filter { seen.insert(ObjectIdentifier($0.peripheral)).inserted }.reversed()
    }
}
