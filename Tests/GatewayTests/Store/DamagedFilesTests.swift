import FoundationEssentials
import Testing

@testable import Gateway

/// The names of damaged files, and which of them stay.
@Suite struct DamagedFilesTests {
    private let failure = StoreFailure(.corrupted, "it is damaged")

    /// Sets a file aside at a time in seconds.
    private func setAside(_ folder: TemporaryFolder, _ files: DamagedFiles, at seconds: Double) throws -> String {
        try folder.write("a.db", [1])
        return try files.setAside(at: Date(timeIntervalSince1970: 1_700_000_000 + seconds), because: failure)
    }

    @Test func `The newest file stays although the clock was set back`() throws {
        let folder = try TemporaryFolder()
        let files = DamagedFiles(of: folder.path("a.db"))
        for seconds in [5.0, 4, 4, 3, 2] { files.markRead(try setAside(folder, files, at: seconds)) }
        let stamps = ["20231114T221322Z-5", "20231114T221323Z-4", "20231114T221324Z-3"]
        #expect(folder.names == stamps.map { "a.db.damaged-" + $0 })
    }

    @Test func `Files that were not read do not displace others, and are in their order`() throws {
        let folder = try TemporaryFolder()
        let files = DamagedFiles(of: folder.path("a.db"))
        let unread = try [9.0, 8, 7].map { try setAside(folder, files, at: $0) }
        #expect(files.unread == unread)
        var read: [String] = []
        for seconds in [3.0, 2, 1, 0] {
            let file = try setAside(folder, files, at: seconds)
            files.markRead(file)
            read.append(DamagedFiles.readName(of: file))
        }
        #expect(files.unread == unread)
        #expect(Set(folder.names.map { folder.path($0) }) == Set(unread + read.suffix(3)))
        // A file that was read stays when an older one follows.
        files.markRead(unread[0])
        let kept = [DamagedFiles.readName(of: unread[0])] + read.suffix(2)
        #expect(Set(folder.names.map { folder.path($0) }) == Set(kept + unread.dropFirst()))
    }

    @Test func `Files with ten numbers are in the order of the numbers`() throws {
        let folder = try TemporaryFolder()
        let files = DamagedFiles(of: folder.path("a.db"))
        let unread = try (0..<11).map { _ in try setAside(folder, files, at: 0) }
        #expect(files.unread == unread && unread.last?.hasSuffix("Z-11.unread") == true)
    }

    @Test func `Files with other names, or a number that is too large, belong to the user`() throws {
        let folder = try TemporaryFolder()
        let files = DamagedFiles(of: folder.path("a.db"))
        let own = ["20231114T221320Z-9223372036854775807", "20231114T221320Z-x", "20231114T221320Z-1-2", "copy"]
        for name in own { try folder.write("a.db.damaged-\(name).unread", [1]) }
        #expect(files.unread == [])
        #expect(try setAside(folder, files, at: 0) == folder.path("a.db.damaged-20231114T221320Z.unread"))
        #expect(DamagedFiles(of: folder.path("missing/a.db")).unread == nil)
    }
}
