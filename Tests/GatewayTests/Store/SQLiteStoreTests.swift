import FoundationEssentials
@testable import Gateway
import Testing

@Suite struct SQLiteStoreTests {
    @Test func `Messages, numbers and the identity survive a restart`() throws {
        let folder = try TemporaryFolder()
        let identity: String
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            identity = store.identity
            try store.append([
                Publication("a", "1"), Publication("b/ä", "2", qualityOfService: 0, isRetained: true),
                Publication("c", ""),
            ])
            try store.update(appending: [Publication("d", "4")], removing: [1, 4, 99])
        }
        let store = try SQLiteStore(path: folder.path("a.db"))
        #expect(store.identity == identity)
        #expect(identity.count == 10)
        #expect(store.summary.count == 3)
        #expect(store.summary.bytes == 4 + 1 + 1 + 2)
        let messages = try store.messages(after: 0, limit: 10)
        #expect(messages.map(\.number) == [2, 3, 4])
        #expect(messages[0].publication == Publication("b/ä", "2", qualityOfService: 0, isRetained: true))

        try store.remove([2, 3, 4])
        try store.append([Publication("e", "5")])
        #expect(try store.messages(after: 0, limit: 10).map(\.number) == [5])
    }

    @Test func `Numbers are not used again after a restart with an empty store`() throws {
        let folder = try TemporaryFolder()
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.append([Publication("a", "1"), Publication("a", "2")])
            try store.remove([1, 2])
        }
        let store = try SQLiteStore(path: folder.path("a.db"))
        try store.append([Publication("a", "3")])
        #expect(try store.messages(after: 0, limit: 10).map(\.number) == [3])
    }

    @Test func `A full store drops the oldest messages and counts them`() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path("a.db"), maximumBytes: 1000)
        for first in stride(from: 0, to: 200, by: 20) {
            try store.append((first..<first + 20).map { Publication("topic", "\(10_000 + $0)") })
        }
        #expect(store.summary.dropped == 100)
        #expect(store.summary.bytes == 1000)
        #expect(try store.messages(after: 0, limit: 1).first?.publication.text == "10100")
    }

    @Test func `Only the owner can read the files`() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.db", [], mode: 0o644)
        let store = try SQLiteStore(path: folder.path("a.db"))
        try store.append([Publication("a", "1")])
        #expect(folder.names == ["a.db", "a.db-wal"])
        #expect(folder.names.allSatisfy { folder.mode($0) == 0o600 })
    }

    @Test func `A second user of the file is refused with advice`() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path("a.db"))
        try store.append([Publication("a", "1")])
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(path: folder.path("a.db")) }
        #expect(failure?.kind == .inaccessible)
        #expect(failure?.description.contains("give each gateway a file of its own") == true)
        #expect(folder.names == ["a.db", "a.db-wal"])
    }

    @Test func `A missing folder is reported with advice`() throws {
        let folder = try TemporaryFolder()
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(path: folder.path("no/a.db")) }
        #expect(failure?.description.hasSuffix("create its folder, and make it writable for this user") == true)
    }

    @Test func `A file with a damaged header is kept aside and replaced`() throws {
        let folder = try TemporaryFolder()
        let content = Array("SQLite format 3\0 and nothing that is a database, but long enough".utf8)
        try folder.write("a.db", content)
        let store = try SQLiteStore(path: folder.path("a.db"), now: { Date(timeIntervalSince1970: 1_700_000_000) })
        #expect(store.replacement?.description.contains("a.db.damaged-20231114T221320Z") == true)
        #expect(store.replacement?.isProblem == true)
        #expect(store.replacement?.description.contains("new ids begin with \(store.identity)") == true)
        #expect(try folder.read("a.db.damaged-20231114T221320Z.unread") == content)
        try store.append([Publication("a", "1")])
        #expect(store.summary.count == 1)
    }

    @Test(arguments: [0, 16, 100, 4096], [true, false])
    func `A store whose first page is damaged is kept aside`(count: Int, zeros: Bool) throws {
        let folder = try TemporaryFolder()
        do { try SQLiteStore(path: folder.path("a.db")).append([Publication("a", "1")]) }
        var content = try folder.read("a.db")
        // One changed byte of the header, or many.
        for index in 0..<max(1, count) { content[index] = zeros ? 0 : UInt8(truncatingIfNeeded: index &* 89 &+ 7) }
        try folder.write("a.db", content)
        let store = try SQLiteStore(path: folder.path("a.db"))
        #expect(store.replacement != nil)
        #expect(folder.names.contains { $0.hasPrefix("a.db.damaged-") })
    }

    /// The write version, the schema format, the text of the schema, the version of the tables, and erased flash.
    @Test(arguments: [
        [18: 3], [47: 9], [63: 0], [-1: 0x51], Dictionary(uniqueKeysWithValues: (0..<4096).map { ($0, 0xFF) }),
    ])
    func `A store that SQLite cannot use any more is kept aside`(damage: [Int: UInt8]) throws {
        let folder = try TemporaryFolder()
        do { try SQLiteStore(path: folder.path("a.db")).append([Publication("a", "1")]) }
        var content = try folder.read("a.db")
        let schema = try #require(content.indices.first { content[$0...].starts(with: "CREATE TABLE store".utf8) })
        for (index, byte) in damage { content[index < 0 ? schema : index] = byte }
        try folder.write("a.db", content)
        let store = try SQLiteStore(path: folder.path("a.db"))
        try store.append([Publication("b", "2")])
        #expect(try store.messages(after: 0, limit: 10).map(\.publication.text).last == "2")
        #expect(folder.names.contains { $0.hasPrefix("a.db.damaged-") })
    }

    @Test func `A store whose first page is damaged is kept aside if its log exists`() throws {
        let folder = try TemporaryFolder()
        let log: [UInt8]
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.append([Publication("a", "1")])
            log = try folder.read("a.db-wal")
        }
        try folder.write("a.db", [UInt8](repeating: 0xA5, count: 8192))
        try folder.write("a.db-wal", Array(log.prefix(16)))
        let store = try SQLiteStore(path: folder.path("a.db"))
        #expect(store.replacement != nil)
    }

    @Test func `An error in the middle of a transaction changes neither rows nor counts`() throws {
        let folder = try TemporaryFolder()
        // The last number is in use after one row, so that SQLite refuses the second one.
        let database = try MessageDatabase(path: folder.path("a.db"), numbersAfter: .max - 1) { "id" }
        #expect(throws: StoreFailure.self) {
            try database.update(
                appending: [Publication("a", "1"), Publication("a", "2")], removing: [], maximumBytes: 1_000)
        }
        #expect(database.count == 0 && database.bytes == 0)
        #expect(try database.messages(after: 0, limit: 10).isEmpty)
    }

    @Test(arguments: 0..<20)
    func `A damaged database is kept aside, or its messages are unchanged`(_ seed: Int) throws {
        let folder = try TemporaryFolder()
        let texts = (0..<500).map { "message \($0)" }
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.append(texts.map { Publication("a", $0) })
        }
        var content = try folder.read("a.db")
        let position = (seed * 1009 + 16) % content.count
        for offset in 0..<64 where position + offset < content.count { content[position + offset] ^= 0xFF }
        try folder.write("a.db", content)

        let store = try SQLiteStore(path: folder.path("a.db"))
        store.check()
        let found = try store.messages(after: 0, limit: 1000)
        // Each message is unchanged, or counted as damaged.
        #expect(Set(found.map(\.publication.text)).isSubset(of: texts))
        #expect(Set(found.map(\.publication.text)).count == found.count)
        if store.replacement == nil {
            #expect(found.count + store.summary.damaged == 500)
        } else {
            #expect(store.recovery?.count == found.count)
        }
        try store.append([Publication("b", "new")])
        #expect(try store.messages(after: 0, limit: 1000).last?.publication.text == "new")
    }

    @Test func `A database that is damaged while in use is replaced and its numbers go on`() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path("a.db"))
        let identity = store.identity
        for _ in 0..<30 { try store.append((0..<100).map { Publication("a", String(repeating: "\($0)", count: 800)) }) }
        let count = try folder.read("a.db").count
        try folder.write("a.db", [UInt8](repeating: 0xA5, count: count))
        _ = try store.messages(after: 0, limit: 3000)
        try store.append([Publication("b", "new")])

        #expect(store.takeNotices().count == 1)
        #expect(store.identity != identity)
        #expect(try store.messages(after: 3000, limit: 10).map(\.publication.text) == ["new"])
        #expect(folder.names.contains { $0.hasPrefix("a.db.damaged-") })
    }
}
