import CZlib

/// Decompresses a stream in pieces, so that its size does not matter.
@safe final class Inflater {
    /// How the compressed bytes are framed.
    enum Framing {
        /// With the header and the check sum of gzip. Source: RFC 1952.
        case gzip
        /// Without a header, as an entry of a zip archive. Source: RFC 1951.
        case raw
    }

    // zlib stores a pointer to the structure, so the structure must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the end of the compressed data was read.
    private(set) var isAtEnd = false

    private static let chunk = 1 << 16

    /// Makes an inflater; nil if there is not enough memory.
    init?(_ framing: Framing) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 15 is the largest window. zlib expects a header of gzip if 16 is added, and none if it is negative.
        let window: Int32 = framing == .gzip ? 15 + 16 : -15
        let status = unsafe inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decompresses bytes up to the end of the compressed data, and calls `receive` with each part of the result.
    ///
    /// Returns the number of used bytes; nil if the data is damaged.
    func inflate(_ bytes: ArraySlice<UInt8>, _ receive: ([UInt8]) throws -> Void) rethrows -> Int? {
        var input = Array(bytes)
        var used = 0
        while !isAtEnd, used < input.count {
            var output = [UInt8](repeating: 0, count: Self.chunk)
            let status = unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe output.withUnsafeMutableBufferPointer { output in
                    unsafe stream.pointee.next_in = unsafe input.baseAddress.map { unsafe $0 + used }
                    unsafe stream.pointee.avail_in = uInt(input.count - used)
                    unsafe stream.pointee.next_out = output.baseAddress
                    unsafe stream.pointee.avail_out = uInt(output.count)
                    return unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                }
            }
            used = input.count - Int(unsafe stream.pointee.avail_in)
            let made = output.count - Int(unsafe stream.pointee.avail_out)
            guard status == Z_OK || status == Z_STREAM_END || (status == Z_BUF_ERROR && made > 0) else { return nil }
            isAtEnd = status == Z_STREAM_END
            if made > 0 { try receive(Array(output[..<made])) }
            // A full output may hide more bytes, although all input is used.
            if !isAtEnd, used == input.count, made == output.count { try drain(receive) }
        }
        return used
    }

    /// Emits what zlib still has of bytes that are used.
    private func drain(_ receive: ([UInt8]) throws -> Void) rethrows {
        while !isAtEnd {
            var output = [UInt8](repeating: 0, count: Self.chunk)
            let status = unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.pointee.avail_in = 0
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = uInt(output.count)
                return unsafe CZlib.inflate(stream, Z_NO_FLUSH)
            }
            let made = output.count - Int(unsafe stream.pointee.avail_out)
            isAtEnd = status == Z_STREAM_END
            if made > 0 { try receive(Array(output[..<made])) }
            if made < output.count { return }
        }
    }
}
