public import BluetoothValues

/// A store in memory, for gateways without a file and for tests. Its content is lost with the process.
public final class SimulatedStore: PublicationStore {
    public let identity: String
    /// The largest size of the waiting messages in bytes.
    public let maximumBytes: Int
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

    // The numbers are consecutive: the message with `firstNumber + n` is at position n, nil after its removal.
    private var messages: [StoredPublication?] = []
    private var head = 0
    private var firstNumber: Int64 = 1

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - identity: The first part of message ids. It must be different for each store.
    ///   - maximumBytes: The largest size of the waiting messages.
    public init(identity: String, maximumBytes: Int = StoreSettings().maximumBytes) {
        self.identity = identity
        self.maximumBytes = maximumBytes
    }

    public func update(appending publications: [Publication], removing numbers: [Int64]) throws(StoreFailure) {
        if let failure = failure ?? (publications.isEmpty ? nil : appendFailure) { throw failure }
        transactionCount += 1
        for number in numbers {
            let position = number - firstNumber
            if position >= Int64(head), position < Int64(messages.count) { remove(at: Int(position)) }
        }
        for publication in publications {
            messages.append(
                StoredPublication(number: firstNumber + Int64(messages.count), publication: publication))
            summary.count += 1
            summary.bytes += publication.size
        }
        while summary.bytes > maximumBytes, head < messages.count {
            if remove(at: head) { summary.dropped += 1 }
        }
        compact()
    }

    public func save(_ counters: [EncryptedCounter]) throws(StoreFailure) {
        if let failure = failure ?? appendFailure { throw failure }
        encryptedCounters = counters
    }

    public func remember(_ identifier: UsedIdentifier) throws(StoreFailure) {
        if let failure = failure ?? appendFailure { throw failure }
        usedIdentifiers = usedIdentifiers.suffix(UsedIdentifier.limit - 1) + [identifier]
    }

    public func messages(after number: Int64, limit: Int) throws(StoreFailure) -> [StoredPublication] {
        if let failure { throw failure }
        var result: [StoredPublication] = []
        var position = max(head, Int(clamping: number &- firstNumber &+ 1))
        while position < messages.count, result.count < limit {
            if let message = messages[position] { result.append(message) }
            position += 1
        }
        return result
    }

    /// Removes the message at the position, and returns whether one was there.
    @discardableResult
    private func remove(at position: Int) -> Bool {
        let removed = messages[position]
        messages[position] = nil
        if let removed {
            summary.count -= 1
            summary.bytes -= removed.publication.size
        }
        while head < messages.count, messages[head] == nil { head += 1 }
        return removed != nil
    }

    private func compact() {
        guard head > 1024, head * 2 > messages.count else { return }
        messages.removeFirst(head)
        firstNumber += Int64(head)
        head = 0
    }
}

extension Publication {
    /// The size that limits of stores count.
    var size: Int { topic.utf8.count + payload.count }
}
