import Glibc

/// Resolves the name of a broker, and connects to the first of its addresses that answers. It blocks.
enum HostConnector {
    enum Problem: Error, Equatable {
        case nameNotFound
        /// The error code of the system.
        case system(Int32)
    }

    /// Each address has this time.
    private static let timeout: Int32 = 10_000
    private static let maximumAddresses = 8

    static func connect(to host: String, port: UInt16) throws(Problem) -> StreamSocket {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, "\(port)", &hints, &list) == 0 else { throw .nameNotFound }
        defer { unsafe freeaddrinfo(list) }
        var problem = Problem.nameNotFound
        var next = unsafe list
        var count = 0
        while let address = unsafe next, count < maximumAddresses {
            count += 1
            do throws(Problem) { return try unsafe connect(address.pointee) } catch { problem = error }
            unsafe next = address.pointee.ai_next
        }
        throw problem
    }

    private static func connect(_ address: addrinfo) throws(Problem) -> StreamSocket {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = unsafe socket(address.ai_family, kind, 0)
        guard descriptor >= 0 else { throw .system(errno) }
        let socket = StreamSocket(descriptor)
        if unsafe Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
            guard errno == EINPROGRESS else { throw .system(errno) }
            try waitUntilConnected(descriptor)
        }
        // Small packets are not delayed.
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return socket
    }

    private static func waitUntilConnected(_ descriptor: Int32) throws(Problem) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var count: Int32
        repeat { count = unsafe poll(&entry, 1, timeout) } while count < 0 && errno == EINTR
        guard count > 0 else { throw .system(count == 0 ? ETIMEDOUT : errno) }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { throw .system(errno) }
        guard code == 0 else { throw .system(code) }
    }
}
