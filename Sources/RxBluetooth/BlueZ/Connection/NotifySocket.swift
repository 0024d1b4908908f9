import DBus

/// The socket over which bluetoothd hands notified values over, one a packet.
final class NotifySocket {
    private var end: SharedSocket?
    private let bus: BusContext
    private var watch: BusTask?
    private var received: (([UInt8]) -> Void)?

    /// Takes the socket out of the answer of `AcquireNotify`.
    init(_ reply: Message, on bus: BusContext) throws(DBusError) {
        self.bus = bus
        end = try reply.read { (body) throws(DBusError) in
            SharedSocket(PacketSocket(adopting: try body.descriptor()))
        }
    }

    /// Hands over each value, and hears of the end. The end is not told after ``close()``.
    func start(_ received: @escaping ([UInt8]) -> Void, ended: @escaping () -> Void) {
        guard let end else { return }
        self.received = received
        watch = bus.watch(end, for: .readable) { [weak self] in
            if let self, !drain() {
                close()
                ended()
            }
        }
    }

    /// Hands over what is there. False where the other end is closed.
    @discardableResult
    func drain() -> Bool {
        while let end, let received {
            switch end.socket.receive(upTo: Characteristic.longestValue) {
            case .packet(let value): received(value)
            case .nothing: return true
            case .ended: return false
            }
        }
        return true
    }

    /// Closes our end; bluetoothd then gives the characteristic to whoever asks next.
    func close() {
        watch?.cancel()
        watch = nil
        received = nil
        end = nil
    }
}
