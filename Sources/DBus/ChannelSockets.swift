/// The L2CAP sockets of a simulated machine, which come from the same simulation as its bus.
///
/// All methods may be called on any thread, and do not block. The caller closes the descriptors that they return.
public protocol ChannelSockets: Sendable {
    /// Opens a socket for a channel to a device. It becomes writable when the attempt has ended.
    func openChannelSocket(to address: String, psm: UInt16) throws(DBusError) -> Int32

    /// Returns the state of a socket that another method has returned.
    func channelSocketState(of socket: Int32) -> ChannelSocketState

    /// Opens a socket that listens on a PSM; 0 stands for any free dynamic one. Returns nil if the PSM is in use.
    func openListeningSocket(psm: UInt16) throws(DBusError) -> (socket: Int32, psm: UInt16)?

    /// Returns the next channel that a device has opened on a listening socket; nil if there is none.
    func acceptChannel(from socket: Int32) -> (socket: Int32, address: String, isRandom: Bool)?
}

/// The state of a socket of ``ChannelSockets``.
public enum ChannelSocketState: Hashable, Sendable {
    /// The device has not answered yet.
    case connecting
    /// The channel is open, with the largest packet and the largest fragment of the device in bytes.
    case connected(mtu: Int, mps: Int)
    /// The device has refused the channel.
    case refused
    /// There is no link to the device.
    case notConnected
}
