public import BluetoothValues

/// A store in memory, for gateways without a file and for tests. Its content is lost with the process.
public final class SimulatedStore: PublicationStore {
    public let identity: String
    /// The largest size of the waiting messages in bytes.
    public let maximumBytes: Int
    /// Whether the memory that a message needs counts, instead of its content.
    private let countsMemory: Bool
    private var usedBytes = 0
    /// If set, every call that changes or reads the content fails with it.
    public var failure: StoreFailure?
    /// If set, calls that append messages fail with it, for example because the disk is full. Removals succeed.
    public var appendFailure: StoreFailure?
    public private(set) var summary = StoreSummary()
    /// The number of calls of `update` that succeeded.
    public private(set) var transactionCount = 0
    public private(set) var usedIdentifiers: [UsedIdentifier] = []
    public private(set) var encryptedCounters: [EncryptedCounter] = []
    /// Set it for the start of the next gateway with this store.
    public var sinceConfirmation: Duration?

    private var queues = Publication.Priority.allCases.map { _ in NumberedMessages() }
    private var lastNumber: Int64 = 0

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - identity: The first part of message ids. It must be different for each store.
    ///   - maximumBytes: The largest size of the waiting messages.
    ///   - countsMemory: Whether this is the size in memory, which is several times that of short messages.
    public init(
        identity: String, maximumBytes: Int = StoreSettings().maximumBytes, countsMemory: Bool = false
    ) {
        self.identity = identity
        self.maximumBytes = maximumBytes
        self.countsMemory = countsMemory
    }

    public func update(
        appending publications: [Publication], removing numbers: [Int64], saving counters: [EncryptedCounter]
    ) throws(StoreFailure) {
        let appends = !publications.isEmpty || !counters.isEmpty
        if let failure = failure ?? (appends ? appendFailure : nil) { throw failure }
        transactionCount += 1
        for counter in counters {
            encryptedCounters.removeAll { $0.address == counter.address && $0.format == counter.format }
            encryptedCounters.append(counter)
        }
        for number in numbers { for index in queues.indices { count(queues[index].remove(number)) } }
        for publication in publications {
            lastNumber += 1
            queues[Int(publication.priority.rawValue)].append(publication, number: lastNumber)
            summary.count += 1
            summary.bytes += publication.size
            usedBytes += countsMemory ? publication.memorySize : publication.size
        }
        makeRoom()
    }

    public func save(_ counters: [EncryptedCounter]) throws(StoreFailure) {
        if let failure = failure ?? appendFailure { throw failure }
        encryptedCounters = counters
    }

    /// Keeps the newest 1,024 identifiers, because they are lost with the process anyway.
    public func remember(_ identifier: UsedIdentifier, keeping duration: Duration) throws(StoreFailure) {
        if let failure = failure ?? appendFailure { throw failure }
        usedIdentifiers = usedIdentifiers.suffix(UsedIdentifier.limit - 1) + [identifier]
    }

    public func messages(
        after number: Int64, limit: Int, priority: Publication.Priority
    ) throws(StoreFailure) -> [StoredPublication] {
        if let failure { throw failure }
        return queues[Int(priority.rawValue)].messages(after: number, limit: limit)
    }

    private func makeRoom() {
        // Those of low priority first.
        for index in queues.indices.reversed() {
            while usedBytes > maximumBytes, let removed = queues[index].removeFirst() {
                count(removed)
                summary.dropped += 1
                if removed.priority == .low { summary.droppedLow += 1 }
            }
        }
    }

    /// Counts that a message was removed.
    private func count(_ removed: Publication?) {
        guard let removed else { return }
        summary.count -= 1
        summary.bytes -= removed.size
        usedBytes -= countsMemory ? removed.memorySize : removed.size
    }
}

extension Publication {
    /// The size that limits of stores count.
    var size: Int { topic.utf8.count + payload.count }

    /// The memory that a message in a ``SimulatedStore`` needs.
    ///
    /// Its place in a table, of which half may be free and which is copied when it grows, and the buffers of the
    /// payload and the topic with their headers and those of the allocator.
    var memorySize: Int {
        func buffer(_ count: Int) -> Int { (32 + count + 8 + 15) / 16 * 16 }
        let topicBytes = topic.utf8.count
        return 3 * NumberedMessages.placeSize + buffer(payload.count) + (topicBytes > 15 ? buffer(topicBytes) : 0)
    }
}
