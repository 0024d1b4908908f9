import Testing

@testable import Gateway

/// What is recovered from a damaged file.
@Suite struct KeptStoreTests {
    private static let pageSize = 4096
    private let texts = (0..<2000).map { #"{"n":\#(10_000 + $0)}"# }

    /// Makes a closed store with 2,000 messages, of which each tenth has low priority.
    private func makeStore(_ folder: TemporaryFolder) throws -> [UInt8] {
        let store = try SQLiteStore(path: folder.path("a.db"))
        try store.append(
            texts.enumerated().map { index, text in
                var publication = Publication("r/1", text)
                publication.priority = index % 10 == 9 ? .low : .normal
                return publication
            })
        store.close()
        return try folder.read("a.db")
    }

    /// Overwrites the pages that contain these texts.
    private func damage(_ content: inout [UInt8], pagesOf texts: [String]) throws {
        for text in texts {
            let pattern = Array(text.utf8)
            let position = try #require(content.indices.first { content[$0...].starts(with: pattern) })
            let page = position / Self.pageSize * Self.pageSize
            for index in page..<page + Self.pageSize { content[index] = 0xA5 }
        }
    }

    private func name(ofKept folder: TemporaryFolder) throws -> String {
        try #require(folder.names.first { $0.hasPrefix("a.db.damaged-") })
    }

    @Test func `A damaged page in the middle loses only its messages`() throws {
        let folder = try TemporaryFolder()
        var content = try makeStore(folder)
        try damage(&content, pagesOf: [texts[1000]])
        try folder.write("a.db", content)
        let store = try SQLiteStore(path: folder.path("a.db"))
        #expect(store.replacement != nil && store.summary.count == 0)
        store.check()
        let normal = try store.messages(after: 0, limit: 3000)
        let low = try store.messages(after: 0, limit: 3000, priority: .low)
        let recovery = try #require(store.recovery)
        #expect(normal.count + low.count == recovery.count && recovery.count > 1800 && recovery.count < 2000)
        #expect(recovery.lost == 2000 - recovery.count && store.summary.damaged == recovery.lost)
        #expect(low.count > 170)
        for messages in [normal, low] {
            let found = messages.map(\.publication.text)
            #expect(found == found.sorted() && Set(found).isSubset(of: texts) && Set(found).count == found.count)
        }
        #expect(normal.first?.publication.text == texts[0] && low.last?.publication.text == texts[1999])
        let notice = try #require(store.takeNotices().last)
        #expect(notice.isProblem && notice.description.hasPrefix("\(recovery.count) readings of the damaged store"))
        // The old file is as it was.
        #expect(try folder.read(name(ofKept: folder)) == content)
        store.check()
        #expect(store.takeNotices().isEmpty && store.summary.count == recovery.count)
    }

    @Test func `Between two damaged pages, messages are lost and counted`() throws {
        let folder = try TemporaryFolder()
        var content = try makeStore(folder)
        try damage(&content, pagesOf: [texts[500], texts[1500]])
        try folder.write("a.db", content)
        let store = try SQLiteStore(path: folder.path("a.db"))
        store.check()
        let recovery = try #require(store.recovery)
        #expect((500..<1100).contains(recovery.count) && recovery.lost == 2000 - recovery.count)
    }

    @Test func `A single changed message of a replaced file is not copied`() throws {
        let folder = try TemporaryFolder()
        var content = try makeStore(folder)
        try damage(&content, pagesOf: [texts[1000]])
        let pattern = Array(texts[1700].utf8)
        let position = try #require(content.indices.first { content[$0...].starts(with: pattern) })
        content[position + 7] ^= 1
        try folder.write("a.db", content)
        let store = try SQLiteStore(path: folder.path("a.db"))
        store.check()
        let found = Set(try store.messages(after: 0, limit: 3000).map(\.publication.text))
        #expect(found.isSubset(of: texts) && !found.contains(texts[1700]) && found.contains(texts[1701]))
    }

    @Test func `The size of the new store is bounded, and its oldest messages are removed`() throws {
        let folder = try TemporaryFolder()
        var content = try makeStore(folder)
        try damage(&content, pagesOf: [texts[1000]])
        try folder.write("a.db", content)
        let store = try SQLiteStore(path: folder.path("a.db"), maximumBytes: 1500)
        store.check()
        #expect(store.summary.bytes <= 1500 && store.summary.count == 1500 / 14 && store.summary.dropped > 1700)
        #expect(try store.messages(after: 0, limit: 200).last?.publication.text == texts[1998])
    }

    @Test(arguments: ["garbage", "header", "schema", "half"]) func `A file that cannot be read recovers what it can`(
        damage: String
    ) throws {
        let folder = try TemporaryFolder()
        var content = try makeStore(folder)
        switch damage {
        case "garbage": content = content.indices.map { UInt8(truncatingIfNeeded: $0 &* 89 &+ 7) }
        case "header": content[3] = 0
        case "schema": for index in 100..<3000 { content[index] = 0x7F }
        default: content.removeLast(content.count / 2 / Self.pageSize * Self.pageSize)
        }
        try folder.write("a.db", content)
        let store = try SQLiteStore(path: folder.path("a.db"))
        store.check()
        let recovery = try #require(store.recovery)
        #expect(damage == "half" || recovery.count == 0)
        #expect(recovery.lost != 0 && store.summary.damaged > 0)
        #expect(try folder.read(name(ofKept: folder)) == content)
        try store.append([Publication("r/1", "new")])
        let found = try store.messages(after: 0, limit: 3000)
        #expect(found.last?.publication.text == "new" && store.summary.count == recovery.count + 1)
    }

    @Test func `Messages without checksums of an earlier version are recovered`() throws {
        let folder = try TemporaryFolder()
        _ = try makeStore(folder)
        do {
            let connection = try SQLiteConnection(path: folder.path("a.db"))
            try connection.execute("ALTER TABLE message DROP COLUMN checksum; PRAGMA user_version=2")
        }
        var content = try folder.read("a.db")
        try damage(&content, pagesOf: [texts[1000]])
        try folder.write("a.db", content)
        let reader = try #require(try KeptStore(path: folder.path("a.db")))
        var found: [String] = []
        var sizes: [Int] = []
        while true {
            let messages = reader.next()
            if messages.isEmpty { break }
            found += messages.map(\.text)
            sizes.append(messages.count)
        }
        #expect(found.count > 1700 && found == found.sorted() && Set(found).isSubset(of: texts))
        #expect(reader.hasUnreadableParts && sizes.allSatisfy { $0 <= KeptStore.batchSize })
    }

    @Test func `Messages are collected up to a size, and each is returned once`() throws {
        let folder = try TemporaryFolder()
        _ = try makeStore(folder)
        let reader = try #require(try KeptStore(path: folder.path("a.db")))
        var found: [String] = []
        var sizes: [Int] = []
        // A message has 14 bytes with its topic. The size is reached in the second batch.
        while true {
            let messages = reader.next(upTo: 14 * 300)
            if messages.isEmpty { break }
            found += messages.map(\.text)
            sizes.append(messages.count)
        }
        #expect(found == texts)
        #expect(sizes.dropLast().allSatisfy { $0 == 2 * KeptStore.batchSize } && sizes.count == 4)
        #expect(reader.next(upTo: 1 << 20).isEmpty)
        let whole = try #require(try KeptStore(path: folder.path("a.db")))
        #expect(whole.next(upTo: 1 << 20).map(\.text) == texts)
    }

    @Test func `A file that cannot be opened is not taken for a damaged one`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path("missing.db")
        let failure = #expect(throws: StoreFailure.self) { _ = try KeptStore(path: missing) }
        #expect(failure?.kind == .inaccessible)
        #expect(throws: StoreFailure.self) { _ = try KeptState(path: missing) }
        let contents: [[UInt8]] = [[], [UInt8](repeating: 0xA5, count: 100), Array("SQLite format 3\0".utf8)]
        for content in contents {
            try folder.write("a.db", content)
            let reader = try KeptStore(path: folder.path("a.db"))
            #expect(reader == nil)
            #expect(try KeptState(path: folder.path("a.db")).identifiers.isEmpty)
        }
    }

