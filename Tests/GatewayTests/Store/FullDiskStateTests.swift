import BluetoothValues
import RxBluetooth
import Testing

@testable import Gateway

/// What a store knows although a full disk prevents that it is opened.
@Suite struct FullDiskStateTests {
    private let counter = EncryptedCounter(address: "00:00:00:00:00:01", format: .bthome, value: 7, keyCheck: 9)

    private func identifier(_ number: Int) -> UsedIdentifier {
        UsedIdentifier(address: .strap, id: "\(number)", fingerprint: UInt64(number))
    }

    /// Makes a store with an identifier and a counter.
    private func makeStore(_ folder: TemporaryFolder) throws -> SQLiteStore {
        let store = try SQLiteStore(path: folder.path("a.db"))
        try store.remember(identifier(1), keeping: .seconds(60))
        try store.save([counter])
        return store
    }

    @Test(arguments: [true, false])
    func `Identifiers and counters are read on a full disk, with and without a log`(hasLog: Bool) throws {
        let folder = try TemporaryFolder()
        var log: [UInt8]?
        do {
            let store = try makeStore(folder)
            if hasLog {
                log = try folder.read("a.db-wal")
                try folder.write("b.db", folder.read("a.db"))
                try folder.write("b.db-wal", log ?? [])
            }
            store.close()
        }
        let path = folder.path(hasLog ? "b.db" : "a.db")
        var isFull = true
        let store = try SQLiteStore(path: path) { (path) throws(StoreFailure) -> SQLiteConnection in
            if isFull { throw StoreFailure(.full, "the disk is full") }
            return try SQLiteConnection(path: path)
        }
        #expect(store.usedIdentifiers == [identifier(1)] && store.encryptedCounters == [counter])
        let failure = #expect(throws: StoreFailure.self) { try store.remember(identifier(2), keeping: .seconds(60)) }
        #expect(failure?.kind == .full)
        #expect(store.takeNotices().isEmpty)
        if let log { #expect(try folder.read("b.db-wal") == log) }
        isFull = false
        try store.remember(identifier(2), keeping: .seconds(60))
        #expect(store.usedIdentifiers == [identifier(1), identifier(2)] && store.encryptedCounters == [counter])
    }

    @Test func `A new store on a full disk knows nothing, without a line`() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path("a.db")) { (_) throws(StoreFailure) -> SQLiteConnection in
            throw StoreFailure(.full, "the disk is full")
        }
        #expect(store.usedIdentifiers.isEmpty && store.encryptedCounters.isEmpty && store.takeNotices().isEmpty)
        #expect(folder.names.isEmpty)
    }

    @Test func `If identifiers are not readable, a command that may have run is refused later`() throws {
        let folder = try TemporaryFolder()
        do { try makeStore(folder).close() }
        // As in a store of version 3. The opening adds the columns, for which there is no room yet.
        do {
            try SQLiteConnection(path: folder.path("a.db")).execute(
                """
                ALTER TABLE command DROP COLUMN checksum; ALTER TABLE command DROP COLUMN boot;
                ALTER TABLE command DROP COLUMN seconds; ALTER TABLE confirmation DROP COLUMN checksum;
                ALTER TABLE counter DROP COLUMN checksum; ALTER TABLE counter DROP COLUMN earlier;
                ALTER TABLE counter DROP COLUMN forged; ALTER TABLE counter DROP COLUMN key_check; PRAGMA user_version=3
                """)
        }
        var isFull = true
        let store = try SQLiteStore(path: folder.path("a.db")) { (path) throws(StoreFailure) -> SQLiteConnection in
            if isFull { throw StoreFailure(.full, "the disk is full") }
            return try SQLiteConnection(path: path)
        }
        #expect(store.usedIdentifiers.isEmpty)
        let notices = store.takeNotices()
        #expect(notices.count == 1 && notices.first?.isProblem == true)
        #expect(notices.first?.description.hasPrefix("the ids of earlier commands and the counters of sensors") == true)
        isFull = false
        #expect(throws: StoreFailure.self) { try store.remember(identifier(1), keeping: .seconds(60)) }
        try store.remember(identifier(2), keeping: .seconds(60))
        #expect(store.usedIdentifiers == [identifier(1), identifier(2)])
    }

    @Test func `A damaged store on a full disk passes its identifiers on`() throws {
        let folder = try TemporaryFolder()
        do {
            let store = try makeStore(folder)
            try store.append([Publication("a", "the page of messages")])
            store.close()
        }
        var content = try folder.read("a.db")
        let pattern = Array("the page of messages".utf8)
        let position = try #require(content.indices.first { content[$0...].starts(with: pattern) })
        for index in position / 4096 * 4096..<position / 4096 * 4096 + 4096 { content[index] = 0xA5 }
        try folder.write("a.db", content)
        var attempts = 0
        let store = try SQLiteStore(path: folder.path("a.db")) { (path) throws(StoreFailure) -> SQLiteConnection in
            attempts += 1
            if attempts == 2 { throw StoreFailure(.full, "the disk is full") }
            return try SQLiteConnection(path: path)
        }
        #expect(store.replacement != nil && attempts == 2)
        #expect(store.usedIdentifiers == [identifier(1)] && store.encryptedCounters == [counter])
        try store.remember(identifier(2), keeping: .seconds(60))
        #expect(store.usedIdentifiers == [identifier(1), identifier(2)] && store.encryptedCounters == [counter])
    }
}
