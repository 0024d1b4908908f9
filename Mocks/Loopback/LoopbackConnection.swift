public import DBus

/// A connection to a ``LoopbackBus``. Releasing the last reference closes the connection.
///
/// A handler that holds the connection keeps it open.
///
/// The connection uses the scheduler's `now` as its clock in virtual time, and the kernel's monotonic clock in real
/// time. It polls watched sockets once in each millisecond of that clock, so a simulation in virtual time is
/// repeatable.
public final class LoopbackConnection: Bus, ForwardingBus {
    private let peer: LoopbackPeer

    init(_ peer: LoopbackPeer) { self.peer = peer }

    deinit { peer.close() }

    package var forwardingTarget: any Bus { peer }

    /// The unique name that the bus gave this connection, for example `:1.0`.
    public var uniqueName: String { peer.uniqueName }
}
