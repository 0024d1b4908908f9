import DBus
import Foundation
import RxBluetooth
import RxBluetoothMocks
import RxTest

/// A simulated bluetoothd with peripherals, a manager, and a virtual clock that the test advances.
struct Stage {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let simulation: Simulation
    let manager: BluetoothManager
    /// The wall clock that the manager uses for time stamps. A test can set it.
    let wallClock: SettableScheduler
    private let busShutdown: BusShutdown

    init(
        _ scenario: Scenario = .everyday, starting: Bool = true, adapter: AdapterSelection = .automatic,
        deadlines: Deadlines = .prompt, pairing: PairingPolicy = PairingPolicy(),
        controller: (any HostController)? = nil, delivery: Delivery = Ground.delivery,
        advertisements: (any AdvertisementSource)? = nil, channels: (any L2CAPSockets)? = nil,
        keys: KeyStore = KeyStore(), lostOperationFile: String? = nil
    ) {
        simulation = Ground.simulation(scenario, scheduler: scheduler, starting: starting)
        busShutdown = BusShutdown(simulation)
        wallClock = SettableScheduler(scheduler)
        var configuration = BluetoothManager.Configuration(
            adapter: adapter, scheduler: wallClock, deadlines: deadlines, pairing: pairing)
        configuration.controller = controller
        configuration.delivery = delivery
        configuration.channels = channels
        configuration.keys = keys
        configuration.lostOperationFile = lostOperationFile
        // A scripted bluetoothd, on a stage that does not start the simulation, has no radio that sends packets.
        let usesPackets = Ground.usesPackets && starting
        configuration.advertisements = advertisements ?? (usesPackets ? SimulatedSockets(simulation) : nil)
        manager = BluetoothManager(configuration: configuration, bus: simulation.connect())
    }

    init(
        with peripherals: [SimulatedPeripheral], deadlines: Deadlines = .prompt,
        pairing: PairingPolicy = PairingPolicy(), controller: (any HostController)? = nil,
        delivery: Delivery = Ground.delivery
    ) {
        self.init(
            Scenario(peripherals: peripherals), deadlines: deadlines, pairing: pairing, controller: controller,
            delivery: delivery)
    }

    /// Subscribes to a stream. Returns a recording of its events with their times.
    func record<Element: Sendable>(_ stream: Observable<Element>) -> Recording<Element> {
        Recording(stream, scheduler)
    }

    /// Subscribes to a trait. Returns a recording of its events with their times.
    func record<Trait, Element: Sendable>(_ trait: PrimitiveSequence<Trait, Element>) -> Recording<Element> {
        Recording(trait.asObservable(), scheduler)
    }

    /// Advances the clock by a number of milliseconds.
    func advance(_ milliseconds: Int) { scheduler.advanceBy(milliseconds) }

    /// Changes the simulation so that the manager enters a state.
    func bringAbout(_ state: BluetoothState) {
        switch state {
        case .poweredOff: simulation.bluez.setPower(false)
        case .blocked: simulation.bluez.setBlocked(true)
        case .noAdapter: simulation.bluez.removeAdapter()
        default: simulation.bluez.crash()
        }
    }

    /// Returns how often clients called a method of bluetoothd.
    func count(_ member: String) -> Int { simulation.calls.count { $0.member == member } }

    /// The methods of bluetoothd that clients called, in order.
    ///
    /// Calls that every client makes at its start, and calls that read the MTU of a link, are omitted.
    var methods: [String] {
        simulation.calls.filter { $0.arguments.last != .string("MTU") }.map(\.member)
            .filter { $0 != "GetManagedObjects" && $0 != "RegisterAgent" }
    }

    /// Whether bluetoothd may crash after a refused socket, so that a trial precedes the first one (Q132).
    static let hasTrials = ProcessInfo.processInfo.environment["RXBLUETOOTH_BLUEZ"] != "5.87"

    /// The calls that turn notifications on or off, in order.
    ///
    /// Without the trial before the first socket of each link (Q132). So the tests must use one characteristic.
    var notifyCalls: [String] {
        var mayBeTrial = Self.hasTrials
        return methods.reduce(into: []) { calls, call in
            if call == "Connect" { mayBeTrial = Self.hasTrials }
            guard call.hasSuffix("Notify") else { return }
            if call == "AcquireNotify", mayBeTrial {
                mayBeTrial = false
                if calls.suffix(2) == ["StartNotify", "StopNotify"] { calls.removeLast(2) }
            }
            calls.append(call)
        }
    }

    /// Returns the number of calls of a method in ``notifyCalls``.
    func notifyCount(_ method: String) -> Int { notifyCalls.count { $0 == method } }
}

extension Deadlines {
    /// The default deadlines, but without the delay before link loss is reported.
    ///
    /// They suit tests in which the adapter does not cause the loss, so that no late reason has to be awaited.
    static var prompt: Deadlines {
        var deadlines = Deadlines()
        deadlines.disconnectReasonGrace = .zero
        return deadlines
    }
}

/// Shuts down the bus at the end of the test, because a real bus has a process and descriptors.
private final class BusShutdown: Sendable {
    private let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    deinit { if Ground.isPrivateBus { simulation.bus.shutDown() } }
}

/// The events of a stream with their times in milliseconds.
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
    /// Whether the stream has neither completed nor failed yet.
    var isLive: Bool { observer.events.last?.value.isStopEvent != true }
}

extension BluetoothManager {
    /// Scans until the peripheral with this address is found, and emits the peripheral.
    func peripheral(_ address: BluetoothAddress) -> Observable<Peripheral> {
        scanForPeripherals().map(\.peripheral).filter { $0.address == address }.take(1)
    }
}
