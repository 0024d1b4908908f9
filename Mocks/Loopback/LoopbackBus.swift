public import Rx

/// A message bus within this process, without a socket or a daemon, on a scheduler's clock.
///
/// All callbacks run in one serial context on the scheduler, in the order of sending.
/// In virtual time, two runs of a test see the same events at the same times. Buses are independent of each other.
/// A bus behaves as dbus-daemon does, including the error texts.
public final class LoopbackBus: Sendable {
    let router: LoopbackRouter

    /// Creates a bus on a scheduler.
    public init(scheduler: any SchedulerType) { router = LoopbackRouter(SerialContext(scheduler: scheduler)) }

    /// Connects to the bus. The unique names are `:1.0`, `:1.1`… in the order of the calls.
    public func connect() -> LoopbackConnection {
        let peer = LoopbackPeer(uniqueName: router.nextUniqueName(), router: router)
        router.context.perform { [router] in router.join(peer) }
        return LoopbackConnection(peer)
    }

    /// The number of match rules on the bus. Read it only while no message is being handled.
    package var matchRules: Int { router.subscriptions.total }

    /// The number of exported objects of all connections. Read it only while no message is being handled.
    package var exports: Int { router.peers.values.map(\.exportCount).reduce(0, +) }

    /// Ends the bus, as if dbus-daemon exited: all present and later connections are closed.
    public func shutDown() {
        router.context.perform { [router] in router.shutDown() }
    }
}
