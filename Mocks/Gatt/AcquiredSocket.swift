import DBus

/// bluetoothd's end of a socket that `AcquireWrite` or `AcquireNotify` handed out.
final class AcquiredSocket {
    private var end: SharedSocket?
    private let turns: Turns
    private var watch: BusTask?
    private var taken: ([UInt8]) -> Void = { _ in }
    private var ended: () -> Void = {}

    /// Makes the pair, and lends the client's end.
    init(
        on turns: Turns, lending lend: (borrowing OwnedDescriptor) throws(DBusError) -> Void
    ) throws(DBusError) {
        self.turns = turns
        end = SharedSocket(try PacketSocket.pair(lend))
    }

    /// Hears of each packet that the client sends, and of its end.
    func start(_ taken: @escaping ([UInt8]) -> Void, ended: @escaping () -> Void) {
        guard let end else { return }
        self.taken = taken
        self.ended = ended
        let turns = turns
        let parcel = Parcel { [weak self] in
            turns.run { self?.hear() }
        }
        watch = turns.bus.watch(end, for: .readable) { parcel.content() }
    }

    /// Takes what the client has sent so far, and its end.
    func hear() {
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
