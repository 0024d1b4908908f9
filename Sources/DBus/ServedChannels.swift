import Glibc

// The kernel has no L2CAP sockets of a simulation, so `ble-cli simulate` opens channels for other processes itself.
/// The sockets over which a simulation opens L2CAP channels for programs in other processes.
///
/// The simulation listens on an abstract socket that is named after its bus. A program connects to it, and sends a
/// ``Request`` that is so long that its socket is not writable. The simulation first sends a ``ChannelSocketState``,
/// then receives the request, which makes the socket writable. From then on, the socket is the channel. Only processes
/// of one user are connected.
package enum ServedChannels {
    /// The channel that a program opens.
    package struct Request: Hashable, Sendable {
        package let address: String
        package let psm: UInt16

        package init(address: String, psm: UInt16) {
            self.address = address
            self.psm = psm
        }

        package init?(packet: [UInt8]) {
            let text = packet.prefix { $0 != 0 }
            let words = String(decoding: text, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, let psm = UInt16(words[1]) else { return nil }
            self.init(address: String(words[0]), psm: psm)
        }

        package var packet: [UInt8] { Array("\(address) \(psm)".utf8) }

        /// The most bytes of a packet that are read. What follows them only fills the socket.
        package static let longest = 64
    }

    /// A system call that failed for another reason than the state of the other end.
    package struct Failure: Error, Hashable {
        /// The error number, `errno`.
        package let code: Int32
    }

    /// Listens for programs; nil if another process serves the channels of this bus.
    package static func listen(on bus: String) -> SharedSocket? {
        guard let number = open(),
            unsafe withAddress(named: name("channels", bus), { unsafe bind(number.number, $0, $1) }) == 0,
            Glibc.listen(number.number, 16) == 0
        else { return nil }
        return SharedSocket(PacketSocket(adopting: number))
    }

    /// Accepts a program that waits; nil if there is none, or if it belongs to another user.
    package static func accept(from listener: SharedSocket) throws(Failure) -> SharedSocket? {
        guard let number = try acceptOwn(from: listener.socket.number) else { return nil }
        return SharedSocket(PacketSocket(adopting: number))
    }

    /// Requests a channel from the simulation on a bus, and returns the socket; nil if there is no simulation.
    package static func connect(_ request: Request, on bus: String) throws(Failure) -> Int32? {
        guard let number = try connect(to: bus) else { return nil }
        let packet = PacketSocket.filling(number.number, after: request.packet)
        guard unsafe send(number.number, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count else {
            switch errno {
            case EPIPE, ECONNRESET: return nil
            default: throw Failure(code: errno)
            }
        }
        return number.release()
    }

    /// Connects to the simulation on a bus; nil if there is none.
    static func connect(to bus: String) throws(Failure) -> OwnedDescriptor? {
        guard let number = open() else { throw Failure(code: errno) }
        let code = unsafe withAddress(
            named: name("channels", bus), { unsafe Glibc.connect(number.number, $0, $1) })
        switch code {
        case 0: break
        // No simulation listens, or none can listen on so long a name.
        case ECONNREFUSED, ENAMETOOLONG: return nil
        // With EAGAIN, too many programs wait for the simulation.
        default: throw Failure(code: code)
        }
        guard isOwn(number.number) else { return nil }
        return number
    }

    /// Returns the state of a channel that ``connect(_:on:)`` has requested, until it is open. It does not wait.
    ///
    /// A channel of ``acceptChannel(from:)`` is open.
    package static func state(of socket: Int32) -> ChannelSocketState {
        if let caller = caller(of: socket) { return .connected(mtu: caller.mtu, mps: caller.mps) }
        var packet = [UInt8](repeating: 0, count: 16)
        let count = unsafe recv(socket, &packet, packet.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return .connecting }
        return ChannelSocketState(packet: Array(packet.prefix(max(0, count)))) ?? .notConnected
    }

    // MARK: Sockets

    /// Opens a socket; nil, with the reason in `errno`, if the process or the system has none left.
    static func open() -> OwnedDescriptor? {
        let type = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let number = socket(AF_UNIX, Int32(type), 0)
        return number < 0 ? nil : OwnedDescriptor(adopting: number)
    }

    /// Accepts a connection; nil if there is none, or if it belongs to another user.
    static func acceptOwn(from listener: Int32) throws(Failure) -> OwnedDescriptor? {
        let number = Glibc.accept(listener, nil, nil)
        guard number >= 0 else {
            switch errno {
            case EAGAIN, EINTR, ECONNABORTED: return nil
            // Without a descriptor, a connection that waits keeps the listener readable.
            default: throw Failure(code: errno)
            }
        }
        let owned = OwnedDescriptor(adopting: number)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        guard isOwn(number) else { return nil }
        return owned
    }

    /// Returns the name of a socket of a bus.
    static func name(_ kind: String, _ bus: String) -> String {
        // The part after the comma, the identifier of the bus, may be missing.
        "rxbluetooth-\(kind):\(bus.prefix { $0 != "," })"
    }

    /// Passes the address of an abstract socket to a function of the C library.
    ///
    /// - Returns: 0, or the error number; `ENAMETOOLONG` if the name is too long.
    static func withAddress(named name: String, _ work: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        let name = Array("\0\(name)".utf8)
        var address = sockaddr_un()
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count <= capacity else { return ENAMETOOLONG }
        address.sun_family = sa_family_t(AF_UNIX)
        // `unsafe`: copies at most the size of the field, and passes a pointer that is valid during the call.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout.size(ofValue: address.sun_family) + name.count)
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe work($0, length) == 0 ? 0 : errno }
        }
    }

    /// Whether the other end belongs to a process of the same user. Everybody may use the name of an abstract socket.
    static func isOwn(_ socket: Int32) -> Bool {
        // `struct ucred`, which Glibc declares for GNU sources only: process, user, group.
        var other: (Int32, UInt32, UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: other))
        return unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.1 == getuid()
    }
}

