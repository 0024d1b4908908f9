import BluetoothValues
import FoundationEssentials
import RxBluetooth
import Testing

@testable import Gateway

/// What the store keeps besides messages: identifiers of commands, the last confirmation, and counters.
@Suite struct StoredStateTests {
    private func identifier(_ number: Int) -> UsedIdentifier {
        UsedIdentifier(address: .strap, id: "\(number)", fingerprint: .max - UInt64(number))
    }

    /// A store at a time that the test sets.
    private func store(_ folder: TemporaryFolder, at time: @escaping () -> BootTime?) throws -> SQLiteStore {
        try SQLiteStore(path: folder.path("a.db"), bootTime: time) { (path) throws(StoreFailure) -> SQLiteConnection in
            try SQLiteConnection(path: path)
        }
    }

    @Test func `Identifiers above the limit are forgotten when they are too old`() throws {
        let folder = try TemporaryFolder()
        var time = BootTime(boot: "a", seconds: 1000)
        let store = try store(folder, at: { time })
        for number in 0..<1100 { try store.remember(identifier(number), keeping: .seconds(60)) }
        #expect(store.usedIdentifiers.count == 1100)
        time.seconds = 1060
        try store.remember(identifier(1100), keeping: .seconds(60))
        #expect(store.usedIdentifiers.count == 1101)
        time.seconds = 1062
        try store.remember(identifier(1101), keeping: .seconds(60))
        #expect(store.usedIdentifiers == (78...1101).map(identifier))
    }

    @Test func `Identifiers of an earlier start of the computer are kept from the opening on`() throws {
        let folder = try TemporaryFolder()
        var time = BootTime(boot: "a", seconds: 100_000)
        do {
            let store = try store(folder, at: { time })
            for number in 0..<1100 { try store.remember(identifier(number), keeping: .seconds(60)) }
        }
        time = BootTime(boot: "b", seconds: 5)
        let store = try store(folder, at: { time })
        time.seconds = 65
        try store.remember(identifier(1100), keeping: .seconds(60))
        #expect(store.usedIdentifiers.count == 1101)
        time.seconds = 66
        try store.remember(identifier(1101), keeping: .seconds(60))
        #expect(store.usedIdentifiers == (78...1101).map(identifier))
    }

