/// Reads the captures in a zip archive from front to back. Source: APPNOTE.TXT of PKWARE, 4.3.
final class ZipReader {
    /// The signature of an entry.
    static let magic: [UInt8] = [0x50, 0x4B, 3, 4]
    private static let headerLength = 30
    /// The bit of the flags by which the sizes follow the data.
    private static let hasDescriptor: UInt16 = 8

    private enum State {
        case header
        /// Stored bytes of which this many are left.
        case stored(left: UInt64, isCapture: Bool)
        case deflated(Inflater, isCapture: Bool, descriptor: Int)
        /// The sizes after the data, of this length without the signature.
        case descriptor(Int)
        /// The list of entries at the end, which is not needed.
        case directory
    }

    private var buffer: [UInt8] = []
    private var state = State.header
    /// Whether an entry is a capture.
    private var hasCapture = false

    func append(_ chunk: [UInt8], _ receive: (CaptureUnpacker.Part) throws -> Void) throws {
        if case .directory = state { return }
        buffer += chunk
        while try step(receive) {}
    }

    /// Checks that the archive did not end within an entry, and had a capture.
    func finish() throws(CaptureError) {
        guard hasCapture else { throw .noCaptureInArchive }
        if case .directory = state { return }
        if case .header = state, buffer.isEmpty { return }
        throw .cutArchive
    }

    /// Reads a part of the buffer. Returns false if more bytes are needed.
    private func step(_ receive: (CaptureUnpacker.Part) throws -> Void) throws -> Bool {
        switch state {
        case .header: return try readHeader(receive)
        case .stored(let left, let isCapture):
            let count = Int(min(left, UInt64(buffer.count)))
            if isCapture, count > 0 { try receive(.bytes(Array(buffer[..<count]))) }
            buffer.removeFirst(count)
            state = left == UInt64(count) ? .header : .stored(left: left - UInt64(count), isCapture: isCapture)
            return left == UInt64(count)
        case .deflated(let inflater, let isCapture, let descriptor):
            guard let used = try inflater.inflate(buffer[...], { if isCapture { try receive(.bytes($0)) } }) else {
                throw CaptureError.damagedArchive
            }
            buffer.removeFirst(used)
            guard inflater.isAtEnd else { return false }
            state = descriptor > 0 ? .descriptor(descriptor) : .header
            return true
        case .descriptor(let length):
            guard buffer.count >= 4 else { return false }
            let isSigned = buffer.starts(with: [0x50, 0x4B, 7, 8])
            guard buffer.count >= length + (isSigned ? 4 : 0) else { return false }
            buffer.removeFirst(length + (isSigned ? 4 : 0))
            state = .header
            return true
        case .directory:
            buffer = []
            return false
        }
    }

    private func readHeader(_ receive: (CaptureUnpacker.Part) throws -> Void) throws -> Bool {
        guard buffer.count >= 4 else { return false }
        guard buffer.starts(with: Self.magic) else {
            // The directory follows the last entry.
            guard buffer.starts(with: [0x50, 0x4B]) else { throw CaptureError.damagedArchive }
            state = .directory
            return true
        }
        var cursor = ByteCursor(buffer)
        guard cursor.take(6) != nil, let flags = cursor.uint16(), let method = cursor.uint16(), cursor.take(8) != nil,
            let size = cursor.uint32(.little), cursor.take(4) != nil, let nameLength = cursor.uint16(),
            let extraLength = cursor.uint16(), let name = cursor.take(Int(nameLength)),
            let extra = cursor.take(Int(extraLength))
        else { return false }
        let large = Self.largeSizes(extra)
        buffer.removeFirst(Self.headerLength + Int(nameLength) + Int(extraLength))
        let isCapture = Self.isCapture(name)
        let hasDescriptor = flags & Self.hasDescriptor != 0
        // An encrypted entry cannot be read.
        guard flags & 1 == 0 || !isCapture else { throw CaptureError.damagedArchive }
        if isCapture {
            hasCapture = true
            try receive(.begin)
        }
        switch method {
        case 8:
            guard let inflater = Inflater(.raw) else { throw CaptureError.damagedArchive }
            let length = hasDescriptor ? large == nil ? 12 : 20 : 0
            state = .deflated(inflater, isCapture: isCapture, descriptor: length)
        default:
            // Without a size, the end of the bytes is not known. Other methods are skipped.
            guard !hasDescriptor || size > 0, method == 0 || !isCapture else { throw CaptureError.damagedArchive }
            state = .stored(left: large?.compressed ?? UInt64(size), isCapture: isCapture)
        }
        return true
    }

    /// Returns the sizes of an entry of more than 4 GiB. Source: APPNOTE.TXT, 4.5.3.
    private static func largeSizes(_ extra: ArraySlice<UInt8>) -> (compressed: UInt64, Void)? {
        var cursor = ByteCursor(extra)
        while let kind = cursor.uint16(), let length = cursor.uint16(), let field = cursor.take(Int(length)) {
            guard kind == 1 else { continue }
            var field = ByteCursor(field)
            guard field.uint64(.little) != nil, let compressed = field.uint64(.little) else { return nil }
            return (compressed, ())
        }
        return nil
    }

    /// Whether the name of an entry is that of a capture, such as `FS/data/misc/bluetooth/logs/btsnoop_hci.log`.
    private static func isCapture(_ name: ArraySlice<UInt8>) -> Bool {
        let name = String(decoding: name, as: UTF8.self).lowercased()
        let file = name.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return file.contains("btsnoop") || [".pcap", ".pcapng", ".pklg"].contains { file.hasSuffix($0) }
    }
}