extension ChannelSocketState {
    /// The packet in which a simulation sends the state: the kind, then the two sizes.
    package var packet: [UInt8] {
        switch self {
        case .connecting: [0]
        case .connected(let mtu, let mps): [1] + [mtu, mps].flatMap { [UInt8(clamping: $0 >> 8), UInt8($0 & 0xFF)] }
        case .refused: [2]
        case .notConnected: [3]
        }
    }

    package init?(packet: [UInt8]) {
        switch (packet.first, packet.count) {
        case (1, 5):
            self = .connected(
                mtu: Int(packet[1]) << 8 | Int(packet[2]), mps: Int(packet[3]) << 8 | Int(packet[4]))
        case (2, 1): self = .refused
        case (3, 1): self = .notConnected
        default: return nil
        }
    }
}

extension PacketSocket {
    /// Makes a socket not writable. The other end makes it writable again with ``discardFilling()``.
    ///
    /// One packet does it, because the socket is writable as soon as the last filling packet is taken: data of the
    /// channel could already follow.
    package static func fill(_ number: Int32) {
        let packet = filling(number)
        _ = unsafe Glibc.send(number, packet, packet.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// Returns a packet that fills a socket, with these bytes at its beginning.
    fileprivate static func filling(_ number: Int32, after beginning: [UInt8] = []) -> [UInt8] {
        var size: Int32 = 0
        var length = socklen_t(MemoryLayout.size(ofValue: size))
        _ = unsafe getsockopt(number, SOL_SOCKET, SO_SNDBUF, &size, &length)
        // The kernel lets a socket be writable while at least three quarters of its buffer are free.
        return beginning + [UInt8](repeating: 0, count: Int(size) / 2)
    }

    /// Returns the first bytes of the next packet, which can still be received; nil if none waits.
    package func peek(upTo count: Int) -> [UInt8]? {
        var packet = [UInt8](repeating: 0, count: count)
        let taken = unsafe recv(number, &packet, count, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
        return taken > 0 ? Array(packet.prefix(taken)) : nil
    }

    /// Receives the packet that fills the other end, and no other.
    package func discardFilling() { _ = receive(upTo: 1) }
}
