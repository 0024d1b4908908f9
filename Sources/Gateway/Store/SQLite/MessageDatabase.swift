/// The tables of a store in a file of SQLite.
///
/// `synchronous=FULL` writes the log to the disk before a transaction ends, so that a power failure loses nothing that
/// was stored. The exclusive lock keeps other processes away, and needs no shared memory.
final class MessageDatabase {
    /// Marks files of the gateway: the bytes `BLEG`. Source: SQLite, PRAGMA application_id.
    private static let application: Int64 = 0x424C_4547
    let connection: SQLiteConnection
    let identity: String
    private(set) var count = 0
    private(set) var bytes = 0
    /// The highest number that was ever used.
    private(set) var lastNumber: Int64 = 0

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
        try Self.check(connection, path)
        identity = try Self.prepareTables(connection, path, number, newIdentity)
        if connection.hadLog { try leaveGap() }
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

    private static func check(_ connection: SQLiteConnection, _ path: String) throws(StoreFailure) {
        var problem: String?
        try connection.run("PRAGMA quick_check(1)") { row in problem = row.text(0) }
        guard problem == "ok" else {
            // The text may have several lines.
            let text = problem?.split(whereSeparator: \.isNewline).joined(separator: " ") ?? "it cannot be checked"
            throw StoreFailure(.corrupted, "\(path) is damaged: \(text)")
        }
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
        appending publications: [Publication], removing numbers: [Int64], maximumBytes: Int
    ) throws(StoreFailure) -> Dropped {
        let before = (count, bytes)
        do throws(StoreFailure) {
            try connection.execute("BEGIN IMMEDIATE")
            for range in Self.ranges(numbers) { try remove(range) }
            if !numbers.isEmpty, let time = BootTime.now { try storeConfirmation(time) }
            for publication in publications { try insert(publication) }
            let dropped = try makeRoom(maximumBytes)
            try connection.execute("COMMIT")
            if !publications.isEmpty { lastNumber = connection.lastNumber }
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

    private func insert(_ publication: Publication) throws(StoreFailure) {
        try connection.run(
            "INSERT INTO message(topic, payload, quality, retained, priority) VALUES (?, ?, ?, ?, ?)",
            [
                .bytes(Array(publication.topic.utf8)), .bytes(publication.payload),
                .integer(Int64(publication.qualityOfService)), .integer(publication.isRetained ? 1 : 0),
                .integer(Int64(publication.priority.rawValue)),
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

    func messages(
        after number: Int64, limit: Int, priority: Publication.Priority = .normal
    ) throws(StoreFailure) -> [StoredPublication] {
        var messages: [StoredPublication] = []
        try connection.run(
            "SELECT number, topic, payload, quality, retained FROM message WHERE priority = ? AND number > ? "
                + "ORDER BY number LIMIT ?",
            [.integer(Int64(priority.rawValue)), .integer(number), .integer(Int64(limit))]
        ) { row in
            var publication = Publication(
                topic: row.text(1), payload: row.bytes(2), qualityOfService: UInt8(clamping: row.integer(3)),
                isRetained: row.integer(4) != 0)
            publication.priority = priority
            messages.append(StoredPublication(number: row.integer(0), publication: publication))
        }
        return messages
    }
}
