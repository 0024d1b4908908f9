import BluetoothValues
import RxBluetooth

/// What a gateway remembers besides messages: identifiers of commands, a time, and counters of encrypted packets.
extension MessageDatabase {
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
        try connection.run("SELECT address, id, fingerprint FROM command ORDER BY position") { row in
            identifiers.append(
                UsedIdentifier(
                    address: BluetoothAddress(UInt64(bitPattern: row.integer(0))), id: row.text(1),
                    fingerprint: UInt64(bitPattern: row.integer(2))))
        }
        return identifiers.suffix(UsedIdentifier.limit)
    }

    /// Stores an identifier, and removes the oldest one above the limit, in one transaction.
    func remember(_ identifier: UsedIdentifier) throws(StoreFailure) {
        try transaction { () throws(StoreFailure) in
            try connection.run(
                "INSERT INTO command(address, id, fingerprint) VALUES (?, ?, ?)",
                [
                    .integer(Int64(bitPattern: identifier.address.number)), .text(identifier.id),
                    .integer(Int64(bitPattern: identifier.fingerprint)),
                ])
            try connection.run(
                "DELETE FROM command WHERE position <= ?",
                [.integer(connection.lastNumber - Int64(UsedIdentifier.limit))])
        }
    }

    /// The time of the last confirmation; nil if there was none.
    func lastConfirmation() throws(StoreFailure) -> BootTime? {
        var time: BootTime?
        try connection.run("SELECT boot, seconds FROM confirmation") { row in
            time = BootTime(boot: row.text(0), seconds: row.integer(1))
        }
        return time
    }

    /// Stores the time of a confirmation within a transaction.
    func storeConfirmation(_ time: BootTime) throws(StoreFailure) {
        try connection.run("DELETE FROM confirmation")
        try connection.run(
            "INSERT INTO confirmation(boot, seconds) VALUES (?, ?)", [.text(time.boot), .integer(time.seconds)])
    }

    func encryptedCounters() throws(StoreFailure) -> [EncryptedCounter] {
        var counters: [EncryptedCounter] = []
        try connection.run("SELECT address, format, value FROM counter") { row in
            let name = row.text(1)
            let format = SensorFormat(rawValue: name) ?? .custom(name)
            let address = SenderAddress(BluetoothAddress(UInt64(bitPattern: row.integer(0))))
            counters.append(
                EncryptedCounter(address: address, format: format, value: UInt32(truncatingIfNeeded: row.integer(2))))
        }
        return counters
    }

    /// Replaces the counters in one transaction.
    func save(_ counters: [EncryptedCounter]) throws(StoreFailure) {
        try transaction { () throws(StoreFailure) in
            try connection.run("DELETE FROM counter")
            for counter in counters {
                try connection.run(
                    "INSERT INTO counter(address, format, value) VALUES (?, ?, ?)",
                    [
                        .integer(Int64(bitPattern: counter.address.number)), .text(counter.format.rawValue),
                        .integer(Int64(counter.value)),
                    ])
            }
        }
    }

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
