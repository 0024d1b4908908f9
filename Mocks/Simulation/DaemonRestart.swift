import DBus
import Rx

/// Start, crash and stop of the simulated bluetoothd.
extension SimulatedBlueZ {
    /// Starts the daemon: it connects, takes the name `org.bluez`, and finds its adapters. Nothing where it runs.
    public func start() { start { _ in } }

    /// As ``start()``; `done` hears in the bus's context that the daemon has its name, or why not. It hears nothing where it runs.
    func start(_ done: @escaping @Sendable (DBusError?) -> Void) {
        let (life, last) = state.withLock { state -> (Int?, (any Bus)?) in
            guard !state.isRunning else { return (nil, nil) }
            state.isRunning = true
            state.life += 1
            return (state.life, state.bus)
        }
        guard let life else { return }
        // A real bus gives the name away once the last life's connection has gone, and not before.
        if let last {
            _ = last.whenDisconnected { _ in self.begin(life, done) }
        } else {
            begin(life, done)
        }
        startScript()
    }

    /// Begins a life, unless it was ended before it began.
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

    /// The script's times count from the first start.
    private func startScript() {
        let hasBegun = state.withLock { state in
            defer { state.hasScriptBegun = true }
            return state.hasScriptBegun
        }
        guard !hasBegun else { return }
        for event in script { after(event.time, event.run) }
    }

    /// Ends the daemon as a crash does: its name vanishes, and no signal tells of its objects (Q2).
    public func crash() { end { $0.die() } }

    /// Ends the daemon as on a shutdown: links end, objects are taken away with signals, then the name goes.
    public func stop() { stop {} }

    /// As ``stop()``; `done` hears that the daemon has left the bus, at once where it does not run.
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

/// What outlives a daemon: the air, the adapters that are plugged in, and what is on disk.
final class DaemonEnvironment {
    let radio: RadioMedium
    let storage = DeviceStorage()
    let features: Set<SimulatedFeature>
    let quirks: Set<Quirk>
    var hardware: [Int: SimulatedAdapter]
    var daemon: BluetoothDaemon?

    init(_ scenario: Scenario) {
        features = scenario.features
        quirks = scenario.quirks
        radio = RadioMedium(scenario)
        hardware = Dictionary(uniqueKeysWithValues: scenario.adapters.enumerated().map { ($0, $1) })
    }
}
