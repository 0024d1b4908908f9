import BluetoothValues
import FoundationEssentials
import RxBluetooth
import Testing

@testable import Gateway

/// A process that ends before a damaged store was copied.
@Suite struct InterruptedRecoveryTests {
    /// About 2 MB, so that the recovery needs several transactions.
    private let texts = (0..<2000).map { "\(10_000 + $0) " + String(repeating: "x", count: 900) }

    /// Makes a closed store with messages and a damaged page.
    private func makeDamagedStore(_ folder: TemporaryFolder, _ texts: [String]) throws {
        do { try SQLiteStore(path: folder.path("a.db")).append(texts.map { Publication("r/1", $0) }) }
        var content = try folder.read("a.db")
        let pattern = Array(texts[texts.count / 2].utf8.prefix(100))
        let position = try #require(
            content.indices.dropFirst(content.count / 4).first { content[$0...].starts(with: pattern) })
        let page = position / 4096 * 4096
        for index in page..<page + 4096 { content[index] = 0xA5 }
        try folder.write("a.db", content)
    }

    private func damagedFiles(_ folder: TemporaryFolder) -> [String] {
        folder.names.filter { $0.hasPrefix("a.db.damaged-") }
    }

    @Test func `A damaged file is read after the next start if the process ended before`() throws {
        let folder = try TemporaryFolder()
        let texts = (0..<200).map { "\(10_000 + $0)" + String(repeating: "x", count: 200) }
        try makeDamagedStore(folder, texts)
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            #expect(store.replacement != nil && store.summary.count == 0)
        }
        #expect(damagedFiles(folder).map { $0.hasSuffix(".unread") } == [true])
        let store = try SQLiteStore(path: folder.path("a.db"))
        #expect(store.replacement == nil)
        store.check()
        #expect(store.summary.count > 150 && store.summary.count == store.recovery?.count)
        #expect(damagedFiles(folder).map { $0.hasSuffix(".unread") } == [false])
        store.check()
        #expect(damagedFiles(folder).count == 1)
    }

    @Test func `A recovery that a full disk interrupts continues after the next start`() throws {
        let folder = try TemporaryFolder()
        try makeDamagedStore(folder, texts)
        do {
            let store = try SQLiteStore(path: folder.path("a.db")) { (path) throws(StoreFailure) -> SQLiteConnection in
                let connection = try SQLiteConnection(path: path)
                // 1.6 MB.
                try connection.execute("PRAGMA max_page_count=400")
                return connection
            }
            store.check()
            #expect(store.summary.count > 0 && store.summary.count < 1500, "\(store.summary.count)")
            #expect(store.recovery == nil)
            let notice = try #require(store.notices.last)
            #expect(notice == .recoveryInterrupted(count: store.summary.count) && notice.isProblem)
        }
        #expect(damagedFiles(folder).map { $0.hasSuffix(".unread") } == [true])
        let store = try SQLiteStore(path: folder.path("a.db"))
        store.check()
        let found = try store.messages(after: 0, limit: 3000).map(\.publication.text)
        #expect(found.count > 1900 && found.count < 2000 && Set(found).count == found.count, "\(found.count)")
        #expect(Set(found).isSubset(of: texts) && store.recovery?.count == found.count)
        #expect(damagedFiles(folder).map { $0.hasSuffix(".unread") } == [false])
    }

    @Test func `Older counters of a damaged file do not replace newer ones after the next start`() throws {
        let folder = try TemporaryFolder()
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            try store.save([EncryptedCounter(address: "00:00:00:00:00:01", format: .bthome, value: 5)])
        }
        try makeDamagedStore(folder, (0..<200).map { "\(10_000 + $0)" + String(repeating: "x", count: 200) })
        let newer = EncryptedCounter(address: "00:00:00:00:00:01", format: .bthome, value: 6)
        do {
            let store = try SQLiteStore(path: folder.path("a.db"))
            #expect(store.encryptedCounters.map(\.value) == [5])
            try store.save([newer])
        }
        #expect(try SQLiteStore(path: folder.path("a.db")).encryptedCounters == [newer])
    }

    /// The first name of a damaged file at the time of these tests.
    private static let name = "a.db.damaged-20231114T221320Z"

    private func open(_ folder: TemporaryFolder) throws -> SQLiteStore {
        try SQLiteStore(path: folder.path("a.db"), now: { Date(timeIntervalSince1970: 1_700_000_000) })
    }

    private func counter(_ value: UInt32) -> EncryptedCounter {
        EncryptedCounter(address: "00:00:00:00:00:01", format: .bthome, value: value)
    }

    private func recoveredFiles(_ folder: TemporaryFolder) throws -> [String] {
        try MessageDatabase(path: folder.path("a.db"), numbersAfter: 0) { "id" }.recoveries().keys.sorted()
    }

    @Test(arguments: ["renaming fails", "the new name is lost"])
    func `A damaged file that was read, and has its old name, is not copied again`(cause: String) throws {
        let folder = try TemporaryFolder()
        let unread = folder.path(Self.name + ".unread")
        do { try open(folder).save([counter(5)]) }
        try makeDamagedStore(folder, (0..<200).map { "\(10_000 + $0)" + String(repeating: "x", count: 200) })
        let count: Int
        do {
            let store = try open(folder)
            // A file cannot replace a folder.
            let isBlocked = cause == "renaming fails"
            if isBlocked {
                try FileManager.default.createDirectory(
                    atPath: folder.path(Self.name), withIntermediateDirectories: false)
            }
            store.check()
            count = store.summary.count
            #expect(count > 150 && store.encryptedCounters == [counter(5)])
            try store.save([counter(6)])
            if isBlocked {
                try FileManager.default.removeItem(atPath: folder.path(Self.name))
            } else {
                try FileManager.default.moveItem(atPath: folder.path(Self.name), toPath: unread)
            }
        }
        #expect(damagedFiles(folder) == [Self.name + ".unread"])
        do {
            let store = try open(folder)
            store.check()
            #expect(store.summary.count == count && store.encryptedCounters == [counter(6)])
        }
        #expect(damagedFiles(folder) == [Self.name])
        // The next opening forgets the file.
        #expect(try recoveredFiles(folder) == [Self.name])
        do { _ = try open(folder) }
        #expect(try recoveredFiles(folder) == [])
    }

    @Test func `A recovery that is interrupted by damage of the new file copies nothing twice`() throws {
        let folder = try TemporaryFolder()
        let identifier = UsedIdentifier(address: .strap, id: "1", fingerprint: 7)
        do {
            let store = try open(folder)
            try store.save([counter(5)])
            try store.remember(identifier, keeping: .seconds(60))
        }
        try makeDamagedStore(folder, texts)
        do {
            let store = try SQLiteStore(path: folder.path("a.db")) { (path) throws(StoreFailure) -> SQLiteConnection in
                let connection = try SQLiteConnection(path: path)
                // 1.6 MB.
                try connection.execute("PRAGMA max_page_count=400")
                return connection
            }
            store.check()
            #expect(store.summary.count > 0 && store.summary.count < 1500)
            try store.save([counter(6)])
        }
        // The new file is damaged, too, and set aside when it is opened.
        var content = try folder.read("a.db")
        let pattern = Array(texts[200].utf8.prefix(100))
        let position = try #require(content.indices.first { content[$0...].starts(with: pattern) })
        for index in position / 4096 * 4096..<position / 4096 * 4096 + 4096 { content[index] = 0xA5 }
        try folder.write("a.db", content)
        let store = try open(folder)
        #expect(store.replacement != nil && damagedFiles(folder).filter { $0.hasSuffix(".unread") }.count == 2)
        #expect(store.usedIdentifiers == [identifier] && store.encryptedCounters == [counter(6)])
        store.check()
        let found = try store.messages(after: 0, limit: 4000).map(\.publication.text)
        #expect(found.count > 1500 && Set(found).count == found.count && Set(found).isSubset(of: texts))
        #expect(damagedFiles(folder).allSatisfy { !$0.hasSuffix(".unread") })
    }

    @Test func `The higher position of a recovery is kept, and so is a newer counter`() throws {
        let folder = try TemporaryFolder()
        do {
            let old = try MessageDatabase(path: folder.path("old.db"), numbersAfter: 0) { "id" }
            try old.save([counter(5)])
            for (file, position) in [("x", 7), ("y", 7), ("z", 0)] as [(String, Int64)] {
                try old.store(RecoveryProgress(position: position, count: 1), of: file)
            }
        }
        let new = try MessageDatabase(path: folder.path("new.db"), numbersAfter: 0) { "id" }
        try new.save([counter(6)])
        try new.store(RecoveryProgress(position: 9, count: 2), of: "x")
        try new.store(RecoveryProgress(position: 5, count: 3), of: "y")
        try new.add(try KeptState(path: folder.path("old.db")), of: "old")
        let positions = try new.recoveries().mapValues(\.position)
        #expect(positions == ["x": 9, "y": 7, "z": 0, "old": 0])
        #expect(try new.encryptedCounters() == [counter(6)])
    }

    @Test func `A damaged file that cannot be opened is read after a later start`() throws {
        let folder = try TemporaryFolder()
        let identifier = UsedIdentifier(address: .strap, id: "1", fingerprint: 7)
        do {
            let store = try open(folder)
            try store.save([counter(5)])
            try store.remember(identifier, keeping: .seconds(60))
            try store.append(texts.prefix(200).map { Publication("r/1", $0) })
        }
        // As after a process that ended before it copied anything. A link is not opened.
        let unread = folder.path(Self.name + ".unread")
        try FileManager.default.moveItem(atPath: folder.path("a.db"), toPath: folder.path("b.db"))
        try FileManager.default.createSymbolicLink(atPath: unread, withDestinationPath: "b.db")
        do {
            let store = try open(folder)
            store.check()
            #expect(store.takeNotices() == [.recoveryInterrupted(count: 0)])
            #expect(store.summary.count == 0 && store.usedIdentifiers.isEmpty && store.encryptedCounters.isEmpty)
            try store.save([counter(6)])
        }
        #expect(damagedFiles(folder) == [Self.name + ".unread"])
        try FileManager.default.removeItem(atPath: unread)
        try FileManager.default.moveItem(atPath: folder.path("b.db"), toPath: unread)
        let store = try open(folder)
        #expect(store.usedIdentifiers == [identifier] && store.encryptedCounters == [counter(6)])
        store.check()
        #expect(store.summary.count == 200 && store.recovery?.count == 200)
        #expect(damagedFiles(folder) == [Self.name])
    }

    @Test func `An older damaged file waits for a newer one, which may contain parts of it`() throws {
        let folder = try TemporaryFolder()
        do { try open(folder).append([Publication("r/1", "1")]) }
        let unread = [Self.name + ".unread", Self.name + "-2.unread"]
        try FileManager.default.moveItem(atPath: folder.path("a.db"), toPath: folder.path(unread[0]))
        try FileManager.default.createSymbolicLink(atPath: folder.path(unread[1]), withDestinationPath: "b.db")
        do {
            let store = try open(folder)
            store.check()
            #expect(store.summary.count == 0 && Set(damagedFiles(folder)) == Set(unread))
        }
        try FileManager.default.removeItem(atPath: folder.path(unread[1]))
        let store = try open(folder)
        store.check()
        #expect(store.summary.count == 1 && damagedFiles(folder) == [Self.name])
    }

    @Test func `The newest three damaged files stay, and those of a user`() throws {
        let folder = try TemporaryFolder()
        let own = ["a.db.damaged-copy", "a.db.damaged-20231114T221320Z.bak", "b.db.damaged-20231114T221320Z"]
        for name in own { try folder.write(name, [1]) }
        var seconds = 1_700_000_000.0
        for round in 0..<6 {
            try makeDamagedStore(folder, (0..<200).map { "\(10_000 + $0)" + String(repeating: "x", count: 200) })
            seconds += round == 3 ? 0 : 1
            let time = Date(timeIntervalSince1970: seconds)
            let store = try SQLiteStore(path: folder.path("a.db"), now: { time })
            store.check()
            store.close()
            try FileManager.default.removeItem(atPath: folder.path("a.db"))
        }
        let names = damagedFiles(folder).filter { !own.contains($0) }
        let stamps = ["20231114T221323Z-4", "20231114T221324Z-5", "20231114T221325Z-6"]
        #expect(names == stamps.map { "a.db.damaged-" + $0 })
        #expect(own.allSatisfy { folder.names.contains($0) })
    }
}
