import Glibc

// The name of the connecting socket describes the device, as the address of a socket of the kernel does.
// A first packet with the description could arrive after the program has accepted the channel.
/// Sockets on which programs listen for L2CAP channels that devices of a simulation in another process open.
///
/// A program listens on an abstract socket that is named after its bus and the PSM. The simulation connects to it from
/// a socket that is named after the device. From then on, the socket is the channel.
extension ServedChannels {
    /// A device that opens a channel, and the sizes of the channel.
    package struct Caller: Hashable, Sendable {
        package let address: String
        package let isRandom: Bool
        package let mtu: Int
        package let mps: Int

        package init(address: String, isRandom: Bool, mtu: Int, mps: Int) {
            self.address = address
            self.isRandom = isRandom
            self.mtu = mtu
            self.mps = mps
        }

        package init?(socketName: String) {
            let words = socketName.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 6, words[0] == Self.firstWord, let mtu = Int(words[3]), let mps = Int(words[4]) else {
                return nil
            }
            self.init(address: String(words[1]), isRandom: words[2] == "random", mtu: mtu, mps: mps)
        }

        private static let firstWord = "rxbluetooth-device"

        /// Returns a name for a socket. Each socket has another one.
        package func socketName() -> String {
            let number = String(UInt64.random(in: .min ... .max), radix: 16)
            return "\(Self.firstWord) \(address) \(isRandom ? "random" : "public") \(mtu) \(mps) \(number)"
        }
    }

    /// Whether a simulation opens the channels of this bus.
    package static func isServed(_ bus: String) throws(Failure) -> Bool {
        guard let number = try connect(to: bus) else { return false }
        number.close()
        return true
    }

    /// Listens for devices. Returns nil if the PSM is in use; 0 stands for any free dynamic PSM.
    ///
    /// The caller closes the socket.
    package static func listen(psm: UInt16, on bus: String) throws(Failure) -> (socket: Int32, psm: UInt16)? {
        let candidates = psm == 0 ? 0x80...0xFF : psm...psm
        for candidate in candidates {
            guard let number = open() else { throw Failure(code: errno) }
            let name = listenerName(candidate, bus)
            let code = unsafe withAddress(named: name, { unsafe bind(number.number, $0, $1) })
            if code == EADDRINUSE { continue }
            guard code == 0 else { throw Failure(code: code) }
            guard Glibc.listen(number.number, backlog) == 0 else { throw Failure(code: errno) }
            return (number.release(), candidate)
        }
        return nil
    }

    /// Accepts the next channel of a device; nil if there is none, or if another program than a simulation opens it.
    ///
    /// The caller closes the socket.
    package static func acceptChannel(from listener: Int32) throws(Failure) -> (socket: Int32, caller: Caller)? {
        guard let number = try acceptOwn(from: listener), let caller = caller(of: number.number) else { return nil }
        return (number.release(), caller)
    }

    /// Opens a channel of a device, and returns the end of the device.
    ///
    /// Returns nil if no program listens on the PSM, or if too many channels wait for it.
    package static func open(_ caller: Caller, psm: UInt16, on bus: String) -> SharedSocket? {
        guard let number = open(),
            unsafe withAddress(named: caller.socketName(), { unsafe bind(number.number, $0, $1) }) == 0,
            unsafe withAddress(named: listenerName(psm, bus), { unsafe Glibc.connect(number.number, $0, $1) }) == 0,
            isOwn(number.number)
        else { return nil }
        return SharedSocket(PacketSocket(adopting: number))
    }

    /// The number of channels that wait for a program, as in the kernel.
    private static let backlog: Int32 = 8

    /// The name is never longer than that of the simulation's socket.
    private static func listenerName(_ psm: UInt16, _ bus: String) -> String { name("psm\(psm)", bus) }

    /// The device at the other end of an accepted channel; nil if a simulation has not opened it.
    static func caller(of socket: Int32) -> Caller? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(socket, $0, &length)
            }
        }
        guard result == 0 else { return nil }
        // Of the path, the first byte is 0 in the name of an abstract socket.
        let count = Int(length) - MemoryLayout.size(ofValue: address.sun_family)
        let path: [UInt8] = unsafe withUnsafeBytes(of: &address.sun_path) { unsafe Array($0.prefix(max(0, count))) }
        return Caller(socketName: String(decoding: path.dropFirst(), as: UTF8.self))
    }
}
