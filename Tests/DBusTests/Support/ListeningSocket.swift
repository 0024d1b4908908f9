import Glibc

/// A Unix socket in a temporary folder, without a bus. Releasing it removes the socket and the folder.
struct ListeningSocket: ~Copyable {
    let socket: Int32
    private let folder: String

    /// - Parameter queue: How many connections may wait to be accepted; nil to not listen.
    init(queue: Int32?) {
        var template = Array("/tmp/rxbt-XXXXXX".utf8CString)
        let made = unsafe mkdtemp(&template)
        precondition(unsafe made != nil, "Cannot make a folder.")
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let isBound = unsafe Self.withAddress("\(folder)/socket") { unsafe bind(socket, $0, $1) == 0 }
        precondition(isBound, "Cannot bind the socket.")
        if let queue { listen(socket, queue) }
    }

    deinit {
        close(socket)
        unsafe unlink("\(folder)/socket")
        unsafe rmdir(folder)
    }

    var address: String { "unix:path=\(folder)/socket" }

    /// Connects until the queue of waiting connections is full. Returns the connections.
    func fill() -> [Int32] {
        var clients: [Int32] = []
        while clients.count < 100 {
            let client = Glibc.socket(
                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
            clients.append(client)
            let isIn = unsafe Self.withAddress("\(folder)/socket") { unsafe connect(client, $0, $1) == 0 }
            if !isIn { break }
        }
        return clients
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
