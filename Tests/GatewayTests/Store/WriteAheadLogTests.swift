import Glibc
import Testing

@testable import Gateway

/// Damage in the log of a store, which SQLite does not report.
@Suite struct WriteAheadLogTests {
    /// Makes a store that was not closed, and returns the path of a copy of its files.
    private func unclosedStore(_ folder: TemporaryFolder, transactions: Int) throws -> (log: [UInt8], file: [UInt8]) {
        let store = try SQLiteStore(path: folder.path("a.db"))
        for number in 0..<transactions {
            try store.append(
                (0..<10).map { Publication("topic", "\(number) \($0) " + String(repeating: "x", count: 90)) })
        }
        return try withExtendedLifetime(store) { (try folder.read("a.db-wal"), try folder.read("a.db")) }
    }

    private func opened(_ folder: TemporaryFolder, _ log: [UInt8], _ file: [UInt8]) throws -> SQLiteStore {
        try folder.write("b.db", file, mode: 0o600)
        try folder.write("b.db-wal", log, mode: 0o600)
        return try SQLiteStore(path: folder.path("b.db"))
    }

    @Test func `An intact log loses nothing, and the next numbers are new`() throws {
        let folder = try TemporaryFolder()
        let (log, file) = try unclosedStore(folder, transactions: 20)
        #expect(WriteAheadLog(log).damage == nil)
        let store = try opened(folder, log, file)
        #expect(store.damage == nil && store.summary.count == 200)
        try store.append([Publication("a", "1")])
        let last = try #require(try store.messages(after: 200, limit: 10).first)
        // Whatever was lost at the end of the log, its numbers are not used again.
        #expect(last.number > 1 << 20)
    }

    @Test func `A flipped byte anywhere is reported, and what precedes it is kept`() throws {
        let folder = try TemporaryFolder()
        let (log, file) = try unclosedStore(folder, transactions: 20)
        for position in stride(from: 0, to: log.count, by: max(1, log.count / 40)) {
            var damaged = log
            damaged[position] ^= 0x10
            #expect(WriteAheadLog(damaged).damage != nil, "byte \(position) of \(log.count)")
        }
        var damaged = log
        damaged[log.count * 3 / 4] ^= 1
        let store = try opened(folder, damaged, file)
        let notice = try #require(store.damage)
        #expect(notice.isProblem && notice.description.contains("may be lost"), "\(notice)")
        #expect((50..<200).contains(store.summary.count))
        #expect(store.summary.damaged == 1)
        try store.append([Publication("a", "1")])
        #expect(try store.messages(after: 200, limit: 10).first?.number ?? 0 > 1 << 20)
    }

    @Test func `Every cut of the log is that of an interrupted write`() throws {
        let folder = try TemporaryFolder()
        let (log, _) = try unclosedStore(folder, transactions: 3)
        for length in stride(from: 0, through: log.count, by: 97) {
            #expect(WriteAheadLog(Array(log[..<length])).damage == nil, "\(length) of \(log.count)")
        }
        #expect(WriteAheadLog([]).damage == nil)
    }

    @Test func `A log that was begun again has old pages at its end`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let store = try SQLiteStore(path: path)
        for _ in 0..<300 {
            try store.append((0..<10).map { Publication("t", "\($0)" + String(repeating: "x", count: 400)) })
        }
        #expect(WriteAheadLog(try folder.read("a.db-wal")).damage == nil)
        #expect(WriteAheadLog.damage(ofStore: path) == nil)
        #expect(WriteAheadLog.damage(ofStore: folder.path("none.db")) == nil)
        withExtendedLifetime(store) {}
    }

    @Test func `Any bytes are read without a crash`() {
        var generator = SystemRandomNumberGenerator()
        for length in [1, 31, 32, 33, 100, 5000] {
            for _ in 0..<50 {
                _ = WriteAheadLog((0..<length).map { _ in .random(in: 0 ... .max, using: &generator) }).damage
            }
        }
    }
}
