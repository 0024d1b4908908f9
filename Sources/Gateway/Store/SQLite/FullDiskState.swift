import BluetoothValues
import Glibc

/// The identifiers of commands and the counters of encrypted packets in a store that cannot be opened on a full disk.
struct FullDiskState {
    /// The oldest first.
    private(set) var identifiers: [UsedIdentifier] = []
    private(set) var counters: [EncryptedCounter] = []

    /// Reads the file with its log, without writing to them. It throws if a part cannot be read.
    ///
    /// - Parameter damagedFiles: Files that were set aside and not copied yet. What is damaged in them is missing.
    init(path: String, besides damagedFiles: [String]) throws(StoreFailure) {
        var (identifiers, counters) = ([UsedIdentifier](), [EncryptedCounter]())
        for file in damagedFiles {
            let kept = try KeptState(path: file)
            identifiers += kept.identifiers.map(\.identifier)
            counters += kept.counters
        }
        // The tables exist since version 2.
        if let connection = try Self.connection(path), try connection.integer("PRAGMA user_version") ?? 0 >= 2 {
            try connection.run("SELECT \(StoredIdentifier.columns) FROM command ORDER BY position") { row in
                let stored = StoredIdentifier(row)
                if stored.hasRightChecksum != false { identifiers.append(stored.identifier) }
            }
            try connection.run("SELECT \(StoredCounter.columns) FROM counter") { row in
                let stored = StoredCounter(row)
                if stored.hasRightChecksum != false { counters.append(stored.counter) }
            }
        }
        self.identifiers = identifiers.suffix(UsedIdentifier.maximum)
        self.counters = counters
    }

    /// Opens the file for reading; nil if there is nothing in it, because it was never written.
    private static func connection(_ path: String) throws(StoreFailure) -> SQLiteConnection? {
        let hasLog = try size(path + "-wal") > 0
        if !hasLog, try size(path) == 0 { return nil }
        // With the exclusive lock, SQLite reads a log without an index file, for which there may be no room.
        let connection = try hasLog ? SQLiteConnection(path: path) : SQLiteConnection(keptFile: path)
        connection.isOpening = false
        // The log shows the next opening that the end was not orderly.
        try connection.keepLog()
        try connection.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF; PRAGMA query_only=ON")
        return connection
    }

    /// The size of a file; 0 if it is missing.
    private static func size(_ path: String) throws(StoreFailure) -> Int {
        var information = stat()
        if unsafe lstat(path, &information) == 0 { return information.st_size }
        guard errno == ENOENT else {
            throw StoreFailure(.inaccessible, "reading \(path) failed; check the disk and the permissions")
        }
        return 0
    }
}
