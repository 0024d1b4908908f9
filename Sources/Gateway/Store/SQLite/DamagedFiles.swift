import FoundationEssentials
import Glibc

/// The damaged files of a store that were set aside, for example `a.db.damaged-20261123T151312Z`.
///
/// As long as their readable rows are not in the new store, their names end with `.unread`, so that the next process
/// continues after a crash. Of the others, the newest are kept. From the second file on, the names have a number, which
/// gives the order: the clock of a computer without a battery can go back.
struct DamagedFiles {
    /// So many files are kept that were read. One that is not read stays in any case.
    static let maximum = 3
    private static let mark = ".unread"

    private let path: String

    /// The files of the store with this path.
    init(of path: String) { self.path = path }

    /// The paths of the files that were not read to the end, the oldest first; nil if the folder cannot be read.
    var unread: [String]? { files?.map { $0.path }.filter { $0.hasSuffix(Self.mark) } }

    /// The path after reading.
    static func readName(of file: String) -> String {
        file.hasSuffix(mark) ? String(file.dropLast(mark.count)) : file
    }

    /// The name by which a store remembers how much of the file it contains.
    static func key(of file: String) -> String {
        let name = readName(of: file)
        return String(name.split(separator: "/").last ?? "")
    }

    /// Whether a file has a log. Its messages are not read.
    static func hasLog(_ file: String) -> Bool {
        var information = stat()
        return unsafe lstat(file + "-wal", &information) == 0 && information.st_size > 0
    }

    /// Renames the damaged store and its log, and returns the new path.
    func setAside(at time: Date, because failure: StoreFailure) throws(StoreFailure) -> String {
        var number = (files?.last?.number ?? 0) + 1
        var kept = name(number, time)
        while Self.exists(kept) || Self.exists(kept + Self.mark) {
            number += 1
            kept = name(number, time)
        }
        guard Self.rename(path, kept + Self.mark) else {
            throw StoreFailure(
                .inaccessible, "\(failure), and renaming it to \(kept) failed; make its folder writable for this user")
        }
        return kept + Self.mark
    }

    /// Removes the mark of a file that was read to the end, and the oldest files beyond the maximum.
    func markRead(_ file: String) {
        let name = Self.readName(of: file)
        guard Self.rename(file, name) else { return }
        let others = (files ?? []).map { $0.path }.filter { !$0.hasSuffix(Self.mark) && $0 != name }
        for file in others.dropLast(Self.maximum - 1) {
            for suffix in ["-wal", "-shm", ""] { _ = unsafe unlink(file + suffix) }
        }
    }

    /// Writes the names to the disk, so that old ones do not return after a power failure. Returns whether it worked.
    func writeNames() -> Bool {
        let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    /// The path of a file that was read.
    private func name(_ number: Int, _ time: Date) -> String {
        "\(path).damaged-\(Self.stamp(of: time))" + (number > 1 ? "-\(number)" : "")
    }

    /// The folder of the files, which ends with a slash.
    private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./" }

    /// The files, without their logs, the oldest first; nil if the folder cannot be read.
    private var files: [(path: String, number: Int)]? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        let start = (path.split(separator: "/").last ?? "") + ".damaged-"
        var files: [(path: String, number: Int)] = []
        for name in names where name.hasPrefix(start) {
            let rest = name.dropFirst(start.count)
            if let number = Self.number(rest) { files.append(("\(path).damaged-\(rest)", number)) }
        }
        return files.sorted { ($0.number, $0.path) < ($1.number, $1.path) }
    }

    /// The number of a file by the rest of its name: a time stamp, perhaps with a number and the mark.
    ///
    /// - Returns: 1 without a number; nil for another file, which a user may have made.
    private static func number(_ rest: Substring) -> Int? {
        let parts = (rest.hasSuffix(mark) ? rest.dropLast(mark.count) : rest).split(separator: "-")
        guard let stamp = parts.first?.utf8, stamp.count == 16, parts.count <= 2 else { return nil }
        let isStamp = zip(stamp, "00000000T000000Z".utf8).allSatisfy { byte, form in
            form == 0x30 ? (0x30...0x39).contains(byte) : byte == form
        }
        guard isStamp else { return nil }
        guard let digits = parts.dropFirst().first else { return 1 }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else { return nil }
        // The next number must fit, too.
        return number < .max ? number : nil
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
