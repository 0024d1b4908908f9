internal import CBluetooth
import Glibc

/// The L2CAP sockets of the kernel.
///
/// Every process may open them. Source: Linux 6.1, `net/bluetooth/l2cap_sock.c`; BlueZ, `lib/l2cap.h`.
package struct KernelL2CAPSockets: L2CAPSockets {
    /// Makes an access to the sockets. Opens none before the first call.
    package init() {}

    package func connect(_ request: L2CAPRequest) throws(BluetoothError) -> Int32 {
        guard let peer = request.peer else { throw BluetoothError(.invalidArgument) }
        let socket = try Self.open(request, boundTo: 0)
        var address = Self.address(peer, request.peerKind, psm: request.psm)
        let result = unsafe Self.withAddress(&address) { unsafe Glibc.connect(socket, $0, $1) }
        // The attempt continues in the kernel; the socket becomes writable at its end.
        guard result != 0, errno != EINPROGRESS, errno != EAGAIN else { return socket }
        throw Self.closing(socket, errno)
    }

    package func status(of socket: Int32) -> L2CAPSocketStatus {
        var request = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&request, 1, 0) > 0 else { return .connecting }
        let code = Self.option(socket, SOL_SOCKET, SO_ERROR, Int32(0)) ?? errno
        if code != 0 { return .failed(Self.error(code)) }
        // After a failure that another call has read, only the flag of a closed socket is left.
        if request.revents & Int16(POLLHUP | POLLERR) != 0 { return .failed(BluetoothError(.channelRefused)) }
        let mtu = Self.option(socket, SOL_BLUETOOTH, BT_SNDMTU, UInt16(0)) ?? Self.smallestMTU
        let receiveMTU = Self.option(socket, SOL_BLUETOOTH, BT_RCVMTU, UInt16(0)) ?? Self.largestMTU
        return .connected(L2CAPParameters(mtu: Int(mtu), receiveMTU: Int(receiveMTU)))
    }

    package func listen(_ request: L2CAPRequest) throws(BluetoothError) -> (socket: Int32, psm: UInt16) {
        let socket = try Self.open(request, boundTo: request.psm)
        guard Glibc.listen(socket, Self.backlog) == 0 else { throw Self.closing(socket, errno) }
        var address = sockaddr_l2()
        // With the PSM 0, the kernel chooses a PSM when the socket begins to listen.
        let result = unsafe Self.readAddress(&address) { unsafe getsockname(socket, $0, $1) }
        guard result == 0 else { throw Self.closing(socket, errno) }
        return (socket, UInt16(littleEndian: address.l2_psm))
    }

    package func accept(from socket: Int32) throws(BluetoothError) -> L2CAPAcceptedSocket? {
        var address = sockaddr_l2()
        let accepted = unsafe Self.readAddress(&address) { unsafe Glibc.accept(socket, $0, $1) }
        guard accepted >= 0 else {
            switch errno {
            case EAGAIN, EINTR, ECONNABORTED: return nil
            default: throw Self.error(errno)
            }
        }
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        var number: UInt64 = 0
        unsafe withUnsafeBytes(of: &address.l2_bdaddr) { bytes in
            for index in bytes.indices { unsafe number |= UInt64(bytes[index]) << UInt64(8 * index) }
        }
        return L2CAPAcceptedSocket(
            socket: accepted, peer: BluetoothAddress(number),
            peerKind: address.l2_bdaddr_type == UInt8(BDADDR_LE_RANDOM) ? .random : .public)
    }

    // MARK: Sockets

    private static let backlog: Int32 = 8
    private static let smallestMTU: UInt16 = 23
    private static let largestMTU: UInt16 = .max

    /// Opens a socket with the options of a request, bound to its adapter.
    private static func open(_ request: L2CAPRequest, boundTo psm: UInt16) throws(BluetoothError) -> Int32 {
        let type = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let number = socket(AF_BLUETOOTH, Int32(type), BTPROTO_L2CAP)
        guard number >= 0 else { throw error(errno) }
        // The adapter's own LE address is public unless the kernel is configured otherwise.
        var address = address(request.adapterAddress ?? BluetoothAddress(0), .public, psm: psm)
        guard unsafe withAddress(&address, { unsafe bind(number, $0, $1) }) == 0 else {
            throw closing(number, errno, isBinding: true)
        }
        let security = bt_security(level: UInt8(request.security.rawValue), key_size: 0)
        guard set(number, BT_SECURITY, security) else { throw closing(number, errno) }
        if let mtu = request.receiveMTU, !set(number, BT_RCVMTU, UInt16(clamping: mtu)) {
            throw closing(number, errno)
        }
        return number
    }

    private static func address(
        _ address: BluetoothAddress, _ kind: BluetoothAddress.Kind, psm: UInt16
    ) -> sockaddr_l2 {
        var result = sockaddr_l2()
        result.l2_family = sa_family_t(AF_BLUETOOTH)
        result.l2_psm = psm.littleEndian
        result.l2_bdaddr_type = UInt8(kind == .random ? BDADDR_LE_RANDOM : BDADDR_LE_PUBLIC)
        // `unsafe`: writes the six bytes of the address in place.
        unsafe withUnsafeMutableBytes(of: &result.l2_bdaddr) { bytes in
            for index in bytes.indices {
                unsafe bytes[index] = UInt8(truncatingIfNeeded: address.number >> UInt64(8 * index))
            }
        }
        return result
    }

    /// Passes an address to a function of the C library.
    private static func withAddress(
        _ address: inout sockaddr_l2, _ work: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe work($0, socklen_t(MemoryLayout<sockaddr_l2>.size))
            }
        }
    }

    /// Receives an address from a function of the C library.
    private static func readAddress(
        _ address: inout sockaddr_l2,
        _ work: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32 {
        var length = socklen_t(MemoryLayout<sockaddr_l2>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe work($0, &length) }
        }
    }

    private static func set<Value: BitwiseCopyable>(_ socket: Int32, _ name: Int32, _ value: Value) -> Bool {
        var value = value
        return unsafe setsockopt(socket, SOL_BLUETOOTH, name, &value, socklen_t(MemoryLayout<Value>.size)) == 0
    }

    private static func option<Value: BitwiseCopyable>(
        _ socket: Int32, _ level: Int32, _ name: Int32, _ initial: Value
    ) -> Value? {
        var value = initial
        var length = socklen_t(MemoryLayout<Value>.size)
        return unsafe getsockopt(socket, level, name, &value, &length) == 0 ? value : nil
    }

    /// Closes a socket, and returns the error of a call that failed.
    private static func closing(_ socket: Int32, _ code: Int32, isBinding: Bool = false) -> BluetoothError {
        close(socket)
        return switch code {
        case EADDRNOTAVAIL where isBinding: BluetoothError(.noAdapter)
        case EACCES where isBinding:
            BluetoothError(.unauthorized, detail: "A PSM below 128 needs CAP_NET_BIND_SERVICE")
        default: error(code)
        }
    }

    // Q117, see docs/quirks.md.
    static func error(_ code: Int32) -> BluetoothError {
        switch code {
        // The kernel has one error for all refusals: no such PSM, no room, or too little security.
        case ECONNREFUSED: BluetoothError(.channelRefused)
        case ECONNRESET, ECONNABORTED, EPIPE, ENOTCONN: BluetoothError(.channelClosed)
        case EHOSTDOWN, ETIMEDOUT: BluetoothError(.timedOut)
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, ENODEV: BluetoothError(.noAdapter)
        case EADDRINUSE: BluetoothError(.registrationFailed("The PSM is in use"))
        case EACCES, EPERM: BluetoothError(.unauthorized)
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT, ENOPROTOOPT, EOPNOTSUPP:
            BluetoothError(.unsupported, detail: "The kernel has no Bluetooth, or keeps it from this process")
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: BluetoothError(.resourceExhausted)
        case EBUSY: BluetoothError(.busy)
        case EINVAL: BluetoothError(.invalidArgument, detail: "The kernel refused the parameters of the channel")
        default: BluetoothError(.channelRefused, detail: "The kernel reports error \(code)")
        }
    }
}
