public import DBus

/// The L2CAP sockets of the simulation, which `SimulationSockets` of RxBluetooth uses.
extension Simulation: ChannelSockets {
    /// Opens a socket for a channel to a peripheral, see ``SimulatedBlueZ/openChannelSocket(to:psm:)``.
    public func openChannelSocket(to address: String, psm: UInt16) throws(DBusError) -> Int32 {
        try bluez.openChannelSocket(to: address, psm: psm)
    }

    /// Returns the state of a socket, as ``SimulatedBlueZ/channelStatus(of:)`` does.
    public func channelSocketState(of socket: Int32) -> ChannelSocketState {
        bluez.channelStatus(of: socket)
    }

    /// Opens a socket that listens on a PSM, see ``SimulatedBlueZ/openListeningSocket(psm:)``.
    public func openListeningSocket(psm: UInt16) throws(DBusError) -> (socket: Int32, psm: UInt16)? {
        try bluez.openListeningSocket(psm: psm)
    }

    /// Returns the next channel of a listening socket, see ``SimulatedBlueZ/acceptChannel(from:)``.
    public func acceptChannel(from socket: Int32) -> (socket: Int32, address: String, isRandom: Bool)? {
        bluez.acceptChannel(from: socket)
    }
}
