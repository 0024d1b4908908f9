import BluetoothValues

/// The tables of a store in a file of SQLite.
///
/// `synchronous=FULL` writes the log to the disk before a transaction ends, so that a power failure loses nothing that
/// was stored. The exclusive lock keeps other processes away, and needs no shared memory.
final class MessageDatabase {
    /// Marks files of the gateway: the bytes `BLEG`. Source: SQLite, PRAGMA application_id.
    private static let application: Int64 = 0x424C_4547
    let connection: SQLiteConnection
    private let path: String
    private(set) var identity: String
    private(set) var count = 0
    private(set) var bytes = 0
    /// The highest number that was ever used.
    private(set) var lastNumber: Int64 = 0
    /// Whether the identity or its number was damaged, so that the store has a new identity.
    private(set) var isIdentityReplaced = false
    /// The messages with wrong checksums.
    private(set) var damagedCount = 0
    /// The rows with wrong checksums in the tables of commands, of the confirmation and of counters.
    var damagedStateCount = 0
    /// Those that the next transaction removes.
    private var damaged: Set<Int64> = []

    convenience init(path: String, numbersAfter number: Int64, newIdentity: () -> String) throws(StoreFailure) {
        try self.init(
            try SQLiteConnection(path: path), path: path, numbersAfter: number, newIdentity: newIdentity)
    }

    init(
        _ connection: SQLiteConnection, path: String, numbersAfter number: Int64, newIdentity: () -> String
    ) throws(StoreFailure) {
        self.connection = connection
        try connection.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON")
        let isMarked = try Self.checkOwner(connection, path)
        try connection.makePrivate()
        try connection.execute("PRAGMA synchronous=FULL")
        // Before the first log exists, so that the file itself has the mark.
        if !isMarked { try connection.execute("PRAGMA application_id=\(Self.application)") }
        try connection.execute("PRAGMA journal_mode=WAL; PRAGMA journal_size_limit=4194304")
        self.path = path
        identity = try Self.prepareTables(connection, path, number, newIdentity)
        let isMarkValid = try checkMark(newIdentity)
        if connection.hadLog || !isMarkValid { try leaveGap() }
        lastNumber = try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = 'message'") ?? 0
        var count: Int64 = 0
        var bytes: Int64 = 0
        try connection.run("SELECT count(*), ifnull(sum(length(topic) + length(payload)), 0) FROM message") { row in
            count = row.integer(0)
            bytes = row.integer(1)
        }
        self.count = Int(clamping: count)
        self.bytes = Int(clamping: bytes)
        connection.isOpening = false
    }

    /// Returns whether the file was closed in an orderly way with its present number, as far as it is known.
    ///
    /// A damaged identity is replaced, because it could be that of another store.
    private func checkMark(_ newIdentity: () -> String) throws(StoreFailure) -> Bool {
        var mark: (number: Int64, checksum: Int64)?
        try connection.run("SELECT number, checksum FROM store") { row in
            if let number = row.optionalInteger(0), let sum = row.optionalInteger(1) { mark = (number, sum) }
        }
        // A new file, or one of an earlier version.
        guard let mark else { return true }
        guard mark.checksum == MessageChecksum.of(identity, mark.number) else {
            identity = newIdentity()
            isIdentityReplaced = true
            try connection.run(
                "UPDATE store SET identity = ?, number = NULL, checksum = NULL", [.text(identity)])
            return false
        }
        return try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = 'message'") == mark.number
    }

    /// Marks the file as closed in an orderly way. A lower number in it is damaged then.
    func markClosed() throws(StoreFailure) {
        try connection.run(
            "UPDATE store SET number = ?, checksum = ?",
            [.integer(lastNumber), .integer(MessageChecksum.of(identity, lastNumber))])
    }

    /// Numbers above the present ones may have been used, if the end of the log was lost. Their ids must be unique.
    ///
    /// A number is part of an id, so a constant gap could repeat the numbers of an earlier one.
    private func leaveGap() throws(StoreFailure) {
        let gap = Int64.random(in: 1 << 20..<1 << 40)
        try connection.run("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'message'", [.integer(gap)])
    }

    /// What was damaged in the log when the store was opened; nil for an intact one.
    var damageOfLog: String? { connection.damageOfLog }

    /// Returns whether the file has the mark of the gateway, or is empty. It changes nothing.
    ///
    /// It throws if the file is a database of another program, or of a newer version.
    private static func checkOwner(_ connection: SQLiteConnection, _ path: String) throws(StoreFailure) -> Bool {
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let found = try connection.integer("PRAGMA user_version") ?? 0
        let entries = try connection.integer("SELECT count(*) FROM sqlite_master") ?? 0
        guard application == Self.application || (application, found, entries) == (0, 0, 0) else {
            throw StoreFailure(.inaccessible, "\(path) is a database of another program; name another file")
        }
        guard found <= MessageSchema.version else {
            throw StoreFailure(
                .inaccessible, "\(path) was written by a newer version of the gateway; use that one, or another file")
        }
        return application == Self.application
    }

    /// Checks the structure of the file and the content of its rows.
    func check() throws(StoreFailure) {
        var problem: String?
        try connection.run("PRAGMA quick_check(1)") { row in problem = row.text(0) }
        guard problem == "ok" else {
            // The text may have several lines.
            let text = problem?.split(whereSeparator: \.isNewline).joined(separator: " ") ?? "it cannot be checked"
            throw StoreFailure(.corrupted, "\(path) is damaged: \(text)")
        }
        try connection.run(
            "SELECT number, topic, payload, quality, retained, checksum, priority FROM message"
        ) { row in
            let priority = UInt8(exactly: row.integer(6)).flatMap { Publication.Priority(rawValue: $0) }
            guard let priority else { return noteDamage(row.integer(0)) }
            _ = message(row, priority)
        }
        if !damaged.isEmpty { try update(appending: [], removing: [], maximumBytes: .max) }
    }

