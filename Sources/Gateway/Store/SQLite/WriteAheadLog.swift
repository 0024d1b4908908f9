import Glibc

/// The write-ahead log that SQLite reads when it opens a store after a crash.
///
/// SQLite ends reading at the first frame with a wrong checksum, without an error: a frame that a crash has
/// interrupted looks the same as a damaged one before others. Source: SQLite, Database File Format, 4.
struct WriteAheadLog {
    /// Reads bytes at an offset; fewer at the end of the file.
    private let read: (_ offset: Int, _ count: Int) -> [UInt8]

    init(_ bytes: [UInt8]) {
        read = { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }
    }

    /// The log of a store.
    ///
    /// - Returns: nil if there is none, or an empty one, as after an orderly end.
    static func damage(ofStore path: String) -> String? {
        let descriptor = unsafe open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return WriteAheadLog { offset, count in
            var bytes = [UInt8](repeating: 0, count: count)
            let length = unsafe pread(descriptor, &bytes, count, offset)
            return Array(bytes.prefix(max(0, length)))
        }.damage
    }

    private init(_ read: @escaping (_ offset: Int, _ count: Int) -> [UInt8]) { self.read = read }

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// What is damaged; nil for a log that is empty or intact, or after an interrupted write.
    var damage: String? {
        let header = read(0, Self.headerSize)
        guard header.count == Self.headerSize else { return nil }
        let magic = Self.number(header, 0)
        let pageSize = Int(Self.number(header, 8))
        guard magic | 1 == 0x377F_0683, (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
            return "its header"
        }
        var sum = LogChecksum(isBigEndian: magic & 1 == 1)
        sum.add(header[..<24])
        guard sum.isEqual(to: header, 24) else { return "its header" }
        let salts = (Self.number(header, 16), Self.number(header, 20))
        var damaged = 0
        var unknown = 0
        var offset = Self.headerSize
        while true {
            let frame = read(offset, Self.frameHeaderSize + pageSize)
            guard frame.count == Self.frameHeaderSize + pageSize else { break }
            offset += frame.count
            let isEqual = (Self.number(frame, 8) == salts.0, Self.number(frame, 12) == salts.1)
            // Frames that the log had before it was begun again have other salts.
            guard isEqual.0 || isEqual.1 else {
                unknown += 1
                continue
            }
            sum.add(frame[..<8])
            sum.add(frame[Self.frameHeaderSize...])
            // A frame that follows older ones was written after them, so they are damaged.
            if unknown > 0 || !isEqual.0 || !isEqual.1 || !sum.isEqual(to: frame, 16) { damaged += 1 + unknown }
            unknown = 0
            // The checksum of each frame continues that of the one before.
            sum.continue(from: frame, 16)
        }
        return damaged == 0 ? nil : "\(damaged) of its pages"
    }

    fileprivate static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The checksum of the log. Source: SQLite, Database File Format, 4.2.
private struct LogChecksum {
    let isBigEndian: Bool
    private var sums: (UInt32, UInt32) = (0, 0)

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// Adds a multiple of eight bytes.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            sums.0 = sums.0 &+ word(bytes, index) &+ sums.1
            sums.1 = sums.1 &+ word(bytes, index + 4) &+ sums.0
            index += 8
        }
    }

    private func word(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt32 {
        let word =
            UInt32(bytes[index]) << 24 | UInt32(bytes[index + 1]) << 16 | UInt32(bytes[index + 2]) << 8
            | UInt32(bytes[index + 3])
        return isBigEndian ? word : word.byteSwapped
    }

    func isEqual(to bytes: [UInt8], _ offset: Int) -> Bool {
        sums == (WriteAheadLog.number(bytes, offset), WriteAheadLog.number(bytes, offset + 4))
    }

    mutating func `continue`(from bytes: [UInt8], _ offset: Int) {
        sums = (WriteAheadLog.number(bytes, offset), WriteAheadLog.number(bytes, offset + 4))
    }
}
