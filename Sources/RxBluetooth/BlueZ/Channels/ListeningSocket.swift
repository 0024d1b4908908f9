import DBus

/// A socket on which devices open L2CAP channels, and the channels that they have opened.
final class ListeningSocket {
    /// The user may hold the listener longer than the manager exists.
    private weak let client: BlueZClient?
    let adapter: UInt16
    let psm: UInt16
    private let options: L2CAPChannelOptions
    private let sockets: any L2CAPSockets
    private let emitter: Emitter<L2CAPListener>
    private var end: SharedSocket?
    private var watch: BusTask?
    private let observers = EmitterList<L2CAPChannel>()
    private var channels: [ChannelSocket] = []

    /// The largest number of channels that are accepted in one turn of the bus context.
    private static let channelsPerTurn = 16

    init(
        _ socket: Int32, psm: UInt16, _ options: L2CAPChannelOptions, on adapter: UInt16, _ client: BlueZClient,
        _ sockets: any L2CAPSockets, _ emitter: Emitter<L2CAPListener>
    ) {
        end = SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: socket)))
        self.psm = psm
        self.options = options
        self.adapter = adapter
        self.client = client
        self.sockets = sockets
        self.emitter = emitter
    }

    func add(_ observer: Emitter<L2CAPChannel>) {
        guard end != nil else { return observer.complete() }
        observers.add(observer) { [weak self] in self?.acceptIfObserved() }
        acceptIfObserved()
    }

    /// Accepts channels while there is a subscriber. Otherwise they wait in the kernel.
    private func acceptIfObserved() {
        guard let end, !observers.isEmpty else {
            watch?.cancel()
            watch = nil
            return
        }
        if watch == nil { watch = client?.bus.watch(end, for: .readable) { [weak self] in self?.acceptWaiting() } }
    }

    private func acceptWaiting() {
        for _ in 0..<Self.channelsPerTurn {
            guard let end, !observers.isEmpty else { return }
            do throws(BluetoothError) {
                guard let accepted = try sockets.accept(from: end.socket.number) else { return }
                try open(accepted)
            } catch {
                // One channel that has ended meanwhile does not end the listener.
                guard error.kind != .notConnected, error.kind != .channelClosed else { continue }
                return emitter.fail(error.during(.publishChannel, target))
            }
        }
    }

    private func open(_ accepted: L2CAPAcceptedSocket) throws(BluetoothError) {
        guard let client else {
            _ = OwnedDescriptor(adopting: accepted.socket)
            throw BluetoothError(.closed)
        }
        let key = DeviceKey(adapter: adapter, address: accepted.peer)
        let socket = try ChannelSocket(accepted.socket, to: key, psm: psm, client, sockets, isAccepted: true)
        guard let parameters = socket.parameters else { return }
        channels.append(socket)
        socket.ended = { [weak self, weak socket] _ in self?.channels.removeAll { $0 === socket } }
        observers.next(
            L2CAPChannel(
                client.peripherals.peripheral(for: key, kind: accepted.peerKind, of: client.access), psm: psm,
                parameters, capacity: options.buffer, socket: client.bus.confined(socket)))
    }

    private var target: String { "PSM \(psm)" }

    /// Ends the listener with an error; its subscription closes the sockets.
    func fail(_ error: BluetoothError) { emitter.fail(error.during(.publishChannel, target)) }

    /// Stops listening, and closes the channels.
    func close() {
        watch?.cancel()
        watch = nil
        end = nil
        for channel in channels { channel.dispose() }
        channels = []
        for observer in observers.removeAll() { observer.complete() }
    }
}
