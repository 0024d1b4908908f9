public import DBus
import Rx

/// A bluetoothd without a radio: it serves `org.bluez` on any bus, as BlueZ 5.66 does, for the peripherals of a scenario.
///
/// It is written against the ``Bus`` protocol alone, so it serves the loop-back bus of a test and a real private bus
/// alike. Its methods may be called from any thread; what they ask for happens in the bus's context, in order with
/// everything else there. For tests in one process, ``Simulation`` sets all of it up.
public final class SimulatedBlueZ: Sendable {
    struct State {
        var bus: (any Bus)?
        var isRunning = false
        /// Counts starts and ends.
        var life = 0
        var hasScriptBegun = false
        /// A connection that outlives the daemon: its clock is the script's.
        var clock: (any Bus)?
        /// They stay on the bus as long as the simulation is there.
        var rivals: [CompetingClient] = []
    }

    // Touched only in the context of the bus of the present life, and before the first one by whoever sets it up.
    let environment: BusContextTransfer<DaemonEnvironment>
    let interceptor: BusContextTransfer<CallInterceptor>
    let names: PeripheralNames
    let state = Guarded(State())
    let connect: @Sendable () -> any Bus
    private let endBus: (@Sendable () -> Void)?
    let script: [ScriptedEvent]
    private let sent: AdvertisementCounters

    /// The calls that clients made, with the answers.
    public let recorder: Recorder

    /// Makes a daemon that does not run yet. `connect` makes its connection, a fresh one for each ``start()``, and those
    /// of rivals. `now` is the time since the simulation was made, for the recorder; without it the time of a clock on the
    /// wall. `endBus` is what ``loseBus()`` does.
    ///
    /// - Parameter clock: Where the bus's clock is real and its timers may be late, the time since any moment: packets that
    ///   were due meanwhile then follow at once, so that as many come as the intervals say. Without it timers are exact.
    public init(
        _ scenario: Scenario = .everyday, now: (@Sendable () -> Duration)? = nil,
        clock: (@Sendable () -> Duration)? = nil, endBus: (@Sendable () -> Void)? = nil,
        connect: @escaping @Sendable () -> any Bus
    ) {
        let scenario = scenario.withQuirks()
        let began = SuspendingClock.now
        recorder = Recorder(now: now ?? { SuspendingClock.now - began })
        names = PeripheralNames(scenario)
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

    /// The calls that clients made, in order, since the beginning or the last ``forgetCalls()``.
    public var calls: [RecordedCall] { recorder.calls }

    /// How many advertisements were sent while an adapter listened, those that got lost on the way left out.
    public var advertisementsSent: Int { sent.count }

    /// How many advertisements were due while an adapter listened and were never sent, since the computer was more than a second
    /// behind. Where the bus's clock is virtual, and wherever the simulation keeps up, it is 0.
    public var advertisementsMissed: Int { sent.missed }

    /// Empties ``calls``.
    public func forgetCalls() { recorder.clear() }

    /// Does something to this simulation after a delay, whether the daemon runs then or not.
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

    /// Ends the message bus, as when dbus-daemon dies. Nothing where the bus is not the simulation's own.
    public func loseBus() { endBus?() }

    func keep(_ rival: CompetingClient) { state.withLock { $0.rivals.append(rival) } }

    /// Whether the world belongs to the context of this connection; to be asked there, where it cannot change meanwhile.
    func isServed(by bus: any Bus) -> Bool {
        let present = state.withLock { $0.bus }
        return (bus as? BusProxy)?.bus === present || bus === present
    }

    /// Makes another connection to the bus.
    func anotherConnection() -> any Bus { connect() }

    /// Adds a rule by which calls go wrong from now on. See ``Fault``.
    public func add(_ fault: Fault) {
        control { [interceptor] _, _ in interceptor.content.add(fault) }
    }

    /// Lifts all rules by which calls go wrong, those of the scenario too. Answers under way stay as they are.
    public func removeFaults() {
        control { [interceptor] _, _ in interceptor.content.removeAll() }
    }

    /// Does something with the simulated world in the bus's context, as a turn of the daemon where one runs.
    func control(_ work: @escaping @Sendable (DaemonEnvironment, BluetoothDaemon?) -> Void) {
        enter { simulation in
            let environment = simulation.environment.content
            guard let daemon = environment.daemon else { return work(environment, nil) }
            daemon.loop.run { work(environment, daemon) }
        }
    }

    /// Does work in the context that the world belongs to. It changes hands with each life of the daemon: work that
    /// comes too late for one context goes on to the next.
    func enter(_ work: @escaping @Sendable (SimulatedBlueZ) -> Void) {
        guard let bus = state.withLock({ $0.bus }) else { return work(self) }
        bus.perform { [self] in
            if state.withLock({ $0.bus }) === bus { work(self) } else { enter(work) }
        }
    }
}
