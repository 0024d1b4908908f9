import Glibc
import Synchronization

/// One end of a pair of packet sockets (`SOCK_SEQPACKET`).
///
/// BlueZ's `AcquireNotify` and `AcquireWrite` return such sockets. Sending and receiving never block. Releasing the
/// value closes the socket.
public struct PacketSocket: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    private let received = Atomic<Int>(0)

    /// The result of an attempt to receive.
    public enum ReceiveResult: Hashable, Sendable {
        /// A packet, truncated to the requested length.
        case packet([UInt8])
        /// No packet has arrived yet.
        case nothing
        /// The other end is closed. A packet without bytes looks the same.
        case ended
    }

    /// The state of the socket after several packets were received.
    public enum ReceiveProgress: Hashable, Sendable {
        /// No packet waits.
        case isEmpty
        /// The requested number of packets was received, and more packets may wait.
        case limitReached
        /// The other end is closed, and no packet waits.
        case ended
    }

    /// The result of an attempt to send.
    public enum SendResult: Hashable, Sendable {
        /// The packet was sent.
        case sent
        /// The socket is full; the packet was not sent.
        case full
        /// The other end is closed, or the packet can never be sent.
        case ended
    }

    /// Takes over a socket.
    public init(adopting descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// Makes a pair of sockets and returns one end.
    ///
    /// The closure gets the other end and appends it to a message, which duplicates the descriptor. After the closure,
    /// this process closes its copy of the other end. Throws `LimitsExceeded` if the process has no descriptor left.
    public static func pair(
        _ share: (borrowing OwnedDescriptor) throws(DBusError) -> Void
    ) throws(DBusError) -> PacketSocket {
        var ends: (Int32, Int32) = (-1, -1)
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let failure = unsafe withUnsafeMutableBytes(of: &ends) {
            unsafe socketpair(AF_UNIX, type, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard failure == 0 else {
            throw DBusError(name: DBusError.Name.limitsExceeded, message: "This process has no file descriptor left.")
        }
        let ours = PacketSocket(adopting: OwnedDescriptor(adopting: ends.0))
        let theirs = OwnedDescriptor(adopting: ends.1)
        try share(theirs)
        return ours
    }

    // Shuts the socket down, which ends the other end at once. Only closing would not, if a child process between fork
    // and exec has a copy of the descriptor.
    deinit { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }

    /// The descriptor's number, valid during the lifetime of this value.
    public var number: Int32 { descriptor.number }

    /// The number of packets that were received so far. Only one thread at a time receives.
    package var receivedPackets: Int { received.load(ordering: .relaxed) }

    func countPackets(_ count: Int) { received.store(receivedPackets + count, ordering: .relaxed) }

    // Q106, see docs/quirks.md.
    /// Sends a packet. Returns false if the packet is lost: the other end is closed, or reads too slowly.
    @discardableResult
    public func send(_ packet: [UInt8]) -> Bool { trySend(packet) == .sent }

    /// Sends a packet if the socket is not full.
    public func trySend(_ packet: [UInt8]) -> SendResult {
        let count = unsafe packet.withUnsafeBytes {
            unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if count == packet.count { return .sent }
        return count < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOBUFS) ? .full : .ended
    }

    /// Receives the next packet, truncated to `count` bytes.
    public func receive(upTo count: Int = 512) -> ReceiveResult {
        var taken = 0
        let packet = unsafe [UInt8](unsafeUninitializedCapacity: max(1, count)) { buffer, size in
            taken = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            size = max(0, taken)
        }
        if taken > 0 {
            countPackets(1)
            return .packet(packet)
        }
        return taken < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .ended
    }

    /// Receives the packets that wait, and appends them to `packets`. Packets without bytes are included.
    ///
    /// Each array has the size of its packet, because the packets are received into one buffer first.
    ///
    /// - Parameters:
    ///   - packets: The array that gets the packets.
    ///   - limit: The largest number of packets.
    ///   - length: The length to which packets are truncated, in bytes.
    public func receiveWaiting(
        into packets: inout [[UInt8]], atMost limit: Int, upTo length: Int = 512
    ) -> ReceiveProgress {
        // `unsafe`: the buffer does not leave the closure, and `recv` writes at most its size.
        unsafe withUnsafeTemporaryAllocation(byteCount: max(1, length), alignment: 1) { buffer in
            for _ in 0..<limit {
                let count = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count < 0 { return errno == EAGAIN || errno == EINTR ? .isEmpty : .ended }
                if count == 0, isAtEnd { return .ended }
                countPackets(1)
                unsafe packets.append([UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<count])))
            }
            return .limitReached
        }
    }

    /// Receives one packet of a socket that another value owns, and forgets it.
    package static func discardPacket(from number: Int32) {
        var byte: UInt8 = 0
        _ = unsafe recv(number, &byte, 1, Int32(MSG_DONTWAIT))
    }

    /// Whether a reception of 0 bytes means that the other end is closed, and not a packet without bytes.
    ///
    /// Packets without bytes that are the last packets of a closed socket count as its end.
    private var isAtEnd: Bool {
        // POLLRDHUP, which Glibc declares for GNU sources only.
        var request = pollfd(fd: number, events: 0x2000, revents: 0)
        guard unsafe poll(&request, 1, 0) > 0 else { return false }
        var next: UInt8 = 0
        return unsafe recv(number, &next, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) <= 0
    }
}

/// A socket with several users. Releasing the last reference closes it.
public final class SharedSocket: Sendable {
    /// The socket.
    public let socket: PacketSocket

    /// Takes over a socket.
    public init(_ socket: consuming PacketSocket) { self.socket = socket }

    /// A condition of the socket to wait for.
    public enum Event: Sendable {
        /// A packet can be received, or the other end is closed.
        case readable
        /// A packet can be sent, or the other end is closed.
        case writable
    }

    /// Whether the condition is true now.
    package func isReady(for event: Event) -> Bool {
        var request = pollfd(fd: socket.number, events: Int16(event == .readable ? POLLIN : POLLOUT), revents: 0)
        return unsafe poll(&request, 1, 0) > 0
    }
}
