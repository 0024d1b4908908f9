import Glibc

/// A file that SQLite does not accept as a database, of which the gateway may be the owner.
struct StoreFile {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Whether the file is a damaged store. Another file must not be renamed.
    var isOfGateway: Bool {
        let header = header()
        if let bytes = header?.bytes, bytes.starts(with: "SQLite format 3\0".utf8) {
            return Self.isMarked(bytes) || !Self.isIntact(bytes)
        }
        // The log exists while a store is open, and after a crash.
        if unsafe access(path + "-wal", F_OK) == 0 { return true }
        guard let (header, size) = header else { return false }
        // A store has whole pages. If the first one is damaged, it contains anything, but hardly text.
        return size > 0 && size % 4096 == 0 && !Self.isText(header)
    }

    /// Whether this process may write the file, and it has the mark of the gateway.
    var isWritableStore: Bool {
        guard unsafe access(path, W_OK) == 0, let (header, _) = header() else { return false }
        return Self.isMarked(header)
    }

    // Source: SQLite, Database File Format, section 1.3: the application id is at offset 68.
    private static func isMarked(_ header: [UInt8]) -> Bool {
        header.count == headerSize && header.suffix(4).elementsEqual("BLEG".utf8)
    }

    /// Whether the header has the constants of each database. Otherwise its mark may be damaged, too.
    private static func isIntact(_ header: [UInt8]) -> Bool {
        header.count == headerSize && header[21...23].elementsEqual([64, 32, 32])
    }

    /// Whether the bytes are UTF-8 without control characters but tabs and line breaks, as of a configuration or a key.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        // The last character may be cut.
        let isUTF8 = (0...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
        return isUTF8 && bytes.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private static let headerSize = 72

    /// Returns the first bytes of the file and its size; nil if it cannot be read.
    private func header() -> (bytes: [UInt8], size: Int)? {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // This releases the locks of SQLite, which gives up this file because of the failure.
        defer { close(descriptor) }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.headerSize)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : (Array(bytes.prefix(count)), Int(information.st_size))
    }
}
