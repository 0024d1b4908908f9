public import BluetoothValues
public import FoundationEssentials

/// A store in a file of SQLite. What it has stored survives a crash of the process and a power failure.
///
/// Each update is one transaction, which is on the disk when the call returns. A damaged file is renamed, with a time
/// stamp in its new name, and a new one begun. Readable identifiers and counters are copied at once, messages by
/// ``check()``. Messages with a wrong checksum are removed. ``takeNotices()`` returns all of this.
/// ```swift
/// let store = try SQLiteStore(path: "/var/lib/ble-gateway/readings.db")
/// for notice in store.takeNotices() { print(notice) }
/// ```
public final class SQLiteStore: PublicationStore {
    /// The file.
    public let path: String
    /// The largest size of the waiting messages in bytes. The file is larger, by about 30 bytes for each message.
    public let maximumBytes: Int
    /// What ``takeNotices()`` returns: damaged files and messages.
    private(set) var notices: [DeliveryNotice] = []

    private let now: () -> Date
    private let bootTime: () -> BootTime?
    /// When the store was opened first.
    private let openTime: BootTime?
    private let files: DamagedFiles
    private let openFile: (_ path: String) throws(StoreFailure) -> SQLiteConnection
    private var database: MessageDatabase?
    private var dropped = MessageDatabase.Dropped()
    private var damaged = 0
    /// The damaged files that were not copied yet, and the number of their messages if it is known.
    private var kept: [(path: String, count: Int?)] = []
    /// The damaged files of which the identifiers and counters were not copied yet.
    private var keptStates: [String] = []
    private var stateAtStart = StateAtStart.readable
    private var lastIdentity = SQLiteStore.newIdentity()
    /// The identity of the file that replaces a damaged one.
    private var nextIdentity: String?
    /// Numbers go on after a replacement, because they only grow.
    private var lastNumber: Int64 = 0

    /// The identifiers and counters that the program could read when it began.
    private enum StateAtStart {
        /// All of them.
        case readable
        /// These, because a full disk keeps the store closed.
        case readOnFullDisk(FullDiskState)
        /// None, because a full disk keeps the store closed and could not be read.
        case unread
        /// None. The store is open now, and has these identifiers, which the program does not know.
        case missed([UsedIdentifier])
    }

    /// Opens the file, or creates it with access for its owner only.
    ///
    /// If the disk is full, it is opened by a later call, and calls fail until then, except that identifiers and
    /// counters can be read. It fails with ``StoreFailure`` if the file is used by another process, belongs to another
    /// program, or cannot be created or written.
    /// - Parameters:
    ///   - maximumBytes: When the messages exceed this size, the oldest are removed and counted, those of low priority
    ///     before the others.
    ///   - now: The time for the name of a damaged file.
    public convenience init(
        path: String, maximumBytes: Int = StoreSettings().maximumBytes, now: @escaping () -> Date = { Date() }
    ) throws(StoreFailure) {
        try self.init(path: path, maximumBytes: maximumBytes, now: now) { (path) throws(StoreFailure) in
            try SQLiteConnection(path: path)
        }
    }

    init(
        path: String, maximumBytes: Int = StoreSettings().maximumBytes, now: @escaping () -> Date = { Date() },
        bootTime: @escaping () -> BootTime? = { BootTime.now },
        openFile: @escaping (_ path: String) throws(StoreFailure) -> SQLiteConnection
    ) throws(StoreFailure) {
        self.path = path
        self.maximumBytes = maximumBytes
        self.now = now
        self.bootTime = bootTime
        openTime = bootTime()
        self.openFile = openFile
        files = DamagedFiles(of: path)
        // Those that an earlier process did not read to the end.
        keptStates = files.unread ?? []
        kept = keptStates.map { (path: $0, count: nil) }
        do throws(StoreFailure) {
            try openUnlessFull()
        } catch {
            guard error.kind == .corrupted else { throw error }
            try replace(error)
            try openUnlessFull()
        }
    }

    deinit { close() }

    public var identity: String { database?.identity ?? lastIdentity }

    public var summary: StoreSummary {
        var summary = StoreSummary()
        summary.count = database?.count ?? 0
        summary.bytes = database?.bytes ?? 0
        summary.dropped = dropped.count
        summary.droppedLow = dropped.low
        summary.damaged = damaged
        return summary
    }

    public func update(
        appending publications: [Publication], removing numbers: [Int64], saving counters: [EncryptedCounter]
    ) throws(StoreFailure) {
        try update(appending: publications, removing: numbers, saving: counters, copied: nil)
    }

    private func update(
        appending publications: [Publication], removing numbers: [Int64], saving counters: [EncryptedCounter],
        copied: (file: String, progress: RecoveryProgress)?
    ) throws(StoreFailure) {
        let limit = maximumBytes
        let dropped = try use { database throws(StoreFailure) in
            do throws(StoreFailure) {
                return try database.update(
                    appending: publications, removing: numbers, saving: counters, copied: copied, maximumBytes: limit)
            } catch {
                guard error.kind == .full, publications.isEmpty else { throw error }
                // Removing makes room, so it uses the space that the log has.
                database.restartLog()
                return try database.update(appending: [], removing: numbers, saving: counters, maximumBytes: limit)
            }
        }
        self.dropped.count += dropped.count
        self.dropped.low += dropped.low
        lastNumber = database?.lastNumber ?? lastNumber
    }