    @Test func `Without a time of the kernel, no identifier is forgotten`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, at: { nil })
        for number in 0..<1100 { try store.remember(identifier(number), keeping: .zero) }
        #expect(store.usedIdentifiers.count == 1100)
    }

    @Test func `The identifiers of commands survive a restart`() throws {
        let folder = try TemporaryFolder()
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            #expect(store.usedIdentifiers == [])
            for number in 0..<1030 { try store.remember(identifier(number), keeping: .seconds(60)) }
        }
        let store = try SQLiteStore(path: folder.path("a.db"))
        #expect(store.usedIdentifiers == (0..<1030).map(identifier))
        // Messages have numbers of their own.
        try store.append([Publication("a", "1")])
        #expect(try store.messages(after: 0, limit: 10).map(\.number) == [1])
    }

    @Test func `Counters of encrypted packets survive a restart`() throws {
        let folder = try TemporaryFolder()
        let counters: [EncryptedCounter] = [
            EncryptedCounter(address: "00:00:00:00:00:01", format: .bthome, value: .max),
            EncryptedCounter(address: "FF:FF:FF:FF:FF:FE", format: .miBeacon, value: 7),
        ]
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.save([EncryptedCounter(address: "00:00:00:00:00:02", format: .bthome, value: 1)])
            try store.save(counters)
        }
        #expect(try SQLiteStore(path: folder.path("a.db")).encryptedCounters.sorted { $0.value > $1.value } == counters)
    }

    @Test(arguments: [false, true])
    func `Changed counters are stored with messages, and others stay`(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        let store: any PublicationStore =
            isFile ? try SQLiteStore(path: folder.path("a.db")) : SimulatedStore(identity: "s")
        var first = EncryptedCounter(address: "00:00:00:00:00:01", format: .bthome, value: 1)
        let second = EncryptedCounter(
            address: "00:00:00:00:00:01", format: .miBeacon, value: 7, before: .max, isRestartForged: true,
            keyCheck: .max)
        try store.save([first, second])
        first.value = 2
        first.before = 0
        try store.update(appending: [Publication("a", "1")], removing: [], saving: [first])
        #expect(Set(store.encryptedCounters) == [first, second])
        guard isFile else { return }
        store.close()
        let next = try SQLiteStore(path: folder.path("a.db"))
        #expect(Set(next.encryptedCounters) == [first, second] && next.summary.count == 1)
    }

    @Test func `The time since a confirmation is known after a restart of the process`() throws {
        let folder = try TemporaryFolder()
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.append([Publication("a", "1")])
            #expect(store.sinceConfirmation == nil)
            try store.remove([1])
        }
        let time = try #require(try SQLiteStore(path: folder.path("a.db")).sinceConfirmation)
        // The removal follows the confirmation within 5 s.
        #expect(time >= .seconds(5))
    }

    @Test func `After a restart of the computer, the time is not known`() {
        let time = BootTime(boot: "a", seconds: 100)
        #expect(BootTime(boot: "a", seconds: 130).since(time) == .seconds(30))
        #expect(BootTime(boot: "a", seconds: 99).since(time) == nil)
        #expect(BootTime(boot: "b", seconds: 130).since(time) == nil)
        #expect(BootTime.now?.boot.utf8.count == 36)
    }

    @Test func `A damaged identifier, counter or time is ignored, counted and removed`() throws {
        let folder = try TemporaryFolder()
        let counters = [
            EncryptedCounter(address: "00:00:00:00:00:01", format: .bthome, value: 1),
            EncryptedCounter(address: "00:00:00:00:00:02", format: .bthome, value: 2),
        ]
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            for number in 0..<3 { try store.remember(identifier(number), keeping: .seconds(60)) }
            try store.save(counters)
            try store.append([Publication("a", "1")])
            try store.remove([1])
        }
        do {
            let connection = try SQLiteConnection(path: folder.path("a.db"))
            try connection.execute(
                """
                UPDATE command SET id = 'x' WHERE id = '1'; UPDATE counter SET value = value | 64 WHERE value = 2;
                UPDATE confirmation SET seconds = seconds + 1
                """)
        }
        for round in 0..<2 {
            let store = try SQLiteStore(path: folder.path("a.db"))
            #expect(store.usedIdentifiers == [identifier(0), identifier(2)])
            #expect(store.encryptedCounters == [counters[0]])
            #expect(store.sinceConfirmation == nil)
            #expect(store.summary.damaged == (round == 0 ? 3 : 0))
            #expect(store.takeNotices().count == (round == 0 ? 3 : 0))
        }
    }

    /// Overwrites the page of the closed store that contains a text.
    private func damage(_ folder: TemporaryFolder, pageOf text: String) throws {
        var content = try folder.read("a.db")
        let pattern = Array(text.utf8)
        let position = try #require(content.indices.first { content[$0...].starts(with: pattern) })
        let page = position / 4096 * 4096
        for index in page..<page + 4096 { content[index] = 0xA5 }
        try folder.write("a.db", content)
    }

    @Test func `A damaged file passes its identifiers and counters to the new one`() throws {
        let folder = try TemporaryFolder()
        let counters = [
            EncryptedCounter(
                address: "00:00:00:00:00:01", format: .bthome, value: 1, before: 9, isRestartForged: true),
            EncryptedCounter(address: "00:00:00:00:00:02", format: .bthome, value: 2),
        ]
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            for number in 0..<4 { try store.remember(identifier(number), keeping: .seconds(60)) }
            try store.save(counters)
            try store.append([Publication("a", "the page of messages")])
        }
        // Rows with a wrong checksum, or without one, are not copied.
        do {
            let connection = try SQLiteConnection(path: folder.path("a.db"))
            try connection.execute(
                """
                UPDATE command SET id = 'x' WHERE id = '1'; UPDATE command SET checksum = NULL WHERE id = '2';
                UPDATE counter SET value = 5 WHERE value = 2
                """)
        }
        try damage(folder, pageOf: "the page of messages")
        for round in 0..<2 {
            let store = try SQLiteStore(path: folder.path("a.db"))
            #expect((store.replacement != nil) == (round == 0))
            #expect(store.usedIdentifiers == [identifier(0), identifier(3)])
            #expect(store.encryptedCounters == [counters[0]])
        }
    }

    @Test func `A damaged page of identifiers loses only its own`() throws {
        let folder = try TemporaryFolder()
        let ids = (1000..<1400).map { "id-\($0)" }
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            for id in ids {
                try store.remember(UsedIdentifier(address: .strap, id: id, fingerprint: 7), keeping: .seconds(60))
            }
        }
        try damage(folder, pageOf: ids[200])
        let store = try SQLiteStore(path: folder.path("a.db"))
        #expect(store.replacement == nil)
        let found = store.usedIdentifiers.map(\.id)
        #expect(store.replacement != nil)
        #expect(found.count > 300 && found.first == ids.first && found.last == ids.last && !found.contains(ids[200]))
        #expect(found == found.sorted() && Set(found).isSubset(of: ids))
        store.close()
        #expect(try SQLiteStore(path: folder.path("a.db")).usedIdentifiers.map(\.id) == found)
    }

    @Test func `A store of version 3 keeps its identifiers, counters and time`() throws {
        let folder = try TemporaryFolder()
        let counter = EncryptedCounter(address: "00:00:00:00:00:01", format: .bthome, value: 7)
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.append([Publication("a", "1"), Publication("a", "2")])
            try store.remove([1])
            try store.remember(identifier(1), keeping: .seconds(60))
            try store.save([counter])
        }
        do { try SQLiteConnection(path: folder.path("a.db")).execute(Self.versionThree) }
        for _ in 0..<2 {
            let store = try SQLiteStore(path: folder.path("a.db"))
            #expect(store.usedIdentifiers.first == identifier(1) && store.encryptedCounters == [counter])
            #expect(store.sinceConfirmation != nil)
            #expect(try store.messages(after: 0, limit: 10).map(\.number) == [2])
            #expect(store.summary.damaged == 0 && store.takeNotices().isEmpty)
            try store.remember(identifier(2), keeping: .seconds(60))
        }
    }

    /// Removes what version 4 has added.
    private static let versionThree = """
        ALTER TABLE command DROP COLUMN checksum; ALTER TABLE command DROP COLUMN boot;
        ALTER TABLE command DROP COLUMN seconds; ALTER TABLE confirmation DROP COLUMN checksum;
        ALTER TABLE counter DROP COLUMN checksum; ALTER TABLE counter DROP COLUMN earlier;
        ALTER TABLE counter DROP COLUMN forged; ALTER TABLE counter DROP COLUMN key_check; PRAGMA user_version=3
        """

    @Test func `A store of version 1 is extended, and keeps its messages`() throws {
        let folder = try TemporaryFolder()
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.append([Publication("a", "1")])
        }
        do {
            let connection = try SQLiteConnection(path: folder.path("a.db"))
            try connection.execute(
                """
                DROP TABLE command; DROP TABLE confirmation; DROP TABLE counter; DROP INDEX message_priority;
                ALTER TABLE message DROP COLUMN priority; ALTER TABLE message DROP COLUMN checksum;
                ALTER TABLE store DROP COLUMN number; ALTER TABLE store DROP COLUMN checksum; PRAGMA user_version=1
                """)
        }
        let store = try SQLiteStore(path: folder.path("a.db"))
        #expect(try store.messages(after: 0, limit: 10).map(\.publication) == [Publication("a", "1")])
        try store.remember(identifier(1), keeping: .seconds(60))
        #expect(store.usedIdentifiers == [identifier(1)])
    }
}
