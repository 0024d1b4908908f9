import FoundationEssentials
import Glibc

extension RadioSwitch {
    /// Returns the Bluetooth switches in a folder such as `/sys/class/rfkill`.
    ///
    /// Entries that cannot be read or have another format are left out. Reading never blocks.
    static func all(in folder: String) -> [RadioSwitch] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.filter { $0.hasPrefix("rfkill") }.sorted().prefix(mostEntries).compactMap { entry in
            let place = "\(folder)/\(entry)"
            guard word("\(place)/type") == Array("bluetooth".utf8) else { return nil }
            return RadioSwitch(
                name: printable(word("\(place)/name") ?? []),
                isSoftBlocked: word("\(place)/soft") == [UInt8(ascii: "1")],
                isHardBlocked: word("\(place)/hard") == [UInt8(ascii: "1")])
        }
    }

    private static let mostEntries = 64
    private static let longestWord = 64

    /// Returns the first line of a file; nil if the file cannot be read or is too long.
    private static func word(_ path: String) -> [UInt8]? {
        // Without O_NONBLOCK, opening a pipe without a writer would block.
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: longestWord + 1)
        let count = unsafe read(file, &bytes, bytes.count)
        guard count >= 0, count <= longestWord else { return nil }
        return Array(bytes[..<count].prefix { $0 != UInt8(ascii: "\n") })
    }

    private static func printable(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
