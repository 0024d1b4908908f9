public import DBus
public import Rx

/// A loop-back bus with a simulated bluetoothd on it: all that a test of a Bluetooth client needs, on the test's clock.
///
///     let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
///     let simulation = Simulation(.everyday, scheduler: scheduler)
///     let bus = simulation.connect()
///
/// A virtual clock must tick in milliseconds or finer. Simulations do not know of each other, and the same scenario with the same seed shows the same events.
public final class Simulation: Sendable {
    /// The bus. ``SimulationBus/shutDown()`` ends it.
    public let bus: any SimulationBus
    /// The daemon, with the controls of everything that can happen to it and around it.
    public let bluez: SimulatedBlueZ

    /// Makes a simulation on a scheduler, virtual or real. The daemon is up at once; without `starting` it waits for
    /// its ``SimulatedBlueZ/start()``.
    public convenience init(_ scenario: Scenario = .everyday, scheduler: any SchedulerType, starting: Bool = true) {
        self.init(scenario, scheduler: scheduler, bus: LoopbackBus(scheduler: scheduler), starting: starting)
    }

    /// The same on a bus of another kind, whose timers run on the scheduler too.
    public init(_ scenario: Scenario, scheduler: any SchedulerType, bus: any SimulationBus, starting: Bool = true) {
        self.bus = bus
        let clock = ElapsedClock(scheduler)
        let began = clock.time
        bluez = SimulatedBlueZ(scenario) {
            clock.time - began
        } endBus: {
            bus.shutDown()
        } connect: {
            bus.join()
        }
        guard starting else { return }
        bluez.start()
        // Nobody else is on this bus yet. A client that connects next finds the daemon up.
        bus.settle()
    }

    /// Gives a client its connection to the bus.
    public func connect() -> any Bus { bus.join() }

    /// The calls that clients made to the daemon, with the answers.
    public var recorder: Recorder { bluez.recorder }

    /// The calls that clients made to the daemon, in order.
    public var calls: [RecordedCall] { bluez.calls }
}

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
