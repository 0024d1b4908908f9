public import DBus
import Glibc
import Rx

/// The kernel's table of simulated L2CAP sockets, which clients read on any thread.
final class SimulatedChannelTable: Sendable {
    /// A socket that listens on a PSM, and the channels that wait on it.
    private struct Listener {
        let socket: Int32
        /// The kernel's end, which shows whether the client has closed its own.
        let end: SharedSocket
        var waiting: [(socket: Int32, address: String, isRandom: Bool)] = []
    }

    private struct State {
        var statuses: [Int32: ChannelSocketState] = [:]
        var listeners: [UInt16: Listener] = [:]
        /// The address of the bus on which programs in other processes listen; nil if there are none.
        var bus: String?
    }

    private let state = Guarded(State())

    /// Lets devices open channels to programs in other processes.
    func serve(bus: String) { state.withLock { $0.bus = bus } }

    /// The address of the bus of other processes.
    var servedBus: String? { state.withLock { $0.bus } }

    func status(_ socket: Int32) -> ChannelSocketState {
        state.withLock { $0.statuses[socket] ?? .notConnected }
    }

    func set(_ status: ChannelSocketState, of socket: Int32) { state.withLock { $0.statuses[socket] = status } }

    /// Adds a listener. Returns its PSM; nil if the PSM is in use.
    func listen(_ socket: Int32, _ end: SharedSocket, psm: UInt16) -> UInt16? {
        state.withLock { state in
            state.listeners = state.listeners.filter { $0.value.end.socket.receive(upTo: 1) != .ended }
            let candidates = psm == 0 ? 0x80...0xFF : psm...psm
            guard let free = candidates.first(where: { state.listeners[$0] == nil }) else { return nil }
            state.listeners[free] = Listener(socket: socket, end: end)
            return free
        }
    }

    /// Enqueues a channel of a device. Returns false if nothing listens on the PSM.
    func enqueue(_ socket: Int32, from address: String, isRandom: Bool, psm: UInt16) -> Bool {
        state.withLock { state in
            guard let listener = state.listeners[psm] else { return false }
            state.listeners[psm]?.waiting.append((socket, address, isRandom))
            // Makes the client's end readable until the channel is accepted.
            listener.end.socket.send([0])
            return true
        }
    }

    func accept(_ socket: Int32) -> (socket: Int32, address: String, isRandom: Bool)? {
        state.withLock { state in
            guard let psm = state.listeners.first(where: { $0.value.socket == socket })?.key,
                state.listeners[psm]?.waiting.isEmpty == false
            else { return nil }
            PacketSocket.discardPacket(from: socket)
            return state.listeners[psm]?.waiting.removeFirst()
        }
    }
}

/// Controls of L2CAP channels. A manager uses the sockets through `SimulationSockets` of RxBluetooth.
extension SimulatedBlueZ {
    /// Lets a peripheral serve a PSM; nil ends that. Open channels are not affected.
    public func serveChannel(
        _ channel: SimulatedChannel?, psm: UInt16, of address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.check(address, file, line) else { return }
        control { environment, _ in environment.radio.described(address).channels[psm] = channel }
    }

    /// Opens a socket for a channel to a peripheral, and returns its file descriptor.
    ///
    /// The caller closes it.
    ///
    /// The channel is open when ``channelStatus(of:)`` shows it.
    ///
    /// - Throws: `LimitsExceeded` if the process has no descriptor left.
    public func openChannelSocket(to address: String, psm: UInt16) throws(DBusError) -> Int32 {
        let (number, end) = try Self.socketPair()
        channels.set(.connecting, of: number)
        PacketSocket.fill(number)
        openChannel(end, to: address, psm: psm) { [channels] state in channels.set(state, of: number) }
        return number
    }

