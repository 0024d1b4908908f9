public import DBus
import Rx

/// A simulated bluetoothd. It serves `org.bluez` on any bus as BlueZ does, in the version of ``Scenario/bluez``.
///
/// It uses only the `Bus` protocol, so it can serve the loop-back bus of a test or a real bus.
/// Its methods may be called from any thread. Their effects happen in the bus's context, in order.
/// For tests in one process, use ``Simulation``.
public final class SimulatedBlueZ: Sendable {
    struct State {
        var bus: (any Bus)?
        var isRunning = false
        /// The number of starts and ends so far, which identifies a run.
        var life = 0
        var hasScriptBegun = false
        /// A connection that outlives the daemon. Delayed actions, such as those of the script, use its clock.
        var clock: (any Bus)?
        /// The competing clients, which are retained so that they stay on the bus.
        var rivals: [CompetingClient] = []
    }

    // Guard: `environment` and `interceptor` are used only in the context of the present run's bus,
    // and before the first run by the initializer.
    let environment: BusContextTransfer<DaemonEnvironment>
    let interceptor: BusContextTransfer<CallInterceptor>
    let names: PeripheralNames
    let channels = SimulatedChannelTable()
    let state = Guarded(State())
    let connect: @Sendable () -> any Bus
    private let endBus: (@Sendable () -> Void)?
    let script: [ScriptedEvent]
    private let sent: AdvertisementCounters

    /// The calls that clients made, with their replies.
    public let recorder: Recorder

    /// Creates a daemon that does not run yet.
    ///
    /// - Parameter scenario: The adapters, peripherals, faults and events. Default: ``Scenario/everyday``.
    /// - Parameter now: The time since the simulation was created, for the recorder; by default a real clock.
    /// - Parameter clock: The real clock, if timers can be late. Late advertisements are sent at once, to keep to the
    ///   interval. If nil, timers are exact.
    /// - Parameter endBus: Called by ``loseBus()``.
    /// - Parameter mistakes: Receives mistakes in the scenario and in calls of the controls. By default, they are
    ///   issues of the running test, and without one, the first mistake ends the process. See ``reportMistakes(to:)``.
    /// - Parameter file: The file to which mistakes in the scenario belong. Default: that of the caller.
    /// - Parameter line: The line of the file.
    /// - Parameter connect: Creates a connection, for each start of the daemon and for each competing client.
    public init(
        _ scenario: Scenario = .everyday, now: (@Sendable () -> Duration)? = nil,
        clock: (@Sendable () -> Duration)? = nil, endBus: (@Sendable () -> Void)? = nil,
        mistakes: (@Sendable (_ mistake: SimulationMistake) -> Void)? = nil, file: StaticString = #fileID,
        line: UInt = #line, connect: @escaping @Sendable () -> any Bus
    ) {
        var scenario = scenario.withQuirks()
        let began = SuspendingClock.now
        recorder = Recorder(now: now ?? { SuspendingClock.now - began })
        let names = PeripheralNames(reportingTo: mistakes)
        scenario.peripherals = scenario.peripherals.filter { names.add($0, file, line) }
        self.names = names
        let environment = DaemonEnvironment(scenario)
        environment.radio.clock = clock
        self.environment = BusContextTransfer(environment)
        sent = environment.radio.sent
        let interceptor = CallInterceptor(scenario, recorder: recorder)
        self.interceptor = BusContextTransfer(interceptor)
        script = scenario.script
        self.connect = connect
        self.endBus = endBus
        interceptor.simulation = self
    }

    deinit {
        // The thread of a real connection may be running a turn, and the daemon's objects do not retain each other.
        guard let bus = state.withLock({ $0.bus }),
            let connection = bus as? Connection ?? (bus as? any ForwardingBus)?.forwardingTarget as? Connection
        else { return }
        let parts = (environment, interceptor)
        connection.perform { withExtendedLifetime(parts) {} }
    }

    /// The calls that clients made, in order, since the beginning or the last ``forgetCalls()``.
    public var calls: [RecordedCall] { recorder.calls }

    /// The number of advertisements sent while an adapter listened, without lost ones.
    public var advertisementsSent: Int { sent.count }

    /// The number of advertisements that were due but never sent.
    ///
    /// Advertisements are skipped when the computer is more than 1 s behind. In virtual time, the number is always 0.
    public var advertisementsMissed: Int { sent.missed }

    /// Empties ``calls``.
    public func forgetCalls() { recorder.clear() }

    /// Runs an action on this simulation after a delay, whether or not the daemon runs then.
    func after(_ delay: Duration, _ work: @escaping @Sendable (SimulatedBlueZ) -> Void) {
        guard delay > .zero else { return work(self) }
        let clock: any Bus
        if let known = state.withLock({ $0.clock }) {
            clock = known
        } else {
            let new = connect()
            clock = state.withLock { state in
                let used = state.clock ?? new
                state.clock = used
                return used
            }
        }
        clock.schedule(after: delay) { [weak self] in
            if let self { work(self) }
        }
    }

    /// Ends the message bus, as if dbus-daemon exited.
    ///
    /// If the simulation does not own the bus, nothing happens.
    public func loseBus() { endBus?() }

    func keep(_ rival: CompetingClient) { state.withLock { $0.rivals.append(rival) } }

    /// Returns whether the simulation's state belongs to the context of this connection.
    ///
    /// Call it in that context. Elsewhere, the answer can change at any time.
    func isServed(by bus: any Bus) -> Bool {
        let present = state.withLock { $0.bus }
        return (bus as? BusProxy)?.bus === present || bus === present
    }

    /// Returns another connection to the bus.
    func anotherConnection() -> any Bus { connect() }

    /// Adds a rule that makes calls fail or misbehave from now on. See ``Fault``.
    public func add(_ fault: Fault) {
        control { [interceptor] _, _ in interceptor.content.add(fault) }
    }

    /// Removes all rules, including those of the scenario. Replies in progress are not affected.
    public func removeFaults() {
        control { [interceptor] _, _ in interceptor.content.removeAll() }
    }

    /// Runs an action on the simulation's state in the bus's context.
    ///
    /// If a daemon runs, the action is one turn of its loop.
    func control(_ work: @escaping @Sendable (DaemonEnvironment, BluetoothDaemon?) -> Void) {
        enter { simulation in
            let environment = simulation.environment.content
            guard let daemon = environment.daemon else { return work(environment, nil) }
            daemon.loop.run { work(environment, daemon) }
        }
    }

    /// Runs work in the context that owns the state.
    ///
    /// Each run of the daemon has its own context. Work that arrives after a restart is passed on to the new run's
    /// context.
    func enter(_ work: @escaping @Sendable (SimulatedBlueZ) -> Void) {
        guard let bus = state.withLock({ $0.bus }) else { return work(self) }
        bus.perform { [self] in
            if state.withLock({ $0.bus }) === bus { work(self) } else { enter(work) }
        }
    }
}
