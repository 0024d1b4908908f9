import Rx
import RxBluetooth
import RxBluetoothMocks

/// The L2CAP sockets of a simulation, which records the requests and can fail.
final class SimulatedL2CAP: L2CAPSockets {
    private let sockets = BehaviorRelay<SimulationSockets?>(value: nil)
    private let recorded = Guarded<[L2CAPRequest]>([])
    /// The error of each attempt to open a socket; nil if it succeeds.
    private let failure: BluetoothError?

    init(failure: BluetoothError? = nil) { self.failure = failure }

    /// Sets the simulation, which is made after this object.
    func use(_ simulation: Simulation) { sockets.accept(SimulationSockets(simulation)) }

    /// The requests for sockets so far, in order.
    var requests: [L2CAPRequest] { recorded.withLock { $0 } }

    private func sockets(for request: L2CAPRequest) throws(BluetoothError) -> SimulationSockets {
        recorded.withLock { $0.append(request) }
        if let failure { throw failure }
        guard let sockets = sockets.value else { throw BluetoothError(.unsupported) }
        return sockets
    }

    func connect(_ request: L2CAPRequest) throws(BluetoothError) -> Int32 {
        try sockets(for: request).connect(request)
    }

    func status(of socket: Int32) -> L2CAPSocketStatus {
        sockets.value?.status(of: socket) ?? .failed(BluetoothError(.channelClosed))
    }

    func listen(_ request: L2CAPRequest) throws(BluetoothError) -> (socket: Int32, psm: UInt16) {
        try sockets(for: request).listen(request)
    }

    func accept(from socket: Int32) throws(BluetoothError) -> L2CAPAcceptedSocket? {
        try sockets.value?.accept(from: socket)
    }
}
