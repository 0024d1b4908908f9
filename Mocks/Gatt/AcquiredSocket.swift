import DBus
import Dispatch

/// bluetoothd's end of a socket that `AcquireWrite` or `AcquireNotify` handed out.
final class AcquiredSocket {
    private var end: SocketEnd?
    private let watch: DescriptorWatch
    private var taken: ([UInt8]) -> Void = { _ in }
    private var ended: () -> Void = {}

    /// Makes the pair, lends the client's end, and hears of each packet that the client sends, and of its end.
    init(
        on turns: Turns, lending lend: (borrowing OwnedDescriptor) throws(DBusError) -> Void
    ) throws(DBusError) {
        let end = SocketEnd(try PacketSocket.pair(lend))
        self.end = end
        watch = DescriptorWatch(end, on: turns)
    }

    func start(_ taken: @escaping ([UInt8]) -> Void, ended: @escaping () -> Void) {
        self.taken = taken
        self.ended = ended
        watch.start { [weak self] in self?.hear() }
    }

    /// Takes what the client has sent so far, and its end.
    func hear() {
        while watch.isOn, let end {
            switch end.socket.receive(upTo: 512) {
            case .packet(let packet): taken(packet)
            case .nothing: return
            case .ended:
                watch.cancel()
                return ended()
            }
        }
    }

    /// A packet for which the client has no room is lost (Q106).
    func send(_ packet: [UInt8]) { end?.socket.send(packet) }

    func close() {
        watch.cancel()
        end = nil
    }

    deinit { watch.cancel() }
}

/// Keeps a socket open as long as anybody uses it.
final class SocketEnd: Sendable {
    let socket: PacketSocket

    init(_ socket: consuming PacketSocket) { self.socket = socket }
}

/// Hears when a socket has something to read or has ended.
///
/// On a real bus the kernel tells it. A loop-back bus has a clock of its own, which no socket may stop or outrun, so
/// that a simulation repeats: there it is looked at each millisecond of that clock.
final class DescriptorWatch {
    private var end: SocketEnd?
    private let turns: Turns
    private var source: (any DispatchSourceRead)?
    private var timer: BusTask?
    private(set) var isOn = false

    init(_ end: SocketEnd, on turns: Turns) {
        self.end = end
        self.turns = turns
    }

    func start(_ ready: @escaping () -> Void) {
        isOn = true
        guard let end else { return }
        if turns.bus is LoopbackConnection { return look(ready) }
        let turns = turns
        let parcel = Parcel { turns.run(ready) }
        let bus = turns.bus
        let source = DispatchSource.makeReadSource(fileDescriptor: end.socket.number)
        let valve = Valve(source: source)
        source.setEventHandler {
            // It would go on telling; it is silent until the daemon has read.
            valve.source.suspend()
            bus.perform {
                parcel.content()
                valve.source.resume()
            }
        }
        // The number must not be given to another descriptor before.
        source.setCancelHandler { withExtendedLifetime(end) {} }
        source.activate()
        self.source = source
    }

    private func look(_ ready: @escaping () -> Void) {
        timer = turns.after(.milliseconds(1)) { [weak self] in
            guard let self, isOn else { return }
            ready()
            if isOn { look(ready) }
        }
    }

    func cancel() {
        isOn = false
        timer?.cancel()
        timer = nil
        source?.cancel()
        source = nil
        end = nil
    }
}

/// Lets events of a source through or holds them back.
private struct Valve: @unchecked Sendable {
    // Guard: libdispatch's own; a source may be suspended and resumed from any thread.
    let source: any DispatchSourceRead
}
