public import DBus
public import Rx

/// A loop-back bus with a simulated bluetoothd, on a test's clock.
///
///     let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
///     let simulation = Simulation(.everyday, scheduler: scheduler)
///     let bus = simulation.connect()
///
/// A virtual clock must tick in milliseconds or finer. Simulations are independent of each other.
/// The same scenario with the same seed shows the same events.
///
/// If neither the scenario nor the initializer names a version of BlueZ, it is the one of the environment variable
/// `RXBLUETOOTH_BLUEZ`, such as `5.66`. So one test suite can run with all versions.
public final class Simulation: Sendable {
    /// The bus. ``SimulationBus/shutDown()`` ends it.
    public let bus: any SimulationBus
    /// The daemon, with the controls of the simulation.
    public let bluez: SimulatedBlueZ

    /// Creates a simulation on a virtual or real scheduler.
    ///
    /// The daemon starts at once. With `starting: false`, it starts when ``SimulatedBlueZ/start()`` is called.
    /// `bluez` replaces the version of the scenario. `mistakes` receives mistakes in the scenario, at `file` and
    /// `line`, and in calls of the controls. By default, they are issues of the running test, and without one, the
    /// first mistake ends the process. See ``SimulatedBlueZ/reportMistakes(to:)``.
    public convenience init(
        _ scenario: Scenario = .everyday, scheduler: any SchedulerType, starting: Bool = true,
        bluez: SimulatedBlueZ.Version? = nil, mistakes: (@Sendable (_ mistake: SimulationMistake) -> Void)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            scenario, scheduler: scheduler, bus: LoopbackBus(scheduler: scheduler), starting: starting, bluez: bluez,
            mistakes: mistakes, file: file, line: line)
    }

    /// Creates a simulation on another kind of bus, with timers on the same scheduler.
    public init(
        _ scenario: Scenario, scheduler: any SchedulerType, bus: any SimulationBus, starting: Bool = true,
        bluez version: SimulatedBlueZ.Version? = nil,
        mistakes: (@Sendable (_ mistake: SimulationMistake) -> Void)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        var scenario = scenario
        scenario.bluez = version ?? scenario.chosenBlueZ ?? SimulatedBlueZ.Version.ofEnvironment ?? scenario.bluez
        self.bus = bus
        let clock = ElapsedClock(scheduler)
        let began = clock.time
        bluez = SimulatedBlueZ(
            scenario, now: { clock.time - began }, endBus: { bus.shutDown() }, mistakes: mistakes, file: file,
            line: line, connect: { bus.join() })
        guard starting else { return }
        bluez.start()
        // The messages of the start are handled now, so that a client that connects next finds the daemon running.
        bus.settle()
    }

    /// Connects a client to the bus.
    public func connect() -> any Bus { bus.join() }

    /// The calls that clients made to the daemon, with their replies.
    public var recorder: Recorder { bluez.recorder }

    /// The calls that clients made to the daemon, in order.
    public var calls: [RecordedCall] { bluez.calls }
}

/// The message bus of a ``Simulation``. All its peers are in this process.
public protocol SimulationBus: AnyObject, Sendable {
    /// Connects to the bus.
    func join() -> any Bus

    /// Ends the bus, as if dbus-daemon exited: all present and later connections are closed.
    func shutDown()

    /// Waits until all messages have been handled, without advancing the clock.
    func settle()
}

extension LoopbackBus: SimulationBus {
    /// Connects to the bus, see ``connect()``.
    public func join() -> any Bus { connect() }

    /// Handles all waiting messages, unless another thread is handling them.
    public func settle() { router.context.drain() }
}
