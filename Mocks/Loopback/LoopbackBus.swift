public import Rx

/// A message bus within this process: no socket, no daemon, and the clock is the scheduler's.
///
/// Everything that its parties are called back with runs in one serial context on the scheduler, in the order in which
/// it was sent. On a virtual-time scheduler two runs of a test see the same events at the same times. Several
/// buses do not know of each other. It behaves as dbus-daemon does, error texts included.
public final class LoopbackBus: Sendable {
    let router: LoopbackRouter

    /// Makes a bus on a scheduler.
    public init(scheduler: any SchedulerType) { router = LoopbackRouter(SerialContext(scheduler: scheduler)) }

    /// Makes a party of the bus. Its unique name is the next of `:1.0`, `:1.1`…; it is on the bus at once.
    public func connect() -> LoopbackConnection {
        let peer = LoopbackPeer(uniqueName: router.nextUniqueName(), router: router)
        router.context.perform { [router] in router.join(peer) }
        return LoopbackConnection(peer)
    }

    /// How many match rules its parties have. To be asked where nothing is being handled.
    package var matchRules: Int { router.subscriptions.total }

    /// Ends the bus as when dbus-daemon dies: each party loses its connection, and later ones never get any.
    public func shutDown() {
        router.context.perform { [router] in router.shutDown() }
    }
}
