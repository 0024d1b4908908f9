import DBus

/// The L2CAP sockets of a simulation in another process, for a manager on its bus.
struct ServedL2CAPSockets: L2CAPSockets {
    /// The address of the bus.
    let bus: String

    func connect(_ request: L2CAPRequest) throws(BluetoothError) -> Int32 {
        let channel = ServedChannels.Request(address: request.peer?.description ?? "", psm: request.psm)
        guard let socket = ServedChannels.connect(channel, on: bus) else { throw unsupported }
        return socket
    }

    func status(of socket: Int32) -> L2CAPSocketStatus {
        L2CAPSocketStatus(ServedChannels.state(of: socket))
    }

    func listen(_ request: L2CAPRequest) throws(BluetoothError) -> (socket: Int32, psm: UInt16) {
        // Any program can listen, but only a simulation opens channels.
        guard ServedChannels.isServed(bus) else { throw unsupported }
        do throws(DBusError) {
            if let listening = try ServedChannels.listen(psm: request.psm, on: bus) { return listening }
        } catch { throw BluetoothError(.resourceExhausted) }
        throw BluetoothError(.registrationFailed("The PSM is in use"))
    }

    func accept(from socket: Int32) throws(BluetoothError) -> L2CAPAcceptedSocket? {
        guard let accepted = ServedChannels.acceptChannel(from: socket) else { return nil }
        guard let peer = BluetoothAddress(accepted.caller.address) else {
            _ = OwnedDescriptor(adopting: accepted.socket)
            return nil
        }
        return L2CAPAcceptedSocket(
            socket: accepted.socket, peer: peer, peerKind: accepted.caller.isRandom ? .random : .public)
    }

    /// The error of a bus without a simulation.
    private var unsupported: BluetoothError {
        BluetoothError(
            .unsupported, detail: "DBUS_SYSTEM_BUS_ADDRESS names a bus on which no simulation opens L2CAP channels")
    }
}
