import Glibc

/// A connected socket that does not block. It is closed with its last reference.
final class StreamSocket: Sendable {
    enum Received: Equatable {
        /// This many bytes arrived.
        case bytes(Int)
        /// Nothing has arrived.
        case none
        /// The broker has closed the connection.
        case ended
        case failed(Int32)
    }

    enum Sent: Equatable {
        /// This many bytes were accepted; 0 if the buffer of the system is full.
        case bytes(Int)
        case failed(Int32)
    }

    let descriptor: Int32

    /// Takes over a descriptor.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func read(into buffer: inout [UInt8]) -> Received {
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .none
            case let code: return .failed(code)
            }
        }
    }

    func write(_ bytes: ArraySlice<UInt8>) -> Sent {
        while true {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                // Without the flag, the end of the connection would end the process.
                unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .bytes(0)
            case let code: return .failed(code)
            }
        }
    }

    /// Ends the direction to the broker.
    func endWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }
}
