@testable import Gateway
import Testing

/// Flipped bytes in the rows of a store.
@Suite struct ChecksumTests {
    private let texts = (0..<300).map { "reading \(1000 + $0)" }

    /// A closed store whose file has the bytes after `old` replaced.
    private func store(_ folder: TemporaryFolder, replacing old: [String], with new: [String]) throws -> SQLiteStore {
        do { try SQLiteStore(path: folder.path("a.db")).append(texts.map { Publication("topic/a", $0) }) }
        var content = try folder.read("a.db")
        for (old, new) in zip(old, new) {
            let pattern = Array(old.utf8)
            let position = try #require(content.indices.first { content[$0...].starts(with: pattern) })
            content.replaceSubrange(position..<position + pattern.count, with: Array(new.utf8))
        }
        try folder.write("a.db", content)
        return try SQLiteStore(path: folder.path("a.db"))
    }

    @Test func `A message with a flipped byte is kept out, counted, reported and removed`() throws {
        let folder = try TemporaryFolder()
        let store = try store(
            folder, replacing: ["reading 1100", "reading 1101"], with: ["reading 1900", "reAding 1101"])
        let found = try store.messages(after: 0, limit: 200)
        #expect(found.count == 200 && !found.contains { $0.publication.text == "reading 1900" })
        let rest = try store.messages(after: found.last?.number ?? 0, limit: 200)
        #expect(found.count + rest.count == 298)
        #expect(store.summary.damaged == 2)
        #expect(store.takeNotices() == [.messagesDamaged(count: 2)])
        try store.remove([1])
        #expect(store.summary.count == 297)
        store.check()
        #expect(store.takeNotices().isEmpty && store.summary.damaged == 2)
    }

    @Test func `The check after the start finds damaged messages before they are read`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, replacing: ["topic/areading 1200"], with: ["topic/breading 1200"])
        store.check()
        #expect(store.summary.damaged == 1 && store.summary.count == 299)
        #expect(store.takeNotices() == [.messagesDamaged(count: 1)])
    }

    @Test func `Messages of version 2 have no checksums, and are delivered`() throws {
        let folder = try TemporaryFolder()
        let connection = try SQLiteConnection(path: folder.path("a.db"))
        try connection.execute(
            """
            PRAGMA application_id=0x424C4547;
            BEGIN IMMEDIATE;
            CREATE TABLE message(
                number INTEGER PRIMARY KEY AUTOINCREMENT, topic BLOB NOT NULL, payload BLOB NOT NULL,
                quality INTEGER NOT NULL, retained INTEGER NOT NULL, priority INTEGER NOT NULL DEFAULT 0);
            CREATE TABLE store(identity TEXT NOT NULL);
            CREATE INDEX message_priority ON message(priority);
            INSERT INTO store VALUES ('0123456789');
            INSERT INTO message VALUES (4, x'61', x'31', 1, 0, 0);
            PRAGMA user_version=2;
            COMMIT
            """)
        try connection.execute(MessageDatabase.stateTables)
        withExtendedLifetime(connection) {}
        try reopen(folder)
    }

    private func reopen(_ folder: TemporaryFolder) throws {
        for round in 0..<2 {
            let store = try SQLiteStore(path: folder.path("a.db"))
            store.check()
            #expect(store.identity == "0123456789" && store.takeNotices().isEmpty)
            try store.append([Publication("b", "\(round)")])
            #expect(try store.messages(after: 0, limit: 10).map(\.number).first == 4)
        }
    }

    @Test func `A damaged identity is replaced, and a lower number is not used again`() throws {
        let folder = try TemporaryFolder()
        let identity: String
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            identity = store.identity
            try store.append((0..<500).map { Publication("a", "\($0)") })
            try store.remove((1...500).map { Int64($0) })
        }
        do {
            let connection = try SQLiteConnection(path: folder.path("a.db"))
            try connection.execute("UPDATE sqlite_sequence SET seq = 3 WHERE name = 'message'")
        }
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.append([Publication("a", "1")])
            #expect(try store.messages(after: 0, limit: 1).first?.number ?? 0 > 500)
            #expect(store.identity == identity)
        }
        do { try SQLiteConnection(path: folder.path("a.db")).execute("UPDATE store SET identity = 'zzzzzzzzzz'") }
        let store = try SQLiteStore(path: folder.path("a.db"))
        #expect(store.identity != identity && store.identity != "zzzzzzzzzz")
        #expect(store.takeNotices().count == 1)
    }
}
