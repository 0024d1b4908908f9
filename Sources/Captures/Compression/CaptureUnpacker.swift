/// Decompresses a capture that arrives in chunks: gzip, or a zip archive such as a bug report of Android.
///
/// Other bytes pass unchanged.
package final class CaptureUnpacker {
    /// A part of the result.
    package enum Part {
        /// A capture begins. A file that is no archive has one.
        case begin
        case bytes([UInt8])
    }

    private enum State {
        case unknown([UInt8])
        case plain
        case gzip(Inflater)
        case zip(ZipReader)
    }

    private var state = State.unknown([])

    package init() {}

    /// Reads a chunk. Throws if the file is damaged, and what `receive` throws.
    package func append(_ chunk: [UInt8], _ receive: (Part) throws -> Void) throws {
        guard !chunk.isEmpty else { return }
        switch state {
        case .unknown(let start):
            let bytes = start + chunk
            guard bytes.count >= 4 else { return state = .unknown(bytes) }
            try begin(bytes, receive)
        case .plain: try receive(.bytes(chunk))
        case .gzip(let inflater): try inflate(chunk[...], inflater, receive)
        case .zip(let reader): try reader.append(chunk, receive)
        }
    }

    /// Checks that the file did not end early.
    package func finish(_ receive: (Part) throws -> Void) throws {
        switch state {
        case .unknown(let start):
            try receive(.begin)
            if !start.isEmpty { try receive(.bytes(start)) }
        case .plain: break
        case .gzip(let inflater): guard inflater.isAtEnd else { throw CaptureError.cutArchive }
        case .zip(let reader): try reader.finish()
        }
    }

    private func begin(_ bytes: [UInt8], _ receive: (Part) throws -> Void) throws {
        if bytes.starts(with: [0x1F, 0x8B, 8]), let inflater = Inflater(.gzip) {
            state = .gzip(inflater)
            try receive(.begin)
            try inflate(bytes[...], inflater, receive)
        } else if bytes.starts(with: ZipReader.magic) {
            let reader = ZipReader()
            state = .zip(reader)
            try reader.append(bytes, receive)
        } else {
            state = .plain
            try receive(.begin)
            try receive(.bytes(bytes))
        }
    }

    /// Decompresses bytes of a gzip file, which may have several members. Source: RFC 1952, 2.2.
    private func inflate(
        _ bytes: ArraySlice<UInt8>, _ first: Inflater, _ receive: (Part) throws -> Void
    ) throws {
        var inflater = first
        var rest = bytes
        while !rest.isEmpty {
            if inflater.isAtEnd {
                // Padding with zeros may follow the last member.
                guard rest.first == 0x1F, let next = Inflater(.gzip) else { return }
                inflater = next
                state = .gzip(next)
            }
            guard let used = try inflater.inflate(rest, { try receive(.bytes($0)) }) else {
                throw CaptureError.damagedArchive
            }
            rest = rest.dropFirst(used)
        }
    }
}
