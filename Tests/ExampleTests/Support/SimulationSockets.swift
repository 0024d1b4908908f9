import RxBluetooth
import RxBluetoothMocks
import Synchronization

/// The L2CAP sockets of a simulation, for a manager of a test.
final class SimulationSockets: L2CAPSockets {
    private let simulation = Mutex<Simulation?>(nil)

    /// Sets the simulation, which is made after the sockets.
    func use(_ simulation: Simulation) { self.simulation.withLock { $0 = simulation } }

    private var bluez: SimulatedBlueZ? { simulation.withLock { $0?.bluez } }

    func connect(_ request: L2CAPRequest) throws(BluetoothError) -> Int32 {
        guard let bluez, let peer = request.peer else { throw BluetoothError(.unsupported) }
        do { return try bluez.openChannelSocket(to: "\(peer)", psm: request.psm) } catch {
            throw BluetoothError(.resourceExhausted)
        }
    }

    func status(of socket: Int32) -> L2CAPSocketStatus {
        switch bluez?.channelStatus(of: socket) {
        case .connecting: .connecting
        case .connected(let mtu, let mps): .connected(L2CAPParameters(mtu: mtu, receiveMTU: 2048, mps: mps))
        case .refused: .failed(BluetoothError(.channelRefused))
        case .notConnected, nil: .failed(BluetoothError(.channelClosed))
        }
    }

    func listen(_ request: L2CAPRequest) throws(BluetoothError) -> (socket: Int32, psm: UInt16) {
        guard let bluez else { throw BluetoothError(.unsupported) }
        do {
            if let listening = try bluez.openListeningSocket(psm: request.psm) { return listening }
        } catch {
            throw BluetoothError(.resourceExhausted)
        }
        throw BluetoothError(.registrationFailed("The PSM is in use"))
    }

    func accept(from socket: Int32) throws(BluetoothError) -> L2CAPAcceptedSocket? {
        guard let accepted = bluez?.acceptChannel(from: socket), let address = BluetoothAddress(accepted.address)
        else { return nil }
        return L2CAPAcceptedSocket(
            socket: accepted.socket, peer: address, peerKind: accepted.isRandom ? .random : .public)
    }
}
