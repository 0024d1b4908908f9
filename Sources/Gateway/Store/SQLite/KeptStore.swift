/// Reads the messages of a damaged store that was set aside, and does not change its file.
///
/// It reads from the lowest number up to a damaged page, and then what can be reached from the highest number. So a
/// damaged page in the middle loses only the messages behind it. The log of the file is not read.
final class KeptStore {
    /// So many messages are read at once.
    static let batchSize = 256
    /// So many numbers are read at once from the end.
    private static let scanSize = 4096

    private let connection: SQLiteConnection
    private let query: String
    /// Messages up to this number were read or skipped.
    private var position: Int64 = 0
    /// The lowest number that can be reached from the end; nil if it was not needed yet.
    private var tail: Int64?
    private var isAtEnd = false
    /// The messages with a wrong checksum.
    private(set) var damagedCount = 0
    /// Whether a part of the file could not be read, so that an unknown number of messages is missing.
    private(set) var hasUnreadableParts = false

    /// How far the file was read, if this number of messages was copied.
    func progress(count: Int) -> RecoveryProgress {
        RecoveryProgress(
            position: position, count: count, damaged: damagedCount, hasUnreadableParts: hasUnreadableParts)
    }

    /// Opens the file, and continues after what was copied before; nil if its tables are damaged.
    ///
    /// It throws if the file cannot be read for a cause that may be temporary.
    init?(path: String, after progress: RecoveryProgress = RecoveryProgress()) throws(StoreFailure) {
        let connection = try SQLiteConnection(keptFile: path)
        // Also the tables of versions 2 and 1. With `>`, SQLite would look for the position itself, which may be on a
        // damaged page.
        let queries = ["checksum, priority", "NULL, priority", "NULL, 0"]
            .map {
                "SELECT number, topic, payload, quality, retained, \($0) FROM message WHERE number >= ? "
                    + "ORDER BY number LIMIT ?"
            }
        var readable: String?
        for query in queries where readable == nil {
            do throws(StoreFailure) {
                try connection.run(query, [.integer(0), .integer(0)])
                readable = query
            } catch {
                guard error.kind == .corrupted else { throw error }
            }
        }
        guard let query = readable else { return nil }
        self.connection = connection
        self.query = query
        position = progress.position
        // There is no number behind the highest one.
        isAtEnd = position == .max
        damagedCount = progress.damaged
        hasUnreadableParts = progress.hasUnreadableParts
    }

    /// The number of messages by the index, which may be intact; nil if it is not.
    var count: Int? {
        (try? connection.integer("SELECT count(*) FROM message")).map { Int(clamping: $0) }
    }

    /// Returns the next messages in their order; none after the last one.
    func next() -> [Publication] {
        while !isAtEnd {
            let batch = read()
            // A damaged row may have a wrong number, so it decides only if there is no other.
            let reached = batch.messages.last?.number ?? batch.highest ?? position
            let isStuck = reached <= position && !batch.isFailed
            position = max(position, reached)
            let isLast = !batch.isFailed && (batch.rowCount < Self.batchSize || isStuck)
            damagedCount += batch.damaged
            // Other damaged rows at the end of a batch are read again with the next one.
            if isLast || batch.messages.isEmpty { damagedCount += batch.damagedAtEnd }
            hasUnreadableParts = hasUnreadableParts || batch.isFailed
            // A damaged row may also have the highest number that there is.
            if isLast || position == .max { isAtEnd = true } else if batch.isFailed { passDamage() }
            if !batch.messages.isEmpty { return batch.messages.map(\.publication) }
        }
        return []
    }

    /// Returns the next messages in their order, as many as reach a size; none after the last one.
    ///
    /// At most one batch of reading exceeds the size.
    func next(upTo bytes: Int) -> [Publication] {
        var messages: [Publication] = []
        var size = 0
        while size < bytes {
            let batch = next()
            if batch.isEmpty { break }
            messages += batch
            for message in batch { size += message.size }
        }
        return messages
    }

