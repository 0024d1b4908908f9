public import DBus
import Rx

/// A bluetoothd without a radio: it serves `org.bluez` on any bus, as BlueZ 5.66 does, for the peripherals of a scenario.
///
/// It is written against the ``Bus`` protocol alone, so it serves the loop-back bus of a test and a real private bus
/// alike. Its methods may be called from any thread; what they ask for happens in the bus's context, in order with
/// everything else there. For tests in one process, ``Simulation`` sets all of it up.
public final class SimulatedBlueZ: Sendable {
    private struct State {
        var bus: (any Bus)?
        var isRunning = false
    }

    // Touched only in the context of the bus of the present life, and before the first one by whoever sets it up.
    private let world: Parcel<World>
    private let recorder = Recorder()
    private let state = Guarded(State())
    private let tally: Tally
    private let connect: @Sendable () -> any Bus

    /// Makes a daemon that does not run yet. `connect` makes its connection, a fresh one for each ``start()``.
    ///
    /// - Parameter clock: Where the bus's clock is real and its timers may be late, the time since any moment: packets that
    ///   were due meanwhile then follow at once, so that as many come as the intervals say. Without it timers are exact.
    public init(
        _ scenario: Scenario = .everyday, clock: (@Sendable () -> Duration)? = nil,
        connect: @escaping @Sendable () -> any Bus
    ) {
        let world = World(scenario)
        world.air.clock = clock
        tally = world.air.tally
        self.world = Parcel(world)
        self.connect = connect
    }

    /// The calls that clients made, in order, since the beginning or the last ``forgetCalls()``.
    public var calls: [RecordedCall] { recorder.calls }

    /// Empties ``calls``.
    public func forgetCalls() { recorder.clear() }

    /// How many advertisements the peripherals have sent while an adapter listened, up to now.
    public var advertisementsSent: Int { tally.value }

    // MARK: The daemon's life

    /// Starts the daemon: it connects, takes the name `org.bluez`, and finds its adapters. Nothing where it runs.
    public func start() { start { _ in } }

    /// As ``start()``; `done` hears in the bus's context that the daemon has its name, or why not. It hears nothing where it runs.
    func start(_ done: @escaping @Sendable (DBusError?) -> Void) {
        let mayStart = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mayStart else { return }
        let bus = connect()
        enter { simulation in
            simulation.state.withLock { $0.bus = bus }
            simulation.enter { simulation in
                let world = simulation.world.content
                let daemon = Daemon(bus: bus, world: world, recorder: simulation.recorder)
                world.daemon = daemon
                daemon.start(done)
            }
        }
    }

    /// Ends the daemon as a crash does: its name vanishes, and no signal tells of its objects (Q2).
    public func crash() { end { $0.die() } }

    /// Ends the daemon as on a shutdown: links end, objects are taken away with signals, then the name goes.
    public func stop() { end { $0.stop() } }

    private func end(_ way: @escaping @Sendable (Daemon) -> Void) {
        let mayEnd = state.withLock { state in
            defer { state.isRunning = false }
            return state.isRunning
        }
        guard mayEnd else { return }
        enter { simulation in
            guard let daemon = simulation.world.content.daemon else { return }
            way(daemon)
            simulation.world.content.daemon = nil
            daemon.turns.bus.close()
        }
    }

    /// Does something with the simulated world in the bus's context, as a turn of the daemon where one runs.
    func control(_ work: @escaping @Sendable (World, Daemon?) -> Void) {
        enter { simulation in
            let world = simulation.world.content
            guard let daemon = world.daemon else { return work(world, nil) }
            daemon.turns.run { work(world, daemon) }
        }
    }

    /// Does work in the context that the world belongs to. It changes hands with each life of the daemon: work that
    /// comes too late for one context goes on to the next.
    private func enter(_ work: @escaping @Sendable (SimulatedBlueZ) -> Void) {
        guard let bus = state.withLock({ $0.bus }) else { return work(self) }
        bus.perform { [self] in
            if state.withLock({ $0.bus }) === bus { work(self) } else { enter(work) }
        }
    }
}
