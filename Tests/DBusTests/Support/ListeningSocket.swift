import Glibc

/// A socket that is no bus. It lies in a folder of its own and goes with this.
struct ListeningSocket: ~Copyable {
    let socket: Int32
    private let folder: String

    /// `queue` is how many connections may wait to be accepted; nil to have nobody listen.
    init(queue: Int32?) {
        var template = Array("/tmp/rxbt-XXXXXX".utf8CString)
        let made = unsafe mkdtemp(&template)
        precondition(unsafe made != nil, "No folder can be made.")
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let isBound = unsafe Self.withAddress("\(folder)/socket") { unsafe bind(socket, $0, $1) == 0 }
        precondition(isBound, "The socket cannot be bound.")
        if let queue { listen(socket, queue) }
    }

    deinit {
        close(socket)
        unsafe unlink("\(folder)/socket")
        unsafe rmdir(folder)
    }

    var address: String { "unix:path=\(folder)/socket" }

    /// Connects until no more connection is let in, and returns the connections.
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
