/// How far the readable messages of a damaged file were copied to a new store.
struct RecoveryProgress: Hashable, Sendable {
    /// Messages up to this number were copied or skipped.
    var position: Int64 = 0
    /// The messages that were copied.
    var count = 0
    /// The messages with a wrong checksum.
    var damaged = 0
    /// Whether a part of the file could not be read.
    var hasUnreadableParts = false
}

extension RecoveryProgress {
    /// The columns that the initialiser reads, in its order, and the name of the file.
    static let columns = "position, count, damaged, unreadable, file"

    init(_ row: SQLiteStatement) {
        // Other numbers are added to these, which may be damaged.
        self.init(
            position: row.integer(0), count: Int(UInt32(clamping: row.integer(1))),
            damaged: Int(UInt32(clamping: row.integer(2))), hasUnreadableParts: row.integer(3) != 0)
    }
}

// The table exists only in a store that has followed a damaged one. It is written together with the copied rows.
extension MessageDatabase {
    /// Returns how far a damaged file was copied; nil if nothing of it was.
    func recovery(of file: String) throws(StoreFailure) -> RecoveryProgress? { try recoveries()[file] }

    /// Returns how far each damaged file was copied.
    func recoveries() throws(StoreFailure) -> [String: RecoveryProgress] {
        let tables = try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'recovery'")
        guard let tables, tables > 0 else { return [:] }
        var recoveries: [String: RecoveryProgress] = [:]
        try connection.run("SELECT \(RecoveryProgress.columns) FROM recovery") { row in
            recoveries[row.text(4)] = RecoveryProgress(row)
        }
        return recoveries
    }

    /// Stores how far a damaged file was copied, within a transaction.
    func store(_ progress: RecoveryProgress, of file: String) throws(StoreFailure) {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS recovery(
                file TEXT PRIMARY KEY, position INTEGER NOT NULL, count INTEGER NOT NULL, damaged INTEGER NOT NULL,
                unreadable INTEGER NOT NULL)
            """)
        try connection.run(
            "INSERT OR REPLACE INTO recovery(file, position, count, damaged, unreadable) VALUES (?, ?, ?, ?, ?)",
            [
                .text(file), .integer(progress.position), .integer(Int64(progress.count)),
                .integer(Int64(progress.damaged)), .integer(progress.hasUnreadableParts ? 1 : 0),
            ])
    }

    /// Removes what was stored about a file that was read.
    func forgetRecovery(of file: String) throws(StoreFailure) {
        try connection.run("DELETE FROM recovery WHERE file = ?", [.text(file)])
    }
}