    /// Opens a channel to a peripheral. The other end of the socket is filled, and becomes writable after `report`.
    func openChannel(
        _ end: SharedSocket, to address: String, psm: UInt16, _ report: @escaping @Sendable (ChannelSocketState) -> Void
    ) {
        let report = { @Sendable state in
            report(state)
            end.socket.discardFilling()
        }
        control { environment, daemon in
            guard let daemon, let deviceState = environment.radio.deviceState(address), let link = deviceState.link
            else { return report(.notConnected) }
            guard let channel = deviceState.channels[psm] else { return report(.refused) }
            switch channel.acceptance {
            case .ignores: link.channels.append(SimulatedChannelEnd(end, channel, on: daemon.loop))
            case .refuses: link.after(channel.delay) { report(.refused) }
            case .accepts:
                link.after(channel.delay) {
                    report(.connected(mtu: channel.mtu, mps: channel.mps))
                    let served = SimulatedChannelEnd(end, channel, on: daemon.loop)
                    link.channels.append(served)
                    served.start()
                }
            }
        }
    }

    /// Returns the state of a socket of ``openChannelSocket(to:psm:)`` or ``acceptChannel(from:)``.
    public func channelStatus(of socket: Int32) -> ChannelSocketState { channels.status(socket) }

    /// Opens a socket that listens on a PSM, and returns both.
    ///
    /// The caller closes the socket. The PSM 0 stands for any free dynamic PSM.
    ///
    /// - Returns: The file descriptor and the PSM; nil if the PSM is in use.
    /// - Throws: `LimitsExceeded` if the process has no descriptor left.
    public func openListeningSocket(psm: UInt16) throws(DBusError) -> (socket: Int32, psm: UInt16)? {
        let (number, end) = try Self.socketPair()
        guard let psm = channels.listen(number, end, psm: psm) else {
            close(number)
            return nil
        }
        return (number, psm)
    }

    /// Returns the next channel that a device has opened on a listening socket; nil if there is none.
    ///
    /// - Returns: The file descriptor, which the caller closes, and the address of the device.
    public func acceptChannel(from socket: Int32) -> (socket: Int32, address: String, isRandom: Bool)? {
        channels.accept(socket)
    }

    /// Lets a device open a channel to this computer, and send packets.
    ///
    /// A manager of this process listens, or, with ``ServedSimulation``, a program on the bus. Nothing happens if
    /// nothing listens on the PSM.
    public func openChannel(
        _ channel: SimulatedChannel, from address: String, psm: UInt16, sending packets: [[UInt8]] = [],
        file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.check(address, file, line) else { return }
        control { [channels] environment, daemon in
            let caller = ServedChannels.Caller(
                address: address, isRandom: environment.radio.described(address).address.isRandom, mtu: channel.mtu,
                mps: channel.mps)
            guard let daemon, let end = Self.end(of: caller, psm: psm, in: channels) else { return }
            let opened = SimulatedChannelEnd(end, channel, on: daemon.loop)
            environment.openedChannels.removeAll(where: \.isClosed)
            environment.openedChannels.append(opened)
            opened.start()
            opened.send(packets)
        }
    }

    /// Opens a channel to a listener of this process or of another one; nil if nothing listens on the PSM.
    private static func end(
        of caller: ServedChannels.Caller, psm: UInt16, in channels: SimulatedChannelTable
    ) -> SharedSocket? {
        guard let (number, end) = try? socketPair() else { return nil }
        channels.set(.connected(mtu: caller.mtu, mps: caller.mps), of: number)
        if channels.enqueue(number, from: caller.address, isRandom: caller.isRandom, psm: psm) { return end }
        close(number)
        guard let bus = channels.servedBus else { return nil }
        return ServedChannels.open(caller, psm: psm, on: bus)
    }

    /// Makes a pair of sockets: the descriptor of the client, and the kernel's end.
    private static func socketPair() throws(DBusError) -> (Int32, SharedSocket) {
        var number: Int32 = -1
        let end = SharedSocket(try PacketSocket.pair { number = fcntl($0.number, F_DUPFD_CLOEXEC, 0) })
        return (number, end)
    }
}
