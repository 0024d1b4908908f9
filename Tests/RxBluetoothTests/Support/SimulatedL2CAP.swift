import DBus
import Rx
import RxBluetooth
import RxBluetoothMocks

/// The L2CAP sockets of a simulation, for a manager.
final class SimulatedL2CAP: L2CAPSockets {
    private let simulation = BehaviorRelay<Simulation?>(value: nil)
    private let recorded = Guarded<[L2CAPRequest]>([])
    /// The error of each attempt to open a socket; nil if it succeeds.
    private let failure: BluetoothError?

    init(failure: BluetoothError? = nil) { self.failure = failure }

    /// Sets the simulation, which is made after this object.
    func use(_ simulation: Simulation) { self.simulation.accept(simulation) }

    /// The requests for sockets so far, in order.
    var requests: [L2CAPRequest] { recorded.withLock { $0 } }

    private func bluez(_ request: L2CAPRequest) throws(BluetoothError) -> SimulatedBlueZ {
        recorded.withLock { $0.append(request) }
        if let failure { throw failure }
        guard let simulation = simulation.value else { throw BluetoothError(.unsupported) }
        return simulation.bluez
    }

    func connect(_ request: L2CAPRequest) throws(BluetoothError) -> Int32 {
        let bluez = try bluez(request)
        do throws(DBusError) {
            return try bluez.openChannelSocket(to: request.peer?.description ?? "", psm: request.psm)
        } catch { throw BluetoothError(.resourceExhausted) }
    }

    func status(of socket: Int32) -> L2CAPSocketStatus {
        switch simulation.value?.bluez.channelStatus(of: socket) {
        case .connecting: .connecting
        case .connected(let mtu, let mps): .connected(L2CAPParameters(mtu: mtu, receiveMTU: 2048, mps: mps))
        case .refused: .failed(BluetoothError(.channelRefused))
        case .notConnected, nil: .failed(BluetoothError(.channelClosed))
        }
    }

    func listen(_ request: L2CAPRequest) throws(BluetoothError) -> (socket: Int32, psm: UInt16) {
        let bluez = try bluez(request)
        do throws(DBusError) {
            if let listening = try bluez.openListeningSocket(psm: request.psm) { return listening }
        } catch { throw BluetoothError(.resourceExhausted) }
        throw BluetoothError(.registrationFailed("The PSM is in use"))
    }

    func accept(from socket: Int32) throws(BluetoothError) -> L2CAPAcceptedSocket? {
        guard let accepted = simulation.value?.bluez.acceptChannel(from: socket),
            let address = BluetoothAddress(accepted.address)
        else { return nil }
        return L2CAPAcceptedSocket(
            socket: accepted.socket, peer: address, peerKind: accepted.isRandom ? .random : .public)
    }
}
