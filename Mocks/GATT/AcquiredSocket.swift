import DBus

/// bluetoothd's end of a socket that `AcquireWrite` or `AcquireNotify` returned.
final class AcquiredSocket {
    private var end: SharedSocket?
    private let loop: DaemonLoop
    private var watch: BusTask?
    private var taken: ([UInt8]) -> Void = { _ in }
    private var ended: () -> Void = {}

    /// Creates the socket pair and passes the client's end to `lend`.
    init(
        on loop: DaemonLoop, lending lend: (borrowing OwnedDescriptor) throws(DBusError) -> Void
    ) throws(DBusError) {
        self.loop = loop
        end = SharedSocket(try PacketSocket.pair(lend))
    }

    /// Starts to pass each packet to `taken`. Calls `ended` when the client closes its end.
    func start(_ taken: @escaping ([UInt8]) -> Void, ended: @escaping () -> Void) {
        guard let end else { return }
        self.taken = taken
        self.ended = ended
        let loop = loop
        let transfer = BusContextTransfer { [weak self] in
            loop.run { self?.receivePackets() }
        }
        watch = loop.bus.watch(end, for: .readable) { transfer.content() }
    }

    /// Receives all packets that are waiting.
    func receivePackets() {
        while watch != nil, let end {
            switch end.socket.receive(upTo: 512) {
            case .packet(let packet): taken(packet)
            case .nothing: return
            case .ended:
                close()
                return ended()
            }
        }
    }

    /// Sends a packet. The packet is lost if the client's buffer is full (Q106).
    func send(_ packet: [UInt8]) { end?.socket.send(packet) }

    func close() {
        watch?.cancel()
        watch = nil
        end = nil
    }

    deinit { watch?.cancel() }
}
