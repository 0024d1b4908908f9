import Glibc

/// One end of a pair of connected sockets that keep packets apart (`SOCK_SEQPACKET`), as BlueZ's `AcquireNotify` and
/// `AcquireWrite` hand out. It never blocks, and is closed by letting it go.
public struct PacketSocket: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// What an attempt to receive came to.
    public enum Received: Hashable, Sendable {
        /// A packet; what was longer than asked for is cut off.
        case packet([UInt8])
        /// Nothing is there yet.
        case nothing
        /// The other end is closed, or sent a packet of no bytes, which looks the same.
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

    /// The number of the descriptor, valid while this value lives.
    public var number: Int32 { descriptor.number }

    /// Sends a packet. False where it was lost: the other end is closed, or reads too slowly (Q106).
    @discardableResult
    public func send(_ packet: [UInt8]) -> Bool {
        unsafe packet.withUnsafeBytes {
            unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        } == packet.count
    }

    /// Takes the next packet, up to so many bytes of it.
    public func receive(upTo count: Int = 512) -> Received {
        var taken = 0
        let packet = unsafe [UInt8](unsafeUninitializedCapacity: max(1, count)) { buffer, size in
            taken = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            size = max(0, taken)
        }
        if taken > 0 { return .packet(packet) }
        return taken < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .ended
    }
}
