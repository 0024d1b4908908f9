/// Access to the L2CAP sockets of this machine.
///
/// By default, a manager on the system bus uses the sockets of the kernel, and a manager on a given bus has none,
/// because the adapters of that bus may be simulated. Tests can implement this protocol, for example with the sockets
/// of a simulation.
///
/// All methods are called on the thread of the bus, so the implementations must not block. A descriptor that a method
/// returns belongs to the library, which closes it. The sockets keep the boundaries of packets (`SOCK_SEQPACKET`).
public protocol L2CAPSockets: Sendable {
    /// Begins to connect a channel, and returns a socket that becomes writable when the attempt has ended.
    func connect(_ request: L2CAPRequest) throws(BluetoothError) -> Int32

    /// Returns the state of a socket that ``connect(_:)`` or ``accept(from:)`` has returned.
    func status(of socket: Int32) -> L2CAPSocketStatus

    /// Returns a socket that becomes readable when a device opens a channel, and its PSM.
    ///
    /// The request has no ``L2CAPRequest/peer``. The PSM 0 stands for any free dynamic PSM.
    func listen(_ request: L2CAPRequest) throws(BluetoothError) -> (socket: Int32, psm: UInt16)

    /// Accepts the next channel of a socket that ``listen(_:)`` has returned; nil if there is none.
    func accept(from socket: Int32) throws(BluetoothError) -> L2CAPAcceptedSocket?
}

/// A request for an L2CAP socket.
public struct L2CAPRequest: Hashable, Sendable {
    /// The PSM of the channel.
    public let psm: UInt16
    /// The name of the adapter, for example `hci0`.
    public let adapter: String
    /// The address of the adapter; nil if bluetoothd does not report it.
    public let adapterAddress: BluetoothAddress?
    /// The address of the device to connect; nil for a socket that listens.
    public let peer: BluetoothAddress?
    /// Whether the address of the device is public or random.
    public let peerKind: BluetoothAddress.Kind
    /// The security that the link must have.
    public let security: L2CAPSecurity
    /// The largest packet to receive, in bytes; nil for the default of the kernel.
    public let receiveMTU: Int?
}

/// The state of an L2CAP socket.
public enum L2CAPSocketStatus: Equatable, Sendable {
    /// The attempt to connect has not ended.
    case connecting
    /// The channel is open.
    case connected(L2CAPParameters)
    /// The channel could not be opened, or is closed.
    case failed(BluetoothError)
}

/// The sizes of an open L2CAP channel, in bytes.
public struct L2CAPParameters: Hashable, Sendable {
    /// The largest packet (SDU) that can be sent.
    public let mtu: Int
    /// The largest packet (SDU) that can be received.
    public let receiveMTU: Int
    /// The largest fragment (PDU) that can be sent; nil if it is not known.
    public let mps: Int?

    /// Makes the sizes of a channel.
    public init(mtu: Int, receiveMTU: Int, mps: Int? = nil) {
        self.mtu = mtu
        self.receiveMTU = receiveMTU
        self.mps = mps
    }
}

/// An L2CAP channel that a device has opened.
public struct L2CAPAcceptedSocket: Sendable {
    /// The file descriptor.
    public let socket: Int32
    /// The address of the device.
    public let peer: BluetoothAddress
    /// Whether the address of the device is public or random.
    public let peerKind: BluetoothAddress.Kind

    /// Describes an accepted socket.
    public init(socket: Int32, peer: BluetoothAddress, peerKind: BluetoothAddress.Kind) {
        self.socket = socket
        self.peer = peer
        self.peerKind = peerKind
    }
}

/// The security that the link of an L2CAP channel must have.
///
/// If the link has less, the kernel encrypts the link with the bond, or starts a pairing. Source: Core Specification
/// 5.4, Vol 3, Part C, 10.2.1.
public enum L2CAPSecurity: Int, Hashable, Sendable, CaseIterable {
    /// No encryption is necessary.
    case none = 1
    /// The link must be encrypted.
    case encrypted
    /// The link must be encrypted, with protection against a device in the middle.
    case authenticated
    /// As `authenticated`, with a key of LE Secure Connections.
    case secureConnections
}
