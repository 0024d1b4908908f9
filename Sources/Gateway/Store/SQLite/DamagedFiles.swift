import FoundationEssentials
import Glibc

/// The damaged files of a store that were set aside, for example `a.db.damaged-20261123T151312Z`.
///
/// As long as their readable rows are not in the new store, their names end with `.unread`, so that the next process
/// continues after a crash. Of the others, the newest are kept.
struct DamagedFiles {
    /// So many files are kept. One that is not read stays in any case.
    static let maximum = 3
    private static let mark = ".unread"

    private let path: String

    /// The files of the store with this path.
    init(of path: String) { self.path = path }

    /// The paths of the files that were not read to the end, the oldest first.
    var unread: [String] { files.filter { $0.hasSuffix(Self.mark) } }

    /// The path after reading.
    static func readName(of file: String) -> String {
        file.hasSuffix(mark) ? String(file.dropLast(mark.count)) : file
    }

    /// The name by which a store remembers how much of the file it contains.
    static func key(of file: String) -> String {
        let name = readName(of: file)
        return String(name.split(separator: "/").last ?? "")
    }

    /// Renames the damaged store and its log, and returns the new path.
    func setAside(at time: Date, because failure: StoreFailure) throws(StoreFailure) -> String {
        let name = "\(path).damaged-\(Self.stamp(of: time))"
        var kept = name
        var attempt = 1
        while Self.exists(kept) || Self.exists(kept + Self.mark) {
            attempt += 1
            kept = "\(name)-\(attempt)"
        }
        guard Self.rename(path, kept + Self.mark) else {
            throw StoreFailure(
                .inaccessible, "\(failure), and renaming it to \(kept) failed; make its folder writable for this user")
        }
        return kept + Self.mark
    }

    /// Removes the mark of a file that was read to the end, and the oldest files beyond the maximum.
    func markRead(_ file: String) {
        _ = Self.rename(file, Self.readName(of: file))
        let all = files
        let surplus = max(0, all.count - Self.maximum)
        for file in all.filter({ !$0.hasSuffix(Self.mark) }).prefix(surplus) {
            for suffix in ["-wal", "-shm", ""] { _ = unsafe unlink(file + suffix) }
        }
    }

    /// The paths of all files without logs, the oldest first.
    private var files: [String] {
        let end = path.lastIndex(of: "/")
        let folder = end.map { String(path[...$0]) } ?? "./"
        let start = (end.map { String(path[path.index(after: $0)...]) } ?? path) + ".damaged-"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let own = names.filter { $0.hasPrefix(start) && Self.isKept($0.dropFirst(start.count)) }
        return own.sorted().map { (end == nil ? "" : folder) + $0 }
    }

    /// Whether the rest of a name is a time stamp, perhaps with a number and the mark. A user may have made others.
    private static func isKept(_ rest: Substring) -> Bool {
        let parts = (rest.hasSuffix(mark) ? rest.dropLast(mark.count) : rest).split(separator: "-")
        guard let stamp = parts.first?.utf8, stamp.count == 16, parts.count <= 2 else { return false }
        let isStamp = zip(stamp, "00000000T000000Z".utf8).allSatisfy { byte, form in
            form == 0x30 ? (0x30...0x39).contains(byte) : byte == form
        }
        return isStamp && parts.dropFirst().allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Renames a file and its log. Returns whether the file was renamed.
    private static func rename(_ old: String, _ new: String) -> Bool {
        guard unsafe Glibc.rename(old, new) == 0 else { return false }
        for suffix in ["-wal", "-shm"] { _ = unsafe Glibc.rename(old + suffix, new + suffix) }
        return true
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// For example `20261123T151312Z`.
    private static func stamp(of date: Date) -> String {
        let separators: Set<Character> = ["-", ":"]
        return date.formatted(.iso8601).filter { !separators.contains($0) }
    }
}
