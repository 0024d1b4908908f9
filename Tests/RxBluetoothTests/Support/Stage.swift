import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest

/// A test's world: a simulated bluetoothd with peripherals around it, a manager, and a clock of milliseconds that stands
/// still until the test turns it.
struct Stage {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let simulation: Simulation
    let manager: BluetoothManager
    /// The manager's wall clock.
    let wallClock: SettableScheduler
    private let curtain: Curtain

    init(
        _ scenario: Scenario = .everyday, starting: Bool = true, adapter: AdapterSelection = .automatic,
        deadlines: Deadlines = .prompt, pairing: PairingPolicy = PairingPolicy(),
        controller: (any HostController)? = nil
    ) {
        simulation = Ground.simulation(scenario, scheduler: scheduler, starting: starting)
        curtain = Curtain(simulation)
        wallClock = SettableScheduler(scheduler)
        manager = BluetoothManager(
            bus: simulation.connect(), scheduler: wallClock, adapter: adapter, deadlines: deadlines,
            pairing: pairing, controller: controller)
    }

    init(
        with peripherals: [SimulatedPeripheral], deadlines: Deadlines = .prompt,
        pairing: PairingPolicy = PairingPolicy(), controller: (any HostController)? = nil
    ) {
        self.init(Scenario(peripherals: peripherals), deadlines: deadlines, pairing: pairing, controller: controller)
    }

    /// Subscribes now, and records what comes and when.
    func record<Element: Sendable>(_ stream: Observable<Element>) -> Recording<Element> {
        Recording(stream, scheduler)
    }

    /// Subscribes now, and records what a trait tells.
    func record<Trait, Element: Sendable>(_ trait: PrimitiveSequence<Trait, Element>) -> Recording<Element> {
        Recording(trait.asObservable(), scheduler)
    }

    /// Turns the clock by so many milliseconds.
    func advance(_ milliseconds: Int) { scheduler.advanceBy(milliseconds) }

    /// Puts in the way what a state tells of.
    func bringAbout(_ state: BluetoothState) {
        switch state {
        case .poweredOff: simulation.bluez.setPower(false)
        case .blocked: simulation.bluez.setBlocked(true)
        case .noAdapter: simulation.bluez.removeAdapter()
        default: simulation.bluez.crash()
        }
    }

    /// How often clients called a method of the daemon.
    func count(_ member: String) -> Int { simulation.calls.count { $0.member == member } }

    /// The methods that clients called, in order, without what every client asks at its start, and of a link (its MTU).
    var methods: [String] {
        simulation.calls.filter { $0.arguments.last != .string("MTU") }.map(\.member)
            .filter { $0 != "GetManagedObjects" && $0 != "RegisterAgent" }
    }
}

extension Deadlines {
    /// The defaults, but a lost link is told at once: for tests in which the adapter is not what it was lost by.
    static var prompt: Deadlines {
        var deadlines = Deadlines()
        deadlines.disconnectReasonGrace = .zero
        return deadlines
    }
}

/// Ends the bus with the test, for a real one has a process and descriptors.
private final class Curtain: Sendable {
    private let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    deinit { if Ground.isPrivateBus { simulation.bus.shutDown() } }
}

/// What a stream told, and when, in milliseconds.
final class Recording<Element: Sendable> {
    private let observer: TestableObserver<Element>
    private let subscription: any Disposable

    init(_ stream: Observable<Element>, _ scheduler: TestScheduler) {
        observer = scheduler.createObserver(Element.self)
        subscription = stream.subscribe(observer)
    }

    deinit { subscription.dispose() }

    func dispose() { subscription.dispose() }

    var events: [Event<Element>] { observer.events.map(\.value) }
    var elements: [Element] { events.compactMap(\.element) }
    var times: [Int] { observer.events.map(\.time) }
    var error: BluetoothError? { observer.events.last?.value.error as? BluetoothError }
    var isCompleted: Bool { observer.events.last?.value.isCompleted == true }
    /// Whether nothing has ended it.
    var isLive: Bool { observer.events.last?.value.isStopEvent != true }
}

extension BluetoothManager {
    /// The peripheral with an address, as a scan hears it.
    func peripheral(_ address: BluetoothAddress) -> Observable<Peripheral> {
        scanForPeripherals().map(\.peripheral).filter { $0.address == address }.take(1)
    }
}
