import DBus

/// A device's end of an L2CAP channel.
final class SimulatedChannelEnd {
    private var end: SharedSocket?
    private let channel: SimulatedChannel
    private let loop: DaemonLoop
    private var watch: BusTask?
    /// The condition that `watch` waits for.
    private var watched: SharedSocket.Event?
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

    func start() { listen(for: .readable) }

    /// Waits for a packet, or for room in the socket. The bus watches a socket for one of them only.
    private func listen(for event: SharedSocket.Event) {
        guard let end, watched != event else { return }
        watch?.cancel()
        watched = event
        let loop = loop
        let transfer = BusContextTransfer { [weak self] in loop.run { self?.pump() } }
        watch = loop.bus.watch(end, for: event) { transfer.content() }
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
                // The client may send nothing until it has all answers.
                case .full: return listen(for: .writable)
                case .ended: return close()
                }
            }
            listen(for: .readable)
            if let limit = channel.closesAfter, taken >= limit { return close() }
            switch end.socket.receive(upTo: channel.mtu) {
            case .packet(let packet):
                taken += 1
                pending += channel.answer(packet)
            case .nothing: return
            case .ended: return close()
            }
        }
        // The last answer of this turn is sent in the next one, also if no packet follows.
        if !pending.isEmpty { listen(for: .writable) }
    }

    func close() {
        watch?.cancel()
        watch = nil
        watched = nil
        end = nil
    }
}
