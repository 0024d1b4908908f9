import DBus

/// bluetoothd's end of a socket that `AcquireWrite` or `AcquireNotify` handed out.
final class AcquiredSocket {
    private var end: SharedSocket?
    private let loop: DaemonLoop
    private var watch: BusTask?
    private var taken: ([UInt8]) -> Void = { _ in }
    private var ended: () -> Void = {}

    /// Makes the pair, and lends the client's end.
    init(
        on loop: DaemonLoop, lending lend: (borrowing OwnedDescriptor) throws(DBusError) -> Void
    ) throws(DBusError) {
        self.loop = loop
        end = SharedSocket(try PacketSocket.pair(lend))
    }

    /// Hears of each packet that the client sends, and of its end.
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

    /// Takes what the client has sent so far, and its end.
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

    /// A packet for which the client has no room is lost (Q106).
    func send(_ packet: [UInt8]) { end?.socket.send(packet) }

    func close() {
        watch?.cancel()
        watch = nil
        end = nil
    }

    deinit { watch?.cancel() }
}
