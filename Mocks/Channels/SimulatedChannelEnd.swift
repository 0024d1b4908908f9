import DBus

/// A device's end of an L2CAP channel.
final class SimulatedChannelEnd {
    private var end: SharedSocket?
    private let channel: SimulatedChannel
    private let loop: DaemonLoop
    private var watch: BusTask?
    /// Answers that wait for room in the socket.
    private var pending: ArraySlice<[UInt8]> = []
    private var taken = 0

    /// The largest number of packets in one turn.
    private static let packetsPerTurn = 64

    init(_ end: SharedSocket, _ channel: SimulatedChannel, on loop: DaemonLoop) {
        self.end = end
        self.channel = channel
        self.loop = loop
    }

    var isClosed: Bool { end == nil }

    func start() {
        guard let end else { return }
        let loop = loop
        let transfer = BusContextTransfer { [weak self] in loop.run { self?.pump() } }
        watch = loop.bus.watch(end, for: .readable) { transfer.content() }
    }

    /// Sends packets of the device itself.
    func send(_ packets: [[UInt8]]) {
        pending += packets
        pump()
    }

    /// Sends the answers that wait, then receives packets. Without room for answers, it does not receive.
    private func pump() {
        for _ in 0..<Self.packetsPerTurn {
            guard let end else { return }
            while let packet = pending.first {
                switch end.socket.trySend(packet) {
                case .sent: pending.removeFirst()
                case .full: return
                case .ended: return close()
                }
            }
            if let limit = channel.closesAfter, taken >= limit { return close() }
            switch end.socket.receive(upTo: channel.mtu) {
            case .packet(let packet):
                taken += 1
                pending += channel.answer(packet)
            case .nothing: return
            case .ended: return close()
            }
        }
    }

    func close() {
        watch?.cancel()
        watch = nil
        end = nil
    }
}