    private static func prepareTables(
        _ connection: SQLiteConnection, _ path: String, _ number: Int64, _ newIdentity: () -> String
    ) throws(StoreFailure) -> String {
        try MessageSchema.prepare(connection, numbersAfter: number, newIdentity: newIdentity)
        var identity: String?
        try connection.run("SELECT identity FROM store") { row in identity = row.text(0) }
        guard let identity else { throw StoreFailure(.corrupted, "\(path) is damaged: it has no identity") }
        return identity
    }

    /// The messages that were removed to make room.
    struct Dropped {
        var count = 0
        /// Those of low priority.
        var low = 0
    }

    /// Removes and appends messages in one transaction, and returns how many old ones were removed to make room.
    @discardableResult
    func update(
        appending publications: [Publication], removing numbers: [Int64], saving counters: [EncryptedCounter] = [],
        copied: (file: String, progress: RecoveryProgress)? = nil, maximumBytes: Int
    ) throws(StoreFailure) -> Dropped {
        let before = (count, bytes)
        do throws(StoreFailure) {
            try connection.execute("BEGIN IMMEDIATE")
            for range in Self.ranges(numbers + damaged) { try remove(range) }
            if !numbers.isEmpty, let time = BootTime.now { try storeConfirmation(time) }
            var number = lastNumber
            for publication in publications {
                guard number < .max else { throw StoreFailure(.inaccessible, "\(path) has no free numbers") }
                number += 1
                try insert(StoredPublication(number: number, publication: publication))
            }
            for counter in counters { try store(counter) }
            if let copied { try store(copied.progress, of: copied.file) }
            let dropped = try makeRoom(maximumBytes)
            try connection.execute("COMMIT")
            lastNumber = number
            damaged = []
            return dropped
        } catch {
            // Some errors have ended the transaction already.
            try? connection.execute("ROLLBACK")
            (count, bytes) = before
            throw error
        }
    }

    /// Joins numbers that follow each other, because each statement costs more than a row.
    private static func ranges(_ numbers: [Int64]) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for number in numbers.sorted() {
            if let last = ranges.last, number <= last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges
    }

    private func remove(_ numbers: ClosedRange<Int64>) throws(StoreFailure) {
        try connection.run(
            "DELETE FROM message WHERE number BETWEEN ? AND ? RETURNING length(topic) + length(payload)",
            [.integer(numbers.lowerBound), .integer(numbers.upperBound)]
        ) { row in
            count -= 1
            bytes -= Int(row.integer(0))
        }
    }

    private func insert(_ message: StoredPublication) throws(StoreFailure) {
        let publication = message.publication
        try connection.run(
            "INSERT INTO message(number, topic, payload, quality, retained, priority, checksum) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(message.number), .bytes(Array(publication.topic.utf8)), .bytes(publication.payload),
                .integer(Int64(publication.qualityOfService)), .integer(publication.isRetained ? 1 : 0),
                .integer(Int64(publication.priority.rawValue)), .integer(MessageChecksum.of(message)),
            ])
        count += 1
        bytes += publication.size
    }

    private func makeRoom(_ maximumBytes: Int) throws(StoreFailure) -> Dropped {
        var dropped = Dropped()
        // Those of low priority first.
        for priority in Publication.Priority.allCases.reversed() {
            let value = SQLiteValue.integer(Int64(priority.rawValue))
            while bytes > maximumBytes, count > 0 {
                var oldest: Int64?
                try connection.run("SELECT number FROM message WHERE priority = ? ORDER BY number LIMIT 1", [value]) {
                    oldest = $0.integer(0)
                }
                guard let oldest else { break }
                try remove(oldest...oldest)
                dropped.count += 1
                if priority == .low { dropped.low += 1 }
            }
        }
        return dropped
    }

    /// Returns messages with right checksums. The next transaction removes the others.
    func messages(
        after number: Int64, limit: Int, priority: Publication.Priority = .normal
    ) throws(StoreFailure) -> [StoredPublication] {
        var messages: [StoredPublication] = []
        var last = number
        while messages.count < limit {
            let wanted = limit - messages.count
            var found = 0
            try connection.run(
                "SELECT number, topic, payload, quality, retained, checksum FROM message "
                    + "WHERE priority = ? AND number > ? ORDER BY number LIMIT ?",
                [.integer(Int64(priority.rawValue)), .integer(last), .integer(Int64(wanted))]
            ) { row in
                found += 1
                last = row.integer(0)
                if let message = message(row, priority) { messages.append(message) }
            }
            if found < wanted { break }
        }
        return messages
    }

    /// Reads a row; nil if its checksum is wrong.
    private func message(_ row: SQLiteStatement, _ priority: Publication.Priority) -> StoredPublication? {
        guard let message = StoredPublication(row, priority) else {
            noteDamage(row.integer(0))
            return nil
        }
        return message
    }

    private func noteDamage(_ number: Int64) { if damaged.insert(number).inserted { damagedCount += 1 } }

    /// Lets the log begin again, so that it needs no further space on a full disk.
    func restartLog() { try? connection.execute("PRAGMA wal_checkpoint(RESTART)") }
}
