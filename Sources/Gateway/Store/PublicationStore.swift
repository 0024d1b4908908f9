public import BluetoothValues

/// Messages that wait for the confirmation of the broker. It belongs to the context of a gateway.
///
/// `SQLiteStore` keeps them in a file, `SimulatedStore` in memory. Each message has a number, which only grows, also
/// after a restart. When the store is full, messages are removed and counted: those of low priority before others, and
/// the oldest first.
public protocol PublicationStore: AnyObject {
    /// The first part of the ids of its messages. It stays the same as long as the store exists.
    var identity: String { get }

    /// Stores messages in their order and removes confirmed ones, in one transaction: all or nothing.
    ///
    /// The new messages are safe when this returns. Numbers that the store does not contain are ignored.
    /// - Parameter counters: Replace those of their devices and formats. Others stay.
    func update(
        appending publications: [Publication], removing numbers: [Int64], saving counters: [EncryptedCounter]
    ) throws(StoreFailure)

    /// Returns the oldest messages of a priority with numbers above `number`, at most `limit`.
    func messages(
        after number: Int64, limit: Int, priority: Publication.Priority
    ) throws(StoreFailure) -> [StoredPublication]

    /// The content and the losses of the store.
    var summary: StoreSummary { get }

    /// The identifiers of commands, the oldest first.
    var usedIdentifiers: [UsedIdentifier] { get }

    /// Stores the identifier of a command, so that the command is not executed again after a restart.
    ///
    /// Forgets identifiers that were stored before the given time and are not among the newest 1,024. Those of an
    /// earlier start of the computer are kept until the store has been open for that time.
    func remember(_ identifier: UsedIdentifier, keeping duration: Duration) throws(StoreFailure)

    /// The counters of encrypted packets of earlier processes.
    var encryptedCounters: [EncryptedCounter] { get }

    /// Replaces the counters of encrypted packets.
    func save(_ counters: [EncryptedCounter]) throws(StoreFailure)

    /// Returns and forgets what a user should know about the store, for example that it was damaged.
    func takeNotices() -> [DeliveryNotice]

    /// Checks the content, and copies what is readable from a damaged file, which may take seconds.
    ///
    /// ``takeNotices()`` has the results.
    func check()

    /// Ends the use of the store. A later call opens it again.
    func close()

    /// The time since the broker confirmed a message to an earlier process; nil if that is not known.
    var sinceConfirmation: Duration? { get }
}

extension PublicationStore {
    /// Returns nothing, because this store cannot be damaged.
    public func takeNotices() -> [DeliveryNotice] { [] }

    /// Does nothing.
    public func check() {}

    /// Does nothing.
    public func close() {}

    /// Stores messages in their order and removes confirmed ones, in one transaction: all or nothing.
    public func update(appending publications: [Publication], removing numbers: [Int64]) throws(StoreFailure) {
        try update(appending: publications, removing: numbers, saving: [])
    }

    /// Stores messages durably, in their order, all or none. A message is safe when this returns.
    public func append(_ publications: [Publication]) throws(StoreFailure) {
        try update(appending: publications, removing: [])
    }

    /// Removes messages, which the broker has confirmed.
    public func remove(_ numbers: [Int64]) throws(StoreFailure) { try update(appending: [], removing: numbers) }

    /// Returns the oldest messages of normal priority with numbers above `number`, at most `limit`.
    public func messages(after number: Int64, limit: Int) throws(StoreFailure) -> [StoredPublication] {
        try messages(after: number, limit: limit, priority: .normal)
    }
}

/// A message of a store.
public struct StoredPublication: Hashable, Sendable {
    /// The position in the store. Later messages have higher numbers.
    public var number: Int64
    public var publication: Publication

    /// Creates a stored message.
    public init(number: Int64, publication: Publication) {
        self.number = number
        self.publication = publication
    }
}

/// The content and the losses of a store.
public struct StoreSummary: Hashable, Sendable {
    /// The number of messages in the store.
    public var count = 0
    /// The size of their payloads and topics in bytes.
    public var bytes = 0
    /// The number of messages that were removed because the store was full, since the program started.
    public var dropped = 0
    /// Those among ``dropped`` that had low priority.
    public var droppedLow = 0
    /// The number of damages: of messages that were damaged or lost with a damaged file, of damaged logs and
    /// identities, and of other damaged rows.
    public var damaged = 0

    /// Creates an empty summary.
    public init() {}
}

/// Why a store could not keep or return messages.
public struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failures that a caller distinguishes.
    public enum Kind: Hashable, Sendable {
        /// The disk or the quota is full.
        case full
        /// The file is not a database, or its content is damaged.
        case corrupted
        /// The file cannot be opened, read or written.
        case inaccessible

        /// The word in the status.
        var word: String {
            switch self {
            case .full: "full"
            case .corrupted: "damaged"
            case .inaccessible: "inaccessible"
            }
        }
    }

    public var kind: Kind
    /// What failed, the cause, and what to do, in one line.
    public var description: String

    /// Creates a failure.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
