import DBus
import Rx

/// Starts, crashes and stops the simulated bluetoothd.
///
/// The state that survives a restart is in ``DaemonEnvironment``.
extension SimulatedBlueZ {
    /// Starts the daemon.
    ///
    /// The daemon connects, acquires the name `org.bluez` and finds its adapters. If it runs already, nothing happens.
    public func start() { start { _ in } }

    /// Starts the daemon, and calls `done` when it has its bus name or has failed.
    ///
    /// `done` is called in the bus's context. If the daemon runs already, `done` is never called.
    func start(_ done: @escaping @Sendable (DBusError?) -> Void) {
        let (life, last) = state.withLock { state -> (Int?, (any Bus)?) in
            guard !state.isRunning else { return (nil, nil) }
            state.isRunning = true
            state.life += 1
            return (state.life, state.bus)
        }
        guard let life else { return }
        // The run begins after the last run's connection has closed, because a real bus releases the name only then.
        if let last {
            _ = last.whenDisconnected { _ in self.begin(life, done) }
        } else {
            begin(life, done)
        }
        startScript()
    }

    /// Begins a run, unless the daemon was stopped or crashed before the run began.
    private func begin(_ life: Int, _ done: @escaping @Sendable (DBusError?) -> Void) {
        guard state.withLock({ $0.life }) == life else { return }
        let bus = connect()
        enter { simulation in
            simulation.state.withLock { $0.bus = bus }
            simulation.enter { simulation in
                guard simulation.state.withLock({ $0.life }) == life else { return bus.close() }
                let environment = simulation.environment.content
                let daemon = BluetoothDaemon(
                    bus: bus, environment: environment, interceptor: simulation.interceptor.content)
                environment.daemon = daemon
                daemon.start(done)
            }
        }
    }

    /// Schedules the events of the script at the first start of the daemon. Later starts have no effect.
    private func startScript() {
        let hasBegun = state.withLock { state in
            defer { state.hasScriptBegun = true }
            return state.hasScriptBegun
        }
        guard !hasBegun else { return }
        for event in script { after(event.time, event.run) }
    }

    /// Crashes the daemon. Its name vanishes, and no signal announces the removal of its objects.
    public func crash() { end { $0.die() } }

    /// Stops the daemon as at shutdown.
    ///
    /// Links end, objects are removed with signals, then the name is released.
    public func stop() { stop {} }

    /// Stops the daemon. Calls `done` when it has left the bus, or at once if it does not run.
    func stop(_ done: @escaping @Sendable () -> Void) { end(done) { $0.stop() } }

    private func end(_ done: @escaping @Sendable () -> Void = {}, _ way: @escaping @Sendable (BluetoothDaemon) -> Void)
    {
        let mayEnd = state.withLock { state in
            defer { state.isRunning = false }
            if state.isRunning { state.life += 1 }
            return state.isRunning
        }
        guard mayEnd else { return done() }
        enter { simulation in
            guard let daemon = simulation.environment.content.daemon else { return done() }
            way(daemon)
            simulation.environment.content.daemon = nil
            _ = daemon.loop.bus.whenDisconnected { _ in done() }
            daemon.loop.bus.close()
        }
    }
}

/// The state that survives a restart of the daemon: radio, adapters, and devices on disk.
final class DaemonEnvironment {
    let radio: RadioMedium
    let storage = DeviceStorage()
    let management = ManagementSockets()
    let differences: VersionDifferences
    var hardware: [Int: SimulatedAdapter]
    /// The unplugged adapters that return later, by the numbers that they will get.
    var returning: [Int: SimulatedAdapter] = [:]
    var daemon: BluetoothDaemon?
    /// The devices' ends of the L2CAP channels that devices have opened.
    var openedChannels: [SimulatedChannelEnd] = []

    init(_ scenario: Scenario) {
        differences = VersionDifferences(scenario)
        radio = RadioMedium(scenario)
        hardware = Dictionary(uniqueKeysWithValues: scenario.adapters.enumerated().map { ($0, $1) })
    }
}
