public import DBus
import Rx

// Promise S114, see docs/promises.md.
/// The L2CAP sockets of a simulation, for the manager of a test.
///
/// A manager on a simulated bus has no L2CAP channels without them. Example:
///
///     var configuration = BluetoothManager.Configuration(scheduler: scheduler)
///     configuration.channels = SimulationSockets(simulation)
///     let manager = BluetoothManager(configuration: configuration, bus: simulation.connect())
///
/// The simulated peripherals serve channels with `serveChannel(_:psm:of:)`.
public final class SimulationSockets: L2CAPSockets {
    private let source: Guarded<(any ChannelSockets)?>

    /// Creates the sockets.
    ///
    /// - Parameter simulation: The simulation. Default: none, until ``use(_:)`` is called.
    public init(_ simulation: (any ChannelSockets)? = nil) { source = Guarded(simulation) }

    /// Sets the simulation, for sockets that are made before it.
    public func use(_ simulation: any ChannelSockets) { source.withLock { $0 = simulation } }

    private func simulation() throws(BluetoothError) -> any ChannelSockets {
        guard let simulation = source.withLock({ $0 }) else { throw BluetoothError(.unsupported) }
        return simulation
    }

    /// Begins to connect a channel, and returns its socket.
    public func connect(_ request: L2CAPRequest) throws(BluetoothError) -> Int32 {
        let simulation = try simulation()
        do throws(DBusError) {
            return try simulation.openChannelSocket(to: request.peer?.description ?? "", psm: request.psm)
        } catch { throw BluetoothError(.resourceExhausted) }
    }

    /// Returns the state of a socket.
    public func status(of socket: Int32) -> L2CAPSocketStatus {
        L2CAPSocketStatus(source.withLock { $0 }?.channelSocketState(of: socket) ?? .notConnected)
    }

    /// Returns a socket that listens on a PSM.
    public func listen(_ request: L2CAPRequest) throws(BluetoothError) -> (socket: Int32, psm: UInt16) {
        let simulation = try simulation()
        do throws(DBusError) {
            if let listening = try simulation.openListeningSocket(psm: request.psm) { return listening }
        } catch { throw BluetoothError(.resourceExhausted) }
        throw BluetoothError(.registrationFailed("The PSM is in use"))
    }

    /// Accepts the next channel of a listening socket; nil if there is none.
    public func accept(from socket: Int32) throws(BluetoothError) -> L2CAPAcceptedSocket? {
        guard let accepted = try simulation().acceptChannel(from: socket),
            let address = BluetoothAddress(accepted.address)
        else { return nil }
        return L2CAPAcceptedSocket(
            socket: accepted.socket, peer: address, peerKind: accepted.isRandom ? .random : .public)
    }
}

extension L2CAPSocketStatus {
    /// The status of a socket of a simulation.
    init(_ state: ChannelSocketState) {
        self =
            switch state {
            case .connecting: .connecting
            case .connected(let mtu, let mps): .connected(L2CAPParameters(mtu: mtu, receiveMTU: 2048, mps: mps))
            case .refused: .failed(BluetoothError(.channelRefused))
            case .notConnected: .failed(BluetoothError(.channelClosed))
            }
    }
}
