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
        try connection.run("SELECT \(StoredIdentifier.columns), position FROM command ORDER BY position") { row in
            let stored = StoredIdentifier(row)
            if stored.hasRightChecksum != false {
                identifiers.append(stored.identifier)
            } else {
                damaged.append(row.integer(6))
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
            try insert(identifier, time)
            guard now != nil else { return }
            try connection.run(
                "DELETE FROM command WHERE position <= ? AND CASE WHEN boot = ? THEN seconds < ? ELSE ? END",
                [
                    .integer(connection.lastNumber - Int64(UsedIdentifier.limit)), .text(time.boot),
                    .integer(time.seconds - duration.components.seconds - 1),
                    .integer(openSince > duration ? 1 : 0),
                ])
        }
    }

    private func insert(_ identifier: UsedIdentifier, _ arrival: BootTime) throws(StoreFailure) {
        try connection.run(
            "INSERT INTO command(address, id, fingerprint, boot, seconds, checksum) VALUES (?, ?, ?, ?, ?, ?)",
            [
                .integer(Int64(bitPattern: identifier.address.number)), .text(identifier.id),
                .integer(Int64(bitPattern: identifier.fingerprint)), .text(arrival.boot), .integer(arrival.seconds),
                .integer(MessageChecksum.of(identifier, arrival)),
            ])
    }

    /// Adds what a damaged file contained, in one transaction.
    ///
    /// Counters of this store stay, because they are newer. Earlier files continue at the higher position.
    func add(_ state: KeptState, of file: String) throws(StoreFailure) {
        try transaction { () throws(StoreFailure) in
            for stored in state.identifiers { try insert(stored.identifier, stored.arrival) }
            for counter in state.counters { try store(counter, replacing: false) }
            let known = try recoveries()
            for (earlier, progress) in state.recoveries where progress.position >= known[earlier]?.position ?? 0 {
                try store(progress, of: earlier)
            }
            try store(RecoveryProgress(), of: file)
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
        try connection.run("SELECT \(StoredCounter.columns) FROM counter") { row in
            let stored = StoredCounter(row)
            if stored.hasRightChecksum != false { counters.append(stored.counter) } else { damaged += 1 }
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

    /// Stores the counter of a device and a format within a transaction. An existing one is replaced, or stays.
    func store(_ counter: EncryptedCounter, replacing: Bool = true) throws(StoreFailure) {
        let conflict = replacing ? "REPLACE" : "IGNORE"
        try connection.run(
            "INSERT OR \(conflict) INTO counter(address, format, value, earlier, forged, key_check, checksum) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(Int64(bitPattern: counter.address.number)), .text(counter.format.rawValue),
                .integer(Int64(counter.value)), .integer(counter.before.map { Int64($0) } ?? -1),
                .integer(counter.isRestartForged ? 1 : 0), .integer(counter.keyCheck.map { Int64($0) } ?? -1),
                .integer(MessageChecksum.of(counter)),
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
