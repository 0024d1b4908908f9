import Glibc

/// A file that SQLite does not accept as a database, of which the gateway may be the owner.
struct StoreFile {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Whether the file is a damaged store. Another file must not be renamed.
    var isOfGateway: Bool {
        // The log exists while a store is open, and after a crash.
        if unsafe access(path + "-wal", F_OK) == 0 { return true }
        guard let (header, size) = header() else { return false }
        if header.starts(with: "SQLite format 3\0".utf8) { return true }
        // A store has whole pages. If the first one is damaged, it contains anything, but hardly text.
        return size > 0 && size % 4096 == 0 && !Self.isText(header)
    }

    /// Whether bytes have no control characters but tabs and line breaks, as a configuration or a key has.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    /// Returns the first bytes of the file and its size; nil if it cannot be read.
    private func header() -> (bytes: [UInt8], size: Int)? {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // This releases the locks of SQLite, which gives up this file because of the failure.
        defer { close(descriptor) }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 72)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : (Array(bytes.prefix(count)), Int(information.st_size))
    }
}
