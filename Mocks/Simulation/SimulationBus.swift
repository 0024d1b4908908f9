public import DBus

/// What a ``Simulation`` runs on: a message bus whose parties all live in this process.
public protocol SimulationBus: AnyObject, Sendable {
    /// Makes a party of the bus.
    func join() -> any Bus

    /// Ends the bus as when dbus-daemon dies: each party loses its connection, and later ones never get any.
    func shutDown()

    /// Returns when everything that was sent has been handled, without moving the clock.
    func settle()
}

extension LoopbackBus: SimulationBus {
    /// Makes a party of the bus, as ``connect()`` does.
    public func join() -> any Bus { connect() }

    /// Handles what waits, where nobody does so already.
    public func settle() { router.context.drain() }
}
