import Glibc

/// One end of a pair of connected sockets that keep packets apart (`SOCK_SEQPACKET`), as BlueZ's `AcquireNotify` and
/// `AcquireWrite` hand out. It never blocks, and is closed by letting it go.
public struct PacketSocket: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// What an attempt to receive came to.
    public enum ReceiveResult: Hashable, Sendable {
        /// A packet; what was longer than asked for is cut off.
        case packet([UInt8])
        /// Nothing is there yet.
        case nothing
        /// The other end is closed, or sent a packet of no bytes, which looks the same.
        case ended
    }

    /// What an attempt to send came to.
    public enum SendResult: Hashable, Sendable {
        /// The packet is on its way.
        case sent
        /// There is no room now; the packet was not taken.
        case full
        /// The other end is closed, or the packet can never be taken.
        case ended
    }

    /// Takes over a socket.
    public init(adopting descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// Makes a pair: keeps one end, and lends the other one to a closure, which appends it to a message; then it is
    /// closed here. Throws `LimitsExceeded` where the process has no descriptor left.
    public static func pair(
        _ lend: (borrowing OwnedDescriptor) throws(DBusError) -> Void
    ) throws(DBusError) -> PacketSocket {
        var ends: (Int32, Int32) = (-1, -1)
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let failure = unsafe withUnsafeMutableBytes(of: &ends) {
            unsafe socketpair(AF_UNIX, type, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard failure == 0 else {
            throw DBusError(name: DBusError.Name.limitsExceeded, message: "No descriptor is left.")
        }
        let ours = PacketSocket(adopting: OwnedDescriptor(adopting: ends.0))
        let theirs = OwnedDescriptor(adopting: ends.1)
        try lend(theirs)
        return ours
    }

    // The other end sees the end at once, also while a child process between fork and exec has a copy of the descriptor.
    deinit { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }

    /// The number of the descriptor, valid while this value lives.
    public var number: Int32 { descriptor.number }

    /// Sends a packet. False where it was lost: the other end is closed, or reads too slowly (Q106).
    @discardableResult
    public func send(_ packet: [UInt8]) -> Bool { trySend(packet) == .sent }

    /// Sends a packet if there is room for it, and tells why not where it could not.
    public func trySend(_ packet: [UInt8]) -> SendResult {
        let count = unsafe packet.withUnsafeBytes {
            unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if count == packet.count { return .sent }
        return count < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOBUFS) ? .full : .ended
    }

    /// Takes the next packet, up to so many bytes of it.
    public func receive(upTo count: Int = 512) -> ReceiveResult {
        var taken = 0
        let packet = unsafe [UInt8](unsafeUninitializedCapacity: max(1, count)) { buffer, size in
            taken = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            size = max(0, taken)
        }
        if taken > 0 { return .packet(packet) }
        return taken < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .ended
    }
}

/// A socket that several parts of a program use; it is closed when the last of them lets it go.
public final class SharedSocket: Sendable {
    /// The socket.
    public let socket: PacketSocket

    /// Takes over a socket.
    public init(_ socket: consuming PacketSocket) { self.socket = socket }

    /// What to hear of a socket.
    public enum Event: Sendable {
        /// It has something to read, or has ended.
        case readable
        /// It takes a packet again, or has ended.
        case writable
    }
}
