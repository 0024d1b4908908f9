public import DBus

/// A connection to a ``LoopbackBus``. Releasing the last reference closes it; a handler that holds it keeps it open.
///
/// Its clock is the scheduler's: `now` in virtual time, and the kernel's monotonic clock in real time. It checks
/// watched sockets in each millisecond of that clock, which sockets neither stop nor overtake, so that a simulation
/// repeats.
public final class LoopbackConnection: Bus, ForwardingBus {
    private let peer: LoopbackPeer

    init(_ peer: LoopbackPeer) { self.peer = peer }

    deinit { peer.close() }

    package var forwardingTarget: any Bus { peer }

    /// The name that the bus gave this party, for example `:1.0`.
    public var uniqueName: String { peer.uniqueName }
}
