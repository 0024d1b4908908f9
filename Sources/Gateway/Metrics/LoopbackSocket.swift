import Glibc

/// TCP sockets of the loopback interface, without blocking.
enum LoopbackSocket {
    /// The result of accepting a connection.
    enum Accepted {
        /// There is no connection to accept.
        case none
        /// A client has connected; the descriptor belongs to the caller.
        case connected(Int32)
        /// Accepting failed, for example because too many files are open.
        case failed
    }

    /// The result of reading.
    enum Received {
        /// Nothing has arrived.
        case none
        case bytes([UInt8])
        /// The client has closed the connection, or it failed.
        case failed
    }

    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    /// Listens on a port of 127.0.0.1. Returns the descriptor and the port.
    static func listen(on port: UInt16) throws(MetricsFailure) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw failure(port, errno) }
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, size) == 0 && Glibc.listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isBound else {
            let code = errno
            close(descriptor)
            throw failure(port, code)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    static func accept(_ descriptor: Int32) -> Accepted {
        while true {
            // Swift does not import accept4(2). No other process starts in between, so two calls are enough.
            let client = Glibc.accept(descriptor, nil, nil)
            if client >= 0 {
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                _ = fcntl(client, F_SETFL, O_NONBLOCK)
                return .connected(client)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return .none
            default: return .failed
            }
        }
    }

    static func read(_ descriptor: Int32) -> Received {
        var chunk = [UInt8](repeating: 0, count: 2048)
        while true {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 { return .bytes(Array(chunk[..<count])) }
            if count == 0 { return .failed }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .none
            default: return .failed
            }
        }
    }

    /// Writes what fits now. Returns the number of bytes; nil if the connection failed.
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
        while true {
            let count = unsafe bytes.withUnsafeBufferPointer {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: return nil
            }
        }
    }

    private static func failure(_ port: UInt16, _ code: Int32) -> MetricsFailure {
        MetricsFailure(
            description: "Metrics cannot be served on 127.0.0.1:\(port): \(unsafe String(cString: strerror(code))). "
                + "Give another port, or stop the program that uses it.")
    }
}
