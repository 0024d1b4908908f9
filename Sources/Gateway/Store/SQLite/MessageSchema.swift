/// The tables of a store, and the steps from earlier versions of them.
enum MessageSchema {
    /// The version that this program writes. Source: SQLite, PRAGMA user_version.
    static let version: Int64 = 4

    /// Creates the tables of a new file, or changes those of an earlier version. Messages keep their numbers.
    ///
    /// - Parameters:
    ///   - number: The number after which those of a new file begin.
    ///   - newIdentity: Returns the identity of a new file.
    static func prepare(
        _ connection: SQLiteConnection, numbersAfter number: Int64, newIdentity: () -> String
    ) throws(StoreFailure) {
        let found = try connection.integer("PRAGMA user_version") ?? 0
        guard found < version else { return }
        try connection.execute("BEGIN IMMEDIATE")
        if found == 0 { try create(connection, number, newIdentity) }
        if found == 1 { try addPriority(connection) }
        if found < 2 {
            // An index also contains the numbers, in their order.
            try connection.execute("CREATE INDEX message_priority ON message(priority)")
            try connection.execute(MessageDatabase.stateTables)
        }
        if found > 0, found < 3 { try addChecksums(connection) }
        try extendState(connection)
        try connection.execute("PRAGMA user_version=\(version); COMMIT")
    }

    private static func create(
        _ connection: SQLiteConnection, _ number: Int64, _ newIdentity: () -> String
    ) throws(StoreFailure) {
        // Numbers are not used again, also if all messages were removed: AUTOINCREMENT.
        try connection.execute(
            """
            CREATE TABLE message(
                number INTEGER PRIMARY KEY AUTOINCREMENT, topic BLOB NOT NULL, payload BLOB NOT NULL,
                quality INTEGER NOT NULL, retained INTEGER NOT NULL, priority INTEGER NOT NULL DEFAULT 0,
                checksum INTEGER);
            CREATE TABLE store(identity TEXT NOT NULL, number INTEGER, checksum INTEGER)
            """)
        try connection.run("INSERT INTO store(identity) VALUES (?)", [.text(newIdentity())])
        try connection.run("INSERT INTO sqlite_sequence VALUES ('message', ?)", [.integer(number)])
    }

    /// The rows of earlier versions have no checksum, and are accepted without one.
    private static func addChecksums(_ connection: SQLiteConnection) throws(StoreFailure) {
        try connection.execute(
            """
            ALTER TABLE message ADD COLUMN checksum INTEGER;
            ALTER TABLE store ADD COLUMN number INTEGER;
            ALTER TABLE store ADD COLUMN checksum INTEGER
            """)
    }

    /// The identifiers, counters and the time of earlier versions have no checksum either, and identifiers no time.
    private static func extendState(_ connection: SQLiteConnection) throws(StoreFailure) {
        try connection.execute(
            """
            ALTER TABLE command ADD COLUMN checksum INTEGER;
            ALTER TABLE command ADD COLUMN boot TEXT;
            ALTER TABLE command ADD COLUMN seconds INTEGER;
            ALTER TABLE confirmation ADD COLUMN checksum INTEGER;
            ALTER TABLE counter ADD COLUMN checksum INTEGER;
            ALTER TABLE counter ADD COLUMN earlier INTEGER NOT NULL DEFAULT -1;
            ALTER TABLE counter ADD COLUMN forged INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE counter ADD COLUMN key_check INTEGER NOT NULL DEFAULT -1
            """)
    }

    /// The messages of version 1 have normal priority.
    private static func addPriority(_ connection: SQLiteConnection) throws(StoreFailure) {
        try connection.execute("ALTER TABLE message ADD COLUMN priority INTEGER NOT NULL DEFAULT 0")
    }
}
