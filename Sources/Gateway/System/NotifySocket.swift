import FoundationEssentials
import Glibc

/// The socket of systemd's notification protocol. Source: `sd_notify(3)`.
///
/// The socket never blocks: a message that does not fit is dropped.
public final class NotifySocket {
    private let descriptor: Int32
    private let address: [UInt8]

    /// Opens a socket to the address that systemd passes in `NOTIFY_SOCKET`.
    ///
    /// Returns nil if there is none or it is not a path or an abstract name.
    public init?(_ name: String?) {
        guard let name, name.hasPrefix("/") || name.hasPrefix("@"), name.utf8.count > 1,
            name.utf8.count < MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size
        else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        let family = sa_family_t(AF_UNIX)
        // In an abstract name, `@` stands for the byte 0.
        let path = name.hasPrefix("@") ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8) + [0]
        address = [UInt8(truncatingIfNeeded: family), UInt8(family >> 8)] + path
    }

    deinit { close(descriptor) }

    /// Sends variables, for example `READY=1`. Returns false if systemd does not receive them.
    @discardableResult
    public func send(_ variables: [String]) -> Bool {
        let message = Array(variables.joined(separator: "\n").utf8)
        // The initializer has checked that the address fits.
        var target = sockaddr_un()
        unsafe withUnsafeMutableBytes(of: &target) { unsafe $0.copyBytes(from: address) }
        let length = socklen_t(address.count)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let sent = unsafe withUnsafePointer(to: &target) { target in
            unsafe target.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                unsafe message.withUnsafeBytes { bytes in
                    unsafe sendto(descriptor, bytes.baseAddress, bytes.count, flags, target, length)
                }
            }
        }
        return sent == message.count
    }
}
