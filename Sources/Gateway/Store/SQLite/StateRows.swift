import BluetoothValues
import RxBluetooth

/// A row of the table of commands.
struct StoredIdentifier {
    /// The columns that the initialiser reads, in its order.
    static let columns = "address, id, fingerprint, boot, seconds, checksum"

    let identifier: UsedIdentifier
    /// When the command arrived. Rows of earlier versions have no time, as if they were of an earlier start.
    let arrival: BootTime
    /// Whether the checksum is right; nil if there is none, as in rows of earlier versions.
    let hasRightChecksum: Bool?

    init(_ row: SQLiteStatement) {
        let identifier = UsedIdentifier(
            address: BluetoothAddress(UInt64(bitPattern: row.integer(0))), id: row.text(1),
            fingerprint: UInt64(bitPattern: row.integer(2)))
        let arrival = BootTime(boot: row.text(3), seconds: row.integer(4))
        self.identifier = identifier
        self.arrival = arrival
        hasRightChecksum = row.optionalInteger(5).map { $0 == MessageChecksum.of(identifier, arrival) }
    }
}

/// A row of the table of counters.
struct StoredCounter {
    /// The columns that the initialiser reads, in its order.
    static let columns = "address, format, value, earlier, forged, key_check, checksum"

    let counter: EncryptedCounter
    /// Whether the checksum is right; nil if there is none, as in rows of earlier versions.
    let hasRightChecksum: Bool?

    init(_ row: SQLiteStatement) {
        let name = row.text(1)
        let counter = EncryptedCounter(
            address: SenderAddress(BluetoothAddress(UInt64(bitPattern: row.integer(0)))),
            format: SensorFormat(rawValue: name) ?? .custom(name), value: UInt32(truncatingIfNeeded: row.integer(2)),
            before: UInt32(exactly: row.integer(3)), isRestartForged: row.integer(4) != 0,
            keyCheck: UInt32(exactly: row.integer(5)))
        self.counter = counter
        hasRightChecksum = row.optionalInteger(6).map { $0 == MessageChecksum.of(counter) }
    }
}
