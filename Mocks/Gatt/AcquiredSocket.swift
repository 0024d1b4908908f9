import DBus

/// bluetoothd's end of a socket that `AcquireWrite` or `AcquireNotify` handed out.
final class AcquiredSocket {
    private var end: SharedSocket?
    private let turns: Turns
    private var watch: BusTask?

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
        let turns = turns
        let parcel = Parcel { [weak self] in
            turns.run { self?.read(taken, ended) }
        }
        watch = turns.bus.watch(end, for: .readable) { parcel.content() }
    }

    private func read(_ taken: ([UInt8]) -> Void, _ ended: () -> Void) {
        while let end {
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
        end = nil
    }

    deinit { watch?.cancel() }
}
