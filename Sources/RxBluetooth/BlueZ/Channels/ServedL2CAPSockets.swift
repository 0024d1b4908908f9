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

    func listen(_ request: L2CAPRequest) throws(BluetoothError) -> (socket: Int32, psm: UInt16) { throw unsupported }

    func accept(from socket: Int32) throws(BluetoothError) -> L2CAPAcceptedSocket? { throw unsupported }

    private var unsupported: BluetoothError {
        BluetoothError(
            .unsupported, detail: "DBUS_SYSTEM_BUS_ADDRESS names a bus on which no simulation opens L2CAP channels")
    }
}
