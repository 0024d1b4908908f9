import DBus
import Glibc

/// An L2CAP channel over its socket: connecting, receiving, sending and closing.
///
/// ``ChannelState`` decides what to do; this class uses the socket and runs the timers.
final class ChannelSocket {
    private var state: ChannelState
    /// The user may hold the channel longer than the manager exists.
    private weak let client: BlueZClient?
    private let bus: BusContext
    private let deadlines: Deadlines
    private let teardowns: TeardownTracker
    private let device: DeviceKey
    private let target: String
    private let sockets: any L2CAPSockets
    /// Two descriptors of one socket, because the bus watches a descriptor for one event only.
    private var reader: SharedSocket?
    private var writer: SharedSocket?
    private var readWatch: BusTask?
    private var writeWatch: BusTask?
    private var deadline: BusTask?
    private var drainPoll: BusTask?
    /// Whether ``TeardownTracker`` counts the closing.
    private var isDraining = false
    private(set) var parameters: L2CAPParameters?
    private var receivers: [(emitter: Emitter<[UInt8]>, window: ReceiveWindow)] = []
    /// Packets that arrived before the end of the channel, while there was no subscriber.
    private var leftover: [[UInt8]] = []
    private var writes: [PendingWrite] = []
    private var closers: [Emitter<Never>] = []
    /// Receives the parameters when the channel is open.
    var opened: ((L2CAPParameters) -> Void)?
    /// Receives the error of the channel when it has ended; nil if it was closed.
    var ended: ((BluetoothError?) -> Void)?

    private struct PendingWrite {
        let data: [UInt8]
        var position = 0
        let emitter: Emitter<Never>
    }

    /// The largest number of packets in one turn of the bus context.
    static let packetsPerTurn = 64
    private static let drainInterval = Duration.milliseconds(10)

