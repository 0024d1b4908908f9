import Glibc

/// A TCP client of the loopback interface. Its calls end after two minutes at the latest, on a busy machine.
final class MetricsClient {
    private let descriptor: Int32

    /// Connects to a port of 127.0.0.1; nil if that fails.
    init?(_ port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Sends a text. Returns whether the whole text was accepted.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count {
            let rest = Array(bytes[position...].prefix(65_536))
            let count = unsafe Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return false }
            position += count
        }
        return true
    }

    /// Receives until the server closes the connection; nil if it does not.
    func receive() -> String? {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 {
                text += chunk[..<count]
            } else if count == 0 || errno == ECONNRESET {
                return String(decoding: text, as: UTF8.self)
            } else {
                return nil
            }
        }
    }

    /// Whether the server has neither sent anything nor closed the connection.
    var isWaiting: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    /// Ends the side of the client.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }
}
