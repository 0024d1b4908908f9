import DBus
import Glibc

/// The L2CAP sockets of a simulation in another process, for a manager on its bus.
struct ServedL2CAPSockets: L2CAPSockets {
    /// The address of the bus.
    let bus: String

    func connect(_ request: L2CAPRequest) throws(BluetoothError) -> Int32 {
        let channel = ServedChannels.Request(address: request.peer?.description ?? "", psm: request.psm)
        do throws(ServedChannels.Failure) {
            if let socket = try ServedChannels.connect(channel, on: bus) { return socket }
        } catch { throw Self.error(error.code) }
        throw unsupported
    }

    func status(of socket: Int32) -> L2CAPSocketStatus {
        L2CAPSocketStatus(ServedChannels.state(of: socket))
    }

    func listen(_ request: L2CAPRequest) throws(BluetoothError) -> (socket: Int32, psm: UInt16) {
        // Any program can listen, but only a simulation opens channels.
        let isServed: Bool
        do throws(ServedChannels.Failure) {
            isServed = try ServedChannels.isServed(bus)
            if isServed, let listening = try ServedChannels.listen(psm: request.psm, on: bus) { return listening }
        } catch { throw Self.error(error.code) }
        throw isServed ? Self.error(EADDRINUSE) : unsupported
    }

    func accept(from socket: Int32) throws(BluetoothError) -> L2CAPAcceptedSocket? {
        let waiting: (socket: Int32, caller: ServedChannels.Caller)?
        do throws(ServedChannels.Failure) {
            waiting = try ServedChannels.acceptChannel(from: socket)
        } catch { throw Self.error(error.code) }
        guard let accepted = waiting else { return nil }
        guard let peer = BluetoothAddress(accepted.caller.address) else {
            _ = OwnedDescriptor(adopting: accepted.socket)
            return nil
        }
        return L2CAPAcceptedSocket(
            socket: accepted.socket, peer: peer, peerKind: accepted.caller.isRandom ? .random : .public)
    }

    private static func error(_ code: Int32) -> BluetoothError {
        switch code {
        case EAGAIN: BluetoothError(.resourceExhausted, detail: "Too many programs wait for the simulation")
        default: KernelL2CAPSockets.error(code)
        }
    }

    /// The error of a bus without a simulation.
    private var unsupported: BluetoothError {
        BluetoothError(
            .unsupported, detail: "DBUS_SYSTEM_BUS_ADDRESS names a bus on which no simulation opens L2CAP channels")
    }
}
