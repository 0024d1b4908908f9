import FoundationEssentials
@testable import Gateway
import Testing

/// Which files a store opens, and what it does to others.
@Suite struct StoreFileTests {
    @Test func `A store is opened in a folder that is a symbolic link`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("private"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.path("state"), withDestinationPath: "private")
        do {
            let store = try SQLiteStore(path: folder.path("state/a.db"))
            try store.append([Publication("a", "1")])
        }
        let store = try SQLiteStore(path: folder.path("state/a.db"))
        #expect(try store.messages(after: 0, limit: 10).map(\.publication.text) == ["1"])
        #expect(folder.mode("private/a.db") == 0o600)
    }

    @Test(arguments: [true, false])
    func `A file that is a symbolic link is refused, and its target is unchanged`(exists: Bool) throws {
        let folder = try TemporaryFolder()
        if exists { try folder.write("other", Array("other".utf8), mode: 0o644) }
        try FileManager.default.createSymbolicLink(atPath: folder.path("a.db"), withDestinationPath: "other")
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(path: folder.path("a.db")) }
        #expect(failure?.kind == .inaccessible)
        #expect(failure?.description.hasSuffix("a.db is a symbolic link; name the file itself") == true)
        if exists {
            #expect(folder.mode("other") == 0o644)
            #expect(try folder.read("other") == Array("other".utf8))
        }
        #expect(folder.names == (exists ? ["a.db", "other"] : ["a.db"]))
    }

    @Test(arguments: [
        "CREATE TABLE photo(name TEXT)", "PRAGMA user_version=1; CREATE TABLE photo(name TEXT)",
        "PRAGMA user_version=7; CREATE TABLE photo(name TEXT)", "PRAGMA application_id=77",
        "CREATE TABLE message(a); CREATE TABLE store(b); PRAGMA user_version=1",
    ])
    func `A database of another program is refused and not changed`(sql: String) throws {
        let folder = try TemporaryFolder()
        do { try SQLiteConnection(path: folder.path("a.db")).execute(sql) }
        let content = try folder.read("a.db")
        try folder.write("a.db", content, mode: 0o644)
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(path: folder.path("a.db")) }
        #expect(failure?.kind == .inaccessible)
        #expect(failure?.description.hasSuffix("is a database of another program; name another file") == true)
        #expect(try folder.read("a.db") == content)
        #expect(folder.mode("a.db") == 0o644)
        #expect(folder.names == ["a.db"])
    }

    @Test(arguments: [
        Array("broker: { host: localhost }\n".utf8), [0x0A], [UInt8](repeating: 0x53, count: 50_000),
        [UInt8](repeating: 0x53, count: 8192), Array("SQLite format 2\0".utf8) + [UInt8](repeating: 0, count: 4000),
    ])
    func `A file that is no database is refused and not changed`(content: [UInt8]) throws {
        let folder = try TemporaryFolder()
        try folder.write("a.db", content, mode: 0o644)
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(path: folder.path("a.db")) }
        #expect(failure?.kind == .inaccessible)
        #expect(failure?.description.hasSuffix("a.db is not a store of the gateway; name another file") == true)
        #expect(try folder.read("a.db") == content)
        #expect(folder.mode("a.db") == 0o644)
        #expect(folder.names == ["a.db"])
    }

    @Test(arguments: ["half", "zeros", "reserved byte"])
    func `A damaged database of another program is refused and not changed`(damage: String) throws {
        let folder = try TemporaryFolder()
        do {
            try SQLiteConnection(path: folder.path("a.db")).execute(
                """
                PRAGMA application_id=0x12345678; CREATE TABLE photo(name TEXT);
                INSERT INTO photo SELECT hex(randomblob(500)) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8))
                """)
        }
        var content = try folder.read("a.db")
        switch damage {
        case "half": content.removeLast(content.count / 2)
        case "zeros": for index in 100..<3_100 { content[index] = 0 }
        default: content[20] = 0x33
        }
        try folder.write("a.db", content)
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(path: folder.path("a.db")) }
        #expect(failure?.kind == .inaccessible)
        #expect(try folder.read("a.db") == content)
        #expect(folder.names == ["a.db"])
    }

    @Test func `A pipe is refused, and its mode stays`() throws {
        let folder = try TemporaryFolder()
        #expect(try MosquittoProcess.run("/usr/bin/mkfifo", ["--mode=644", folder.path("a.db")]) == 0)
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(path: folder.path("a.db")) }
        #expect(failure?.description.hasSuffix("a.db is not a store of the gateway; name another file") == true)
        #expect(folder.mode("a.db") == 0o644)
    }

    @Test func `A store of a newer version is refused with advice`() throws {
        let folder = try TemporaryFolder()
        do { _ = try SQLiteStore(path: folder.path("a.db")) }
        do { try SQLiteConnection(path: folder.path("a.db")).execute("PRAGMA user_version=99") }
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(path: folder.path("a.db")) }
        #expect(failure?.description.contains("was written by a newer version of the gateway") == true)
    }

    @Test func `An empty file with a log of readings is kept aside with its log`() throws {
        let folder = try TemporaryFolder()
        let log: [UInt8]
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.append([Publication("a", "1")])
            log = try folder.read("a.db-wal")
        }
        try folder.write("a.db", [])
        try folder.write("a.db-wal", log)
        let store = try SQLiteStore(path: folder.path("a.db"), now: { Date(timeIntervalSince1970: 1_700_000_000) })
        #expect(store.replacement?.description.contains("it is empty, but its log is not") == true)
        #expect(try folder.read("a.db.damaged-20231114T221320Z.unread-wal") == log)
        try store.append([Publication("b", "2")])
        #expect(try store.messages(after: 0, limit: 10).map(\.publication.text) == ["2"])
    }

    @Test func `A store on a full disk is created when there is room`() throws {
        let folder = try TemporaryFolder()
        var isFull = true
        let store = try SQLiteStore(path: folder.path("a.db")) { (path) throws(StoreFailure) -> SQLiteConnection in
            if isFull { throw StoreFailure(.full, "the disk is full") }
            return try SQLiteConnection(path: path)
        }
        #expect(!store.identity.isEmpty)
        let failure = #expect(throws: StoreFailure.self) { try store.append([Publication("a", "1")]) }
        #expect(failure?.kind == .full)
        #expect(throws: StoreFailure.self) { try store.messages(after: 0, limit: 10) }
        isFull = false
        try store.append([Publication("a", "2")])
        #expect(try store.messages(after: 0, limit: 10).map(\.publication.text) == ["2"])
        let identity = store.identity
        #expect(identity.count == 10)
    }

    @Test func `A damaged store on a full disk is kept aside, and created when there is room`() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.db", Array("SQLite format 3\0 and nothing that is a database".utf8))
        var attempts = 0
        let store = try SQLiteStore(path: folder.path("a.db")) { (path) throws(StoreFailure) -> SQLiteConnection in
            attempts += 1
            if attempts == 2 { throw StoreFailure(.full, "the disk is full") }
            return try SQLiteConnection(path: path)
        }
        #expect(store.replacement != nil)
        try store.append([Publication("a", "1")])
        #expect(store.summary.count == 1)
    }
}
