import Testing

@testable import Gateway

@Suite struct MessageSchemaTests {
    /// A file as version 1 wrote it, with two messages and one that was removed.
    private func makeFirstVersion(_ path: String) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute(
            """
            PRAGMA application_id=0x424C4547;
            BEGIN IMMEDIATE;
            CREATE TABLE message(
                number INTEGER PRIMARY KEY AUTOINCREMENT, topic BLOB NOT NULL, payload BLOB NOT NULL,
                quality INTEGER NOT NULL, retained INTEGER NOT NULL);
            CREATE TABLE store(identity TEXT NOT NULL);
            INSERT INTO store VALUES ('0123456789');
            INSERT INTO message VALUES (4, x'61', x'31', 1, 0), (7, x'62', x'32', 0, 1), (9, x'63', x'33', 1, 0);
            DELETE FROM message WHERE number = 9;
            PRAGMA user_version=1;
            COMMIT
            """)
    }

    @Test func `A store of an earlier version keeps its messages, numbers and identity`() throws {
        let folder = try TemporaryFolder()
        try makeFirstVersion(folder.path("a.db"))
        for round in 0..<2 {
            let store = try SQLiteStore(path: folder.path("a.db"))
            #expect(store.replacement == nil && store.identity == "0123456789")
            let messages = try store.messages(after: 0, limit: 10)
            #expect(messages.prefix(2).map(\.number) == [4, 7])
            #expect(messages[1].publication == Publication("b", "2", qualityOfService: 0, isRetained: true))
            try store.append([Publication("d", "\(round)")])
            #expect(try store.messages(after: 7, limit: 10).map(\.number).last == Int64(10 + round))
        }
    }

    @Test(arguments: [false, true]) func `Each priority is read in the order of its numbers`(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        let store: any PublicationStore =
            isFile ? try SQLiteStore(path: folder.path("a.db")) : SimulatedStore(identity: "s")
        var low = Publication("low", "1")
        low.priority = .low
        try store.append([low, Publication("normal", "2"), low, Publication("normal", "4"), low])
        try store.update(appending: [], removing: [3])
        #expect(try store.messages(after: 0, limit: 10).map(\.number) == [2, 4])
        #expect(try store.messages(after: 2, limit: 10).map(\.number) == [4])
        #expect(try store.messages(after: 0, limit: 10, priority: .low).map(\.number) == [1, 5])
        #expect(try store.messages(after: 1, limit: 10, priority: .low).first?.publication == low)
    }

    @Test(arguments: [false, true]) func `A full store removes low priority first, the oldest first`(isFile: Bool)
        throws
    {
        let folder = try TemporaryFolder()
        let store: any PublicationStore =
            isFile
            ? try SQLiteStore(path: folder.path("a.db"), maximumBytes: 100)
            : SimulatedStore(identity: "s", maximumBytes: 100)
        for number in 10..<30 {
            var low = Publication("low", "\(number)")
            low.priority = .low
            try store.append([Publication("nor", "\(number)"), low])
        }
        #expect(try store.messages(after: 0, limit: 50).map(\.publication.text) == (10..<30).map { "\($0)" })
        #expect(store.summary.dropped == 20 && store.summary.droppedLow == 20 && store.summary.bytes == 100)
        try store.append([Publication("nor", "99")])
        #expect(try store.messages(after: 0, limit: 1).first?.publication.text == "11")
        #expect(store.summary.dropped == 21 && store.summary.droppedLow == 20)
    }
}