    private struct Batch {
        var messages: [StoredPublication] = []
        var rowCount = 0
        /// The damaged rows before the last message, and after it.
        var damaged = 0
        var damagedAtEnd = 0
        /// The highest number of a row.
        var highest: Int64?
        /// Whether a page could not be read after these rows.
        var isFailed = false
    }

    private func read() -> Batch {
        var batch = Batch()
        let values = [SQLiteValue.integer(position + 1), .integer(Int64(Self.batchSize))]
        var last = position
        do throws(StoreFailure) {
            try connection.run(query, values) { row in
                batch.rowCount += 1
                batch.highest = max(batch.highest ?? .min, row.integer(0))
                guard let message = Self.message(row) else {
                    batch.damagedAtEnd += 1
                    return
                }
                // In a damaged tree, a row can be found twice.
                guard message.number > last else { return }
                last = message.number
                batch.damaged += batch.damagedAtEnd
                batch.damagedAtEnd = 0
                batch.messages.append(message)
            }
        } catch {
            batch.isFailed = true
        }
        return batch
    }

    /// Reads a row; nil if it is damaged.
    private static func message(_ row: SQLiteStatement) -> StoredPublication? {
        let priority = UInt8(exactly: row.integer(6)).flatMap { Publication.Priority(rawValue: $0) }
        guard let priority, let message = StoredPublication(row, priority) else { return nil }
        guard row.optionalInteger(5) == nil else { return message }
        // Rows of earlier versions have no checksum, and neither has a row that lost its last columns.
        let topic = String(validating: row.bytes(1), as: UTF8.self) ?? ""
        let isTopic = !topic.isEmpty && topic.utf8.allSatisfy { ![0, 0x23, 0x2B].contains($0) }
        return isTopic && message.publication.qualityOfService <= 1 ? message : nil
    }

    /// Continues behind a damaged page, or behind a message that cannot be read.
    private func passDamage() {
        if tail == nil {
            guard let lowest = lowestFromEnd() else {
                isAtEnd = true
                return
            }
            tail = lowest
        }
        if let tail, position < tail - 1 {
            position = tail - 1
            return
        }
        // The number can be read, but not the rest of the message, which is on other pages.
        var unreadable: Int64?
        try? connection.run(
            "SELECT number FROM message WHERE number >= ? ORDER BY number LIMIT 1", [.integer(position + 1)]
        ) { unreadable = $0.integer(0) }
        guard let number = unreadable, number > position, number < .max else {
            isAtEnd = true
            return
        }
        position = number
    }

    /// Reads numbers from the end until an error, and returns the lowest one above the position.
    private func lowestFromEnd() -> Int64? {
        var lowest: Int64?
        while true {
            let before = lowest
            var count = 0
            var isOrdered = true
            do throws(StoreFailure) {
                try connection.run(
                    "SELECT number FROM message WHERE number > ? AND number < ? ORDER BY number DESC LIMIT ?",
                    [.integer(position), .integer(before ?? .max), .integer(Int64(Self.scanSize))]
                ) { row in
                    let number = row.integer(0)
                    count += 1
                    isOrdered = isOrdered && number > position && number < lowest ?? .max
                    if isOrdered { lowest = number }
                }
            } catch {
                return lowest
            }
            guard isOrdered, count == Self.scanSize else { return lowest }
        }
    }
}

extension StoredPublication {
    /// Reads a row with number, topic, payload, quality of service, retain flag and checksum.
    ///
    /// - Returns: nil if the checksum is wrong. Rows of earlier versions have none.
    init?(_ row: SQLiteStatement, _ priority: Publication.Priority) {
        var publication = Publication(
            topic: row.text(1), payload: row.bytes(2), qualityOfService: UInt8(clamping: row.integer(3)),
            isRetained: row.integer(4) != 0)
        publication.priority = priority
        self.init(number: row.integer(0), publication: publication)
        guard let sum = row.optionalInteger(5) else { return }
        if sum != MessageChecksum.of(self) { return nil }
    }
}
