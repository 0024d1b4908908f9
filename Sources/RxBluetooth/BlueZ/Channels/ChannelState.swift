/// The state machine of an L2CAP channel, without a socket.
///
/// An event changes the state and returns the actions to execute, in order; ``ChannelSocket`` executes them.
struct ChannelState: Equatable {
    /// The phase of the channel.
    enum Phase: Equatable {
        case connecting
        case open
        /// The socket has ended. `Connected` is being read, because a lost link ends the socket too.
        case confirmingLink
        /// The channel is being closed, and packets still wait.
        case finishing
        /// All packets are in the kernel, which still sends them.
        case draining
        case ended
    }

    enum Event: Equatable {
        case start
        case status(L2CAPSocketStatus)
        case openDeadline
        /// The user closes the channel, and packets that wait are still sent.
        case close
        /// The subscription of the channel has ended.
        case dispose
        /// The kernel has taken packets, and others still wait.
        case progress
        /// All packets are in the kernel.
        case written
        case drained
        /// The device has taken nothing for too long while the channel is being closed.
        case closeDeadline
        /// The other end has closed the channel, or the socket cannot be used any more.
        case socketEnded
        case linkConfirmed(isUp: Bool)
        /// The link is lost, or the manager is closed.
        case lost(BluetoothError)
    }

    enum Action: Equatable {
        case startOpenDeadline, cancelDeadline
        /// Starts the deadline of the closing, or starts it again.
        case startCloseDeadline
        case waitForConnection
        case open(L2CAPParameters)
        case confirmLink
        /// Reports when all packets are in the kernel.
        case waitForWrites
        /// Reports when the kernel has sent everything.
        case drain
        case release
        /// Fails the packets that wait, and completes the streams of received packets.
        case finishUsers(BluetoothError)
        /// Fails all users of the channel with one cause.
        case failUsers(BluetoothError)
        /// Completes the streams of the channel itself.
        case complete
        case fail(BluetoothError)
    }

    private(set) var phase: Phase
    /// Whether a device has opened the channel, so that the end of the socket is the end of the channel.
    let isAccepted: Bool

    init(isAccepted: Bool = false) {
        self.isAccepted = isAccepted
        phase = isAccepted ? .open : .connecting
    }

    static let closed = BluetoothError(.channelClosed)

    mutating func handle(_ event: Event) -> [Action] {
        switch phase {
        case .connecting: connecting(event)
        case .open, .finishing: open(event)
        case .confirmingLink: confirming(event)
        case .draining: draining(event)
        case .ended: []
        }
    }

    private mutating func connecting(_ event: Event) -> [Action] {
        switch event {
        case .start: return [.startOpenDeadline, .waitForConnection]
        case .status(.connected(let parameters)):
            phase = .open
            return [.cancelDeadline, .open(parameters)]
        case .status(.failed(let error)), .lost(let error): return end([.fail(error)])
        case .openDeadline: return end([.fail(BluetoothError(.timedOut))])
        case .dispose: return end([])
        default: return []
        }
    }

    private mutating func open(_ event: Event) -> [Action] {
        switch event {
        case .close where phase == .open:
            phase = .finishing
            return [.startCloseDeadline, .waitForWrites]
        case .progress where phase == .finishing: return [.startCloseDeadline]
        case .written where phase == .finishing: return drain([])
        case .closeDeadline where phase == .finishing: return end([.finishUsers(Self.closed), .complete])
        case .dispose: return drain([.finishUsers(Self.closed)])
        case .socketEnded where isAccepted: return end([.finishUsers(Self.closed), .complete])
        case .socketEnded:
            phase = .confirmingLink
            return [.confirmLink]
        case .lost(let cause): return end([.failUsers(cause), .fail(cause)])
        default: return []
        }
    }

    private mutating func confirming(_ event: Event) -> [Action] {
        switch event {
        case .linkConfirmed(isUp: true), .closeDeadline: return end([.finishUsers(Self.closed), .complete])
        case .dispose: return end([.finishUsers(Self.closed)])
        case .lost(let cause): return end([.failUsers(cause), .fail(cause)])
        default: return []
        }
    }

    private mutating func draining(_ event: Event) -> [Action] {
        switch event {
        case .drained, .closeDeadline, .socketEnded, .lost: end([.finishUsers(Self.closed), .complete])
        default: []
        }
    }

    private mutating func drain(_ actions: [Action]) -> [Action] {
        phase = .draining
        return actions + [.startCloseDeadline, .drain]
    }

    private mutating func end(_ actions: [Action]) -> [Action] {
        phase = .ended
        return [.cancelDeadline, .release] + actions
    }
}
