import BluetoothValues

/// The identifiers of commands and the counters of encrypted packets in a damaged store that was set aside.
///
/// It also contains how far the store had copied earlier damaged files. Only rows with right checksums are taken,
/// because a wrong counter would refuse the packets of its device. Rows of versions before 4 have none. The log of the
/// file is not read.
struct KeptState {
    /// The oldest first.
    private(set) var identifiers: [StoredIdentifier] = []
    private(set) var counters: [EncryptedCounter] = []
    /// How far each earlier file was copied. These rows have no checksums.
    private(set) var recoveries: [String: RecoveryProgress] = [:]

    /// Reads the file, and does not change it. What is damaged is missing.
    ///
    /// It throws if the file cannot be opened for a cause that may be temporary.
    init(path: String) throws(StoreFailure) {
        let connection = try SQLiteConnection(keptFile: path)
        // In a damaged tree, a row can be found twice.
        var commands: [Int64: StoredIdentifier] = [:]
        Self.read("\(StoredIdentifier.columns), position", of: "command", connection) { row in
            let stored = StoredIdentifier(row)
            if stored.hasRightChecksum == true { commands[row.integer(6)] = stored }
        }
        identifiers = commands.sorted { $0.key < $1.key }.map(\.value)
        var counters: [EncryptedCounter] = []
        Self.read(StoredCounter.columns, of: "counter", connection) { row in
            let stored = StoredCounter(row)
            if stored.hasRightChecksum == true { counters.append(stored.counter) }
        }
        self.counters = counters
        var recoveries: [String: RecoveryProgress] = [:]
        Self.read(RecoveryProgress.columns, of: "recovery", connection) { row in
            recoveries[row.text(4)] = RecoveryProgress(row)
        }
        self.recoveries = recoveries
    }

    /// Reads the newest rows of a table up to a damaged page, and then the oldest ones.
    private static func read(
        _ columns: String, of table: String, _ connection: SQLiteConnection, row: (SQLiteStatement) -> Void
    ) {
        for order in ["DESC", "ASC"] {
            do throws(StoreFailure) {
                // A damaged tree can lead to the same page many times.
                try connection.run(
                    "SELECT \(columns) FROM \(table) ORDER BY rowid \(order) LIMIT ?",
                    [.integer(Int64(UsedIdentifier.maximum))], row: row)
                return
            } catch {
                continue
            }
        }
    }
}