    public func messages(
        after number: Int64, limit: Int, priority: Publication.Priority
    ) throws(StoreFailure) -> [StoredPublication] {
        try use { database throws(StoreFailure) in
            try database.messages(after: number, limit: limit, priority: priority)
        }
    }

    public var usedIdentifiers: [UsedIdentifier] {
        state { database throws(StoreFailure) in try database.usedIdentifiers() }
            ?? fullDiskState?.identifiers ?? []
    }

    public func remember(_ identifier: UsedIdentifier, keeping duration: Duration) throws(StoreFailure) {
        let now = bootTime()
        let openSince = openTime.flatMap { now?.since($0) } ?? .zero
        try use { database throws(StoreFailure) in
            guard !isUnknown(identifier) else {
                throw StoreFailure(.inaccessible, "a command with the id \(identifier.id) may have run before")
            }
            do throws(StoreFailure) {
                try database.remember(identifier, at: now, keeping: duration, openSince: openSince)
            } catch {
                guard error.kind == .full else { throw error }
                database.restartLog()
                try database.remember(identifier, at: now, keeping: duration, openSince: openSince)
            }
        }
    }

    /// Whether the store has an identifier that the program could not read when it began.
    private func isUnknown(_ identifier: UsedIdentifier) -> Bool {
        guard case .missed(let missed) = stateAtStart else { return false }
        return missed.contains { $0.address == identifier.address && $0.id == identifier.id }
    }

    private var fullDiskState: FullDiskState? {
        if case .readOnFullDisk(let state) = stateAtStart { state } else { nil }
    }

    public var encryptedCounters: [EncryptedCounter] {
        state { database throws(StoreFailure) in try database.encryptedCounters() }
            ?? fullDiskState?.counters ?? []
    }

    public func save(_ counters: [EncryptedCounter]) throws(StoreFailure) {
        try use { database throws(StoreFailure) in try database.save(counters) }
    }

    /// Confirmed messages are removed some seconds after the confirmation, so the time is longer than it looks.
    public var sinceConfirmation: Duration? {
        let stored = state { database throws(StoreFailure) in try database.lastConfirmation() }
        guard let time = stored.flatMap({ $0 }) else { return nil }
        return BootTime.now?.since(time).map { $0 + DeliverySettings().removalInterval }
    }

    /// Reads what the store contains besides messages; nil if that fails. Damaged rows are ignored and counted.
    private func state<Result>(_ body: (MessageDatabase) throws(StoreFailure) -> Result) -> Result? {
        guard database != nil else { return nil }
        return try? use { database throws(StoreFailure) -> Result in
            let known = database.damagedStateCount
            let result = try body(database)
            noteDamagedState(database.damagedStateCount - known)
            return result
        }
    }

    private func noteDamagedState(_ count: Int) {
        guard count > 0 else { return }
        damaged += count
        notices.append(.stateDamaged(count: count))
    }

    /// Calls the body again with a new file if the old one is damaged.
    private func use<Result>(
        _ body: (MessageDatabase) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        do throws(StoreFailure) {
            let database = try openDatabase()
            let known = database.damagedCount
            defer { noteDamage(database.damagedCount - known) }
            return try body(database)
        } catch {
            guard error.kind == .corrupted else { throw error }
            try replace(error)
            return try body(try openDatabase())
        }
    }

    private func noteDamage(_ count: Int) {
        guard count > 0 else { return }
        damaged += count
        notices.append(.messagesDamaged(count: count))
    }

    private func noteDamage(cause: String) {
        damaged += 1
        notices.append(.storeDamaged(cause: cause))
    }

    public func takeNotices() -> [DeliveryNotice] {
        defer { notices = [] }
        return notices
    }

    /// A file with a damaged structure is replaced, and its readable messages are copied. Damaged ones are removed.
    public func check() {
        // If it fails for another reason, the next call reports it.
        try? use { database throws(StoreFailure) in try database.check() }
        let damagedFiles = kept
        kept = []
        for file in damagedFiles { recover(file.path, file.count) }
    }

    /// About so many bytes of a damaged file are copied in one transaction, because each one waits for the disk.
    private static let recoveredBytes = 1 << 20

