import Glibc

/// A file that names the operations that bluetoothd has lost, for the next processes that use the same bluetoothd.
///
/// bluetoothd does not show which operations it has lost, and another operation on the same attribute can crash it
/// (Q126). Each line has the unique name of bluetoothd on its bus, the path and the method of a call, and why it had no
/// reply. Lines of another bluetoothd are out of date. Without access to the file, nothing is recorded.
struct LostOperationFile: Sendable {
    struct Entry: Hashable {
        let slot: UnansweredOperations.Slot
        let needsPairing: Bool
    }

    /// The number of the newest operations that the file keeps.
    static let limit = 256

    let path: String

    /// Returns the operations that a bluetoothd has lost.
    func entries(of owner: String) -> [Entry] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return Self.parse(Self.text(file), owner)
    }

    /// Changes the operations of a bluetoothd, and removes those of others.
    ///
    /// Several processes can do so at the same time.
    func update(_ owner: String, _ change: (inout [Entry]) -> Void) {
        if let end = path.lastIndex(of: "/"), end > path.startIndex { unsafe mkdir(String(path[..<end]), 0o700) }
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }  // and with it the lock
        guard Self.lock(file) else { return }
        let earlier = Self.parse(Self.text(file), owner)
        var entries = earlier
        change(&entries)
        guard entries != earlier else { return }
        let lines = entries.suffix(Self.limit).map { entry in
            "\(owner) \(entry.slot.path) \(entry.slot.method) \(entry.needsPairing ? "pairing" : "unknown")\n"
        }
        let bytes = Array(lines.joined().utf8)
        guard ftruncate(file, 0) == 0 else { return }
        _ = unsafe pwrite(file, bytes, bytes.count, 0)
    }

    /// Locks a file. Other processes hold the lock much shorter than the limit of 0.2 s, unless they are stopped.
    private static func lock(_ file: Int32) -> Bool {
        for _ in 0..<200 {
            if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
            usleep(1_000)
        }
        return false
    }

    /// Returns the first 64 KiB of a file, which are more than `limit` lines need.
    private static func text(_ file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe pread(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Returns the operations of a bluetoothd. Lines with other contents are left out.
    private static func parse(_ text: String, _ owner: String) -> [Entry] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 4, words[0] == owner, ["pairing", "unknown"].contains(words[3]) else { return nil }
            let slot = UnansweredOperations.Slot(path: String(words[1]), method: String(words[2]))
            return Entry(slot: slot, needsPairing: words[3] == "pairing")
        }
    }
}
