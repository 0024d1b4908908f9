import BluetoothValues
import RxBluetooth

/// What a gateway remembers besides messages: identifiers of commands, a time, and counters of encrypted packets.
extension MessageDatabase {
    /// The tables of versions 2 and 3. `MessageSchema` adds columns.
    static let stateTables = """
        CREATE TABLE command(
            position INTEGER PRIMARY KEY AUTOINCREMENT, address INTEGER NOT NULL, id TEXT NOT NULL,
            fingerprint INTEGER NOT NULL);
        CREATE TABLE confirmation(boot TEXT NOT NULL, seconds INTEGER NOT NULL);
        CREATE TABLE counter(
            address INTEGER NOT NULL, format TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (address, format));
        """

    func usedIdentifiers() throws(StoreFailure) -> [UsedIdentifier] {
        var identifiers: [UsedIdentifier] = []
        var damaged: [Int64] = []
        try connection.run(
            "SELECT address, id, fingerprint, checksum, position, boot, seconds FROM command ORDER BY position"
        ) { row in
            let identifier = UsedIdentifier(
                address: BluetoothAddress(UInt64(bitPattern: row.integer(0))), id: row.text(1),
                fingerprint: UInt64(bitPattern: row.integer(2)))
            let time = BootTime(boot: row.text(5), seconds: row.integer(6))
            if Self.isRight(row.optionalInteger(3), MessageChecksum.of(identifier, time)) {
                identifiers.append(identifier)
            } else {
                damaged.append(row.integer(4))
            }
        }
        damagedStateCount += damaged.count
        for position in damaged {
            try? connection.run("DELETE FROM command WHERE position = ?", [.integer(position)])
        }
        return identifiers.suffix(UsedIdentifier.maximum)
    }

    /// Stores an identifier, and removes old ones that are not among the newest, in one transaction.
    ///
    /// - Parameters:
    ///   - now: The present time; nil if it is not known. Then no identifier is removed.
    ///   - duration: Older identifiers are removed. Those of an earlier start of the computer count from the opening.
    ///   - openSince: The time since the opening.
    func remember(
        _ identifier: UsedIdentifier, at now: BootTime?, keeping duration: Duration, openSince: Duration
    ) throws(StoreFailure) {
        let time = now ?? BootTime(boot: "", seconds: 0)
        try transaction { () throws(StoreFailure) in
            try connection.run(
                "INSERT INTO command(address, id, fingerprint, boot, seconds, checksum) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .integer(Int64(bitPattern: identifier.address.number)), .text(identifier.id),
                    .integer(Int64(bitPattern: identifier.fingerprint)), .text(time.boot), .integer(time.seconds),
                    .integer(MessageChecksum.of(identifier, time)),
                ])
            guard now != nil else { return }
            // Rows of earlier versions have no time, as if they were of an earlier start.
            try connection.run(
                "DELETE FROM command WHERE position <= ? AND CASE WHEN boot = ? THEN seconds < ? ELSE ? END",
                [
                    .integer(connection.lastNumber - Int64(UsedIdentifier.limit)), .text(time.boot),
                    .integer(time.seconds - duration.components.seconds - 1),
                    .integer(openSince > duration ? 1 : 0),
                ])
        }
    }

    /// The time of the last confirmation; nil if there was none.
    func lastConfirmation() throws(StoreFailure) -> BootTime? {
        var time: BootTime?
        var isDamaged = false
        try connection.run("SELECT boot, seconds, checksum FROM confirmation") { row in
            let stored = BootTime(boot: row.text(0), seconds: row.integer(1))
            if Self.isRight(row.optionalInteger(2), MessageChecksum.of(stored)) {
                time = stored
            } else {
                isDamaged = true
            }
        }
        if isDamaged {
            damagedStateCount += 1
            try? connection.run("DELETE FROM confirmation")
        }
        return time
    }

    /// Stores the time of a confirmation within a transaction.
    func storeConfirmation(_ time: BootTime) throws(StoreFailure) {
        try connection.run("DELETE FROM confirmation")
        try connection.run(
            "INSERT INTO confirmation(boot, seconds, checksum) VALUES (?, ?, ?)",
            [.text(time.boot), .integer(time.seconds), .integer(MessageChecksum.of(time))])
    }

    func encryptedCounters() throws(StoreFailure) -> [EncryptedCounter] {
        var counters: [EncryptedCounter] = []
        var damaged = 0
        try connection.run("SELECT address, format, value, checksum, earlier, forged FROM counter") { row in
            let name = row.text(1)
            let format = SensorFormat(rawValue: name) ?? .custom(name)
            let address = SenderAddress(BluetoothAddress(UInt64(bitPattern: row.integer(0))))
            let counter = EncryptedCounter(
                address: address, format: format, value: UInt32(truncatingIfNeeded: row.integer(2)),
                before: UInt32(exactly: row.integer(4)), isRestartForged: row.integer(5) != 0)
            if Self.isRight(row.optionalInteger(3), MessageChecksum.of(counter)) {
                counters.append(counter)
            } else {
                damaged += 1
            }
        }
        damagedStateCount += damaged
        // The index of the table may contain another value than a damaged row, so the table is filled again.
        if damaged > 0 { try? save(counters) }
        return counters
    }

    /// Replaces the counters in one transaction.
    func save(_ counters: [EncryptedCounter]) throws(StoreFailure) {
        try transaction { () throws(StoreFailure) in
            try connection.run("DELETE FROM counter")
            for counter in counters { try store(counter) }
        }
    }

    /// Replaces the counter of a device and a format within a transaction.
    func store(_ counter: EncryptedCounter) throws(StoreFailure) {
        try connection.run(
            "INSERT OR REPLACE INTO counter(address, format, value, earlier, forged, checksum) "
                + "VALUES (?, ?, ?, ?, ?, ?)",
            [
                .integer(Int64(bitPattern: counter.address.number)), .text(counter.format.rawValue),
                .integer(Int64(counter.value)), .integer(counter.before.map { Int64($0) } ?? -1),
                .integer(counter.isRestartForged ? 1 : 0), .integer(MessageChecksum.of(counter)),
            ])
    }

    /// Whether the checksum of a row is right. Rows of earlier versions have none.
    private static func isRight(_ stored: Int64?, _ expected: Int64) -> Bool { stored.map { $0 == expected } ?? true }

    private func transaction(_ body: () throws(StoreFailure) -> Void) throws(StoreFailure) {
        do throws(StoreFailure) {
            try connection.execute("BEGIN IMMEDIATE")
            try body()
            try connection.execute("COMMIT")
        } catch {
            // Some errors have ended the transaction already.
            try? connection.execute("ROLLBACK")
            throw error
        }
    }
}