    /// Copies the messages of a damaged file that can be read, with new numbers.
    ///
    /// Each transaction also stores how far it has come, so that the next process continues after a crash.
    private func recover(_ file: String, _ knownCount: Int?) {
        let key = DamagedFiles.key(of: file)
        let progress = try? use { database throws(StoreFailure) in
            try database.recovery(of: key) ?? RecoveryProgress()
        }
        // Without its identifiers and counters, a file must stay unread.
        guard let earlier = progress, !keptStates.contains(file) else {
            return interruptRecovery(of: file, knownCount, after: progress?.count ?? 0)
        }
        let reader: KeptStore?
        do throws(StoreFailure) {
            reader = try KeptStore(path: file, after: earlier)
        } catch {
            return interruptRecovery(of: file, knownCount, after: earlier.count)
        }
        let expected = knownCount ?? (DamagedFiles.hasLog(file) ? nil : reader?.count)
        var recovered = earlier.count
        let isComplete = reader != nil && !DamagedFiles.hasLog(file)
        while let reader {
            let messages = reader.next(upTo: Self.recoveredBytes)
            guard !messages.isEmpty else { break }
            let progress = reader.progress(count: recovered + messages.count)
            // If the new file fails, for example because the disk is full, the next process continues.
            guard (try? update(appending: messages, removing: [], saving: [], copied: (key, progress))) != nil else {
                return interruptRecovery(of: file, knownCount, after: recovered)
            }
            recovered = progress.count
        }
        files.markRead(file)
        var lost = expected.map { max(0, $0 - recovered) }
        if let reader, isComplete, !reader.hasUnreadableParts { lost = reader.damagedCount }
        damaged += lost ?? 1
        notices.append(.messagesRecovered(count: recovered, lost: lost))
    }

    private func interruptRecovery(of file: String, _ knownCount: Int?, after count: Int) {
        kept.append((file, knownCount))
        notices.append(.recoveryInterrupted(count: count))
    }

    public func close() {
        try? database?.markClosed()
        database = nil
    }

    private func openUnlessFull() throws(StoreFailure) {
        do throws(StoreFailure) {
            _ = try openDatabase()
        } catch {
            guard error.kind == .full else { throw error }
            readFullDisk()
        }
    }

    /// Reads what decides about commands and packets, so that none is accepted again when there is room.
    private func readFullDisk() {
        do throws(StoreFailure) {
            stateAtStart = .readOnFullDisk(try FullDiskState(path: path, besides: keptStates))
        } catch {
            stateAtStart = .unread
            notices.append(.stateUnread(cause: error.description))
        }
    }

    private func openDatabase() throws(StoreFailure) -> MessageDatabase {
        if let database { return database }
        let opened = try MessageDatabase(try openFile(path), path: path, numbersAfter: lastNumber) {
            nextIdentity ?? Self.newIdentity()
        }
        nextIdentity = nil
        if let damage = opened.damageOfLog {
            noteDamage(cause: "\(damage) in \(path)-wal")
        }
        if opened.isIdentityReplaced { noteDamage(cause: "the identity in \(path), now \(opened.identity)") }
        lastIdentity = opened.identity
        lastNumber = opened.lastNumber
        try copyStates(to: opened)
        forgetReadFiles(in: opened)
        switch stateAtStart {
        case .unread:
            stateAtStart = .missed(try opened.usedIdentifiers())
            noteDamagedState(opened.damagedStateCount)
        case .readOnFullDisk: stateAtStart = .readable
        case .readable, .missed: break
        }
        database = opened
        return opened
    }

    /// Copies the identifiers and counters of damaged files, before a command or a packet could be repeated.
    ///
    /// The newest file is first, because it has newer counters, and contains how far it had copied the others.
    private func copyStates(to database: MessageDatabase) throws(StoreFailure) {
        while let file = keptStates.last {
            do throws(StoreFailure) {
                let key = DamagedFiles.key(of: file)
                // Otherwise an earlier process, or a store that was damaged later, has copied it.
                if try database.recovery(of: key) == nil { try database.add(KeptState(path: file), of: key) }
            } catch {
                // The store is opened when there is room for them, and replaced if it is damaged itself.
                guard error.kind == .inaccessible else { throw error }
                // The next opening tries it again. Older files wait, because this one may contain parts of them.
                return
            }
            keptStates.removeLast()
        }
    }

    /// Forgets how far files were copied that have the name of a read one.
    ///
    /// Renaming can fail, and its result can be lost by a power failure. Then the progress prevents a second copy.
    private func forgetReadFiles(in database: MessageDatabase) {
        guard let unread = files.unread?.map({ DamagedFiles.key(of: $0) }), let known = try? database.recoveries()
        else { return }
        let read = known.keys.filter { !unread.contains($0) }
        guard !read.isEmpty, files.writeNames() else { return }
        for file in read { try? database.forgetRecovery(of: file) }
    }

    /// Returns 40 random bits: stores of many gateways, and of one gateway over time, have different ones.
    private static func newIdentity() -> String {
        let bits = String(UInt64.random(in: 0..<(1 << 40)), radix: 16)
        return String(repeating: "0", count: 10 - bits.count) + bits
    }

    /// Renames the damaged file and its log. The next use begins a new one.
    private func replace(_ failure: StoreFailure) throws(StoreFailure) {
        let count = database?.count
        database = nil
        let kept = try files.setAside(at: now(), because: failure)
        let identity = Self.newIdentity()
        nextIdentity = identity
        notices.append(
            .storeReplaced(
                keptAt: DamagedFiles.readName(of: kept), cause: failure.description, identity: identity))
        self.kept.append((kept, count))
        keptStates.append(kept)
    }
}