    @Test func `After the highest number, a file has no further messages`() throws {
        let folder = try TemporaryFolder()
        _ = try makeStore(folder)
        let progress = RecoveryProgress(position: .max, count: 7)
        let reader = try #require(try KeptStore(path: folder.path("a.db"), after: progress))
        #expect(reader.next().isEmpty && reader.next(upTo: 1 << 20).isEmpty)
        #expect(reader.progress(count: 7) == progress)
    }

    @Test func `Damaged numbers in the progress of a recovery are bounded`() throws {
        let folder = try TemporaryFolder()
        let database = try MessageDatabase(path: folder.path("a.db"), numbersAfter: 0) { "id" }
        try database.store(RecoveryProgress(position: .max, count: .max, damaged: .min), of: "x")
        let bound = Int(UInt32.max)
        #expect(try database.recovery(of: "x") == RecoveryProgress(position: .max, count: bound, damaged: 0))
        #expect(try database.recovery(of: "y") == nil)
    }

    @Test func `The messages of a damaged store are delivered before new ones`() throws {
        let folder = try TemporaryFolder()
        var content = try makeStore(folder)
        try damage(&content, pagesOf: [texts[1000]])
        try folder.write("a.db", content)
        let (time, disk) = (VirtualLoop(), VirtualLoop())
        let server = SimulatedBrokerServer(loop: time.loop)
        let subscriber = server.subscribe(to: "r/#")
        let client = BrokerClient(gateway: "attic", availability: "home/attic/LWT", settings: BrokerSettings())
        let store = try SQLiteStore(path: folder.path("a.db"))
        let delivery = MessageDelivery(
            broker: server.client(client), client: client, availability: "home/attic/LWT", store: store, seed: 1,
            loop: time.loop, storeLoop: disk.loop)
        var notices: [DeliveryNotice] = []
        delivery.onNotice = { notices.append($0) }
        delivery.start()
        // The store is empty when the broker accepts the connection.
        time.advance(by: .seconds(2))
        delivery.store(Publication("r/1", #"{"n":20000}"#))
        for _ in 0..<400 {
            disk.advance(by: .milliseconds(50))
            time.advance(by: .milliseconds(50))
        }
        let delivered = subscriber.deliveries.map(\.text)
        #expect(delivered.count > 1800)
        // Each number that ends with 9 has low priority.
        let normal = delivered.filter { !$0.hasSuffix("9}") }
        #expect(normal.last?.hasSuffix(#""n":20000}"#) == true)
        #expect(Set(delivered.map(messageId(of:))).count == delivered.count)
        #expect(notices.contains { if case .messagesRecovered = $0 { true } else { false } })
    }
}
