import Glibc

extension PacketSocket {
    /// The result of an attempt to receive into a buffer.
    public enum BufferResult: Hashable, Sendable {
        /// The length of the packet, which is now at the beginning of the buffer.
        case packet(Int)
        /// The packet was longer than the buffer, and is lost.
        case tooLong
        /// No packet has arrived yet.
        case nothing
        /// The kernel reports an error that does not end the socket, for example that memory is short.
        case failed
        /// The other end is closed, or the socket cannot be used any more.
        case ended
    }

    /// Receives the next packet into a buffer, without allocating memory.
    ///
    /// - Parameter buffer: The buffer, at least one byte long. Its length does not change.
    public func receive(into buffer: inout [UInt8]) -> BufferResult {
        // MSG_TRUNC: the kernel returns the length of the packet even if the buffer is shorter.
        let taken = unsafe buffer.withUnsafeMutableBytes {
            unsafe recv(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC))
        }
        if taken > 0 {
            countPackets(1)
            return taken <= buffer.count ? .packet(taken) : .tooLong
        }
        guard taken < 0 else { return .ended }
        switch errno {
        case EAGAIN, EINTR: return .nothing
        case ENOBUFS, ENOMEM: return .failed
        default: return .ended
        }
    }
}

extension PacketSocket {
    /// The number of bytes that the kernel has not sent yet, including its overhead; nil if it is not known.
    ///
    /// For a pair of sockets, these are the packets that the other end has not received.
    public var unsentByteCount: Int? {
        // Glibc does not declare SO_MEMINFO (55). The third number is SK_MEMINFO_WMEM_ALLOC.
        var numbers = [UInt32](repeating: 0, count: 9)
        var length = socklen_t(numbers.count * MemoryLayout<UInt32>.stride)
        guard unsafe getsockopt(number, SOL_SOCKET, 55, &numbers, &length) == 0, length >= 12 else { return nil }
        return Int(numbers[2])
    }
}