    /// Takes over a socket that connects, or that is open.
    init(
        _ number: Int32, to device: DeviceKey, psm: UInt16, _ client: BlueZClient, _ sockets: any L2CAPSockets,
        isAccepted: Bool = false
    ) throws(BluetoothError) {
        let descriptor = OwnedDescriptor(adopting: number)
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw BluetoothError(.resourceExhausted) }
        reader = SharedSocket(PacketSocket(adopting: descriptor))
        writer = SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: copy)))
        state = ChannelState(isAccepted: isAccepted)
        self.device = device
        self.client = client
        bus = client.bus
        deadlines = client.settings.deadlines
        teardowns = client.teardowns
        self.sockets = sockets
        target = Self.target(psm, device.address)
        guard isAccepted else { return }
        switch sockets.status(of: number) {
        case .connected(let parameters): self.parameters = parameters
        case .failed(let error): throw error
        case .connecting: throw BluetoothError(.notConnected)
        }
    }

    static func target(_ psm: UInt16, _ address: BluetoothAddress) -> String { "PSM \(psm) of \(address)" }

    func start() { handle(.start) }

    /// Ends the channel, because the link is lost or the manager is closed.
    func lost(_ cause: BluetoothError) { handle(.lost(cause)) }

    /// Closes the channel, because its subscription has ended.
    func dispose() { handle(.dispose) }

    // MARK: The state machine

    private func handle(_ event: ChannelState.Event) {
        for action in state.handle(event) { execute(action) }
    }

    private func execute(_ action: ChannelState.Action) {
        switch action {
        case .startOpenDeadline:
            deadline = bus.schedule(after: deadlines.openChannel) { [weak self] in self?.handle(.openDeadline) }
        case .startCloseDeadline:
            deadline?.cancel()
            // The timer retains the channel, because its subscription may have ended.
            deadline = bus.schedule(after: deadlines.cleanup) { [self] in handle(.closeDeadline) }
        case .cancelDeadline: deadline?.cancel()
        case .waitForConnection: watchWriter { [weak self] in self?.readStatus() }
        case .open(let parameters):
            self.parameters = parameters
            stopWatchingWriter()
            opened?(parameters)
        case .confirmLink: confirmLink()
        case .waitForWrites: if writes.isEmpty { handle(.written) }
        case .drain: drain()
        case .release: release()
        case .finishUsers(let error): finishUsers(error)
        case .failUsers(let cause): failUsers(cause)
        case .complete: end(nil)
        case .fail(let error): end(error)
        }
    }

    private func readStatus() {
        guard let reader else { return }
        handle(.status(sockets.status(of: reader.socket.number)))
    }

    /// Reads `Connected`: if the link is lost, the reason arrives before the reply and ends the channel.
    private func confirmLink() {
        stopWatching()
        guard let client else { return handle(.lost(BluetoothError(.closed))) }
        client.readFlag("Connected", of: BlueZ.device, at: device.path) { [weak self] _ in
            guard let self else { return }
            handle(.linkConfirmed(isUp: self.client?.links[device]?.isConnected == true))
        }
    }

    private func end(_ error: BluetoothError?) {
        let ended = ended
        self.ended = nil
        opened = nil
        ended?(error)
    }

    // MARK: Receiving

    func receive(_ emitter: Emitter<[UInt8]>, within window: ReceiveWindow) {
        switch state.phase {
        case .open, .finishing, .confirmingLink: break
        case .ended where !leftover.isEmpty:
            for packet in takeLeftover(within: window) { emitter.next(packet) }
            return emitter.complete()
        case .connecting, .draining, .ended: return emitter.fail(ChannelState.closed)
        }
        receivers.append((emitter, window))
        for packet in takeLeftover(within: window) { emitter.next(packet) }
        emitter.onEnd { [weak self] in
            guard let self else { return }
            receivers.removeAll { $0.emitter === emitter }
            continueReceiving()
        }
        continueReceiving()
    }

    /// Watches the socket if there is a subscriber, and all subscribers have room.
    private func continueReceiving() {
        let resume = bus.callback { [weak self] (_: Void) in self?.continueReceiving() }
        // Each full window must know how to continue, so all of them are examined.
        let isReady = receivers.map { $0.window.hasRoom(orRun: { resume(()) }) }.allSatisfy { $0 }
        guard !receivers.isEmpty, isReady, let reader, state.phase == .open || state.phase == .finishing else {
            readWatch?.cancel()
            readWatch = nil
            return
        }
        guard readWatch == nil else { return }
        readWatch = bus.watch(reader, for: .readable) { [weak self] in self?.receiveWaiting() }
    }

    private func receiveWaiting() {
        guard let reader, let parameters else { return }
        let room = receivers.map(\.window.room).min() ?? 0
        guard room > 0 else { return continueReceiving() }
        var packets: [[UInt8]] = []
        let progress = reader.socket.receiveWaiting(
            into: &packets, atMost: min(room, Self.packetsPerTurn), upTo: parameters.receiveMTU)
        deliver(packets)
        if progress == .ended { socketEnded() } else if !packets.isEmpty { continueReceiving() }
    }

    private func deliver(_ packets: [[UInt8]]) {
        if receivers.isEmpty { leftover += packets }
        for (emitter, window) in receivers {
            window.add(packets.count)
            for packet in packets { emitter.next(packet) }
        }
    }

    private func takeLeftover(within window: ReceiveWindow) -> [[UInt8]] {
        defer { leftover = [] }
        window.add(leftover.count)
        return leftover
    }

    /// Delivers the packets that arrived before the end of the socket.
    ///
    /// They are at most those in the kernel's buffer, so they may exceed a window.
    private func socketEnded() {
        guard let reader, let parameters else { return }
        var packets: [[UInt8]] = []
        // A reset is reported once, before the packets that wait.
        for _ in 0..<2 {
            while reader.socket.receiveWaiting(
                into: &packets, atMost: Self.packetsPerTurn, upTo: parameters.receiveMTU) == .limitReached
            {}
        }
        deliver(packets)
        handle(.socketEnded)
    }

    // MARK: Sending

    /// Sends data in packets of the MTU.
    func send(_ data: [UInt8], _ emitter: Emitter<Never>) {
        guard state.phase == .open else { return emitter.fail(ChannelState.closed) }
        writes.append(PendingWrite(data: data, emitter: emitter))
        emitter.onEnd { [weak self] in
            guard let self else { return }
            writes.removeAll { $0.emitter === emitter }
            if writes.isEmpty { handle(.written) }
        }
        if writes.count == 1 { sendWaiting() }
    }

    private func sendWaiting() {
        guard let parameters else { return }
        var isProgress = false
        while let writer, let write = writes.first {
            let end = min(write.data.count, write.position + parameters.mtu)
            let isWhole = write.position == 0 && end == write.data.count
            switch writer.socket.trySend(isWhole ? write.data : Array(write.data[write.position..<end])) {
            case .sent:
                writes[0].position = end
                isProgress = true
                if end == write.data.count { write.emitter.complete() }
            case .full:
                if writeWatch == nil { watchWriter { [weak self] in self?.sendWaiting() } }
                if isProgress { handle(.progress) }
                return
            case .ended:
                stopWatchingWriter()
                return socketEnded()
            }
        }
        stopWatchingWriter()
    }

    private func watchWriter(_ ready: @escaping () -> Void) {
        guard let writer else { return }
        writeWatch = bus.watch(writer, for: .writable, ready)
    }

    private func stopWatchingWriter() {
        writeWatch?.cancel()
        writeWatch = nil
    }

    // MARK: Closing

    func close(_ emitter: Emitter<Never>) {
        guard state.phase != .ended else { return emitter.complete() }
        closers.append(emitter)
        handle(.close)
    }

    /// Waits until the kernel has sent everything, for a limited time.
    private func drain() {
        stopWatching()
        isDraining = true
        teardowns.begin()
        pollUnsent()
    }

    /// The timer retains the channel, because its subscription may have ended.
    private func pollUnsent() {
        guard state.phase == .draining else { return }
        guard let writer, (writer.socket.unsentByteCount ?? 0) > 0 else {
            // The answer is awaited in a later turn, so that the caller has finished its own work.
            return bus.perform { [self] in handle(.drained) }
        }
        drainPoll = bus.schedule(after: Self.drainInterval) { [self] in pollUnsent() }
    }

    private func release() {
        stopWatching()
        drainPoll?.cancel()
        reader = nil
        writer = nil
        if isDraining { teardowns.end() }
        isDraining = false
    }

    private func stopWatching() {
        readWatch?.cancel()
        readWatch = nil
        stopWatchingWriter()
    }

    private func finishUsers(_ error: BluetoothError) {
        failWrites(error)
        let all = receivers
        receivers = []
        for (emitter, _) in all { emitter.complete() }
        finishClosers()
    }

    private func failUsers(_ cause: BluetoothError) {
        failWrites(cause)
        let all = receivers
        receivers = []
        for (emitter, _) in all { emitter.fail(cause.during(.receiveData, target)) }
        finishClosers()
    }

    private func failWrites(_ error: BluetoothError) {
        let all = writes
        writes = []
        for write in all { write.emitter.fail(error.during(.sendData, target)) }
    }

    private func finishClosers() {
        guard state.phase == .ended else { return }
        let all = closers
        closers = []
        for emitter in all { emitter.complete() }
    }
}
