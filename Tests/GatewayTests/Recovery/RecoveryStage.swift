import DBus
import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest

@testable import Gateway

/// A supervised adapter on a simulation in virtual time.
final class RecoveryStage {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let simulation: Simulation
    let loop: GatewayLoop
    let supervisor: AdapterSupervisor
    /// The connections of the managers, the latest last.
    private let buses = BusList()
    private(set) var reports: [(time: Int, report: RecoveryReport)] = []
    /// What the log contains without `-v`.
    private(set) var lines: [String] = []
    /// The times of the advertisements, in milliseconds.
    private(set) var heard: [Int] = []

    /// Makes a stage with this number of devices, each of which advertises once in a time.
    init(
        devices: Int = 5, every interval: Duration = .seconds(2), usesManagement: Bool = false,
        settings: RecoverySettings = RecoverySettings(), resets: Bool = true
    ) {
        let peripherals = (0..<devices).map { number in
            SimulatedPeripheral("Sensor", address: "C0:FF:EE:00:00:\(10 + number)") {
                SimulatedAdvertisement(every: interval, rssi: -50, manufacturerData: [1: [UInt8(number)]])
            }
        }
        let scheduler = scheduler
        let simulation = Simulation(Scenario(peripherals: peripherals), scheduler: scheduler)
        let buses = buses
        self.simulation = simulation
        loop = GatewayLoop(scheduler: scheduler, monotonicTime: { .milliseconds(scheduler.clock) })
        let reset: AdapterSupervisor.Reset = { _ in
            simulation.bluez.setBlocked(true)
            return Observable<Int>.timer(.milliseconds(500), scheduler: scheduler)
                .do(onNext: { _ in simulation.bluez.setBlocked(false) }).ignoreElements().asCompletable()
        }
        supervisor = AdapterSupervisor(
            .address("00:1A:7D:DA:71:01"), loop: loop, settings: settings, reset: resets ? reset : nil
        ) { selection in
            let bus = StallableBus(simulation.connect())
            buses.all.withLock { $0.append(bus) }
            var configuration = BluetoothManager.Configuration(adapter: selection, scheduler: scheduler)
            if usesManagement { configuration.advertisements = ManagementSource(simulation: simulation) }
            return BluetoothManager(configuration: configuration, bus: bus)
        }
        supervisor.onReport = { [unowned self] in
            reports.append((scheduler.clock, $0.report))
            if $0.level > .debug { lines.append($0.text) }
        }
        supervisor.onResult = { [unowned self] _ in heard.append(scheduler.clock) }
        supervisor.start()
    }

    var bluez: SimulatedBlueZ { simulation.bluez }

    func advance(_ duration: Duration) { scheduler.advanceBy(Int(duration / .milliseconds(1))) }

    func stallBus() { buses.all.withLock { $0.last }?.stall() }

    var managers: Int { buses.all.withLock { $0.count } }

    /// The steps that were begun.
    var steps: [RecoveryStep] {
        reports.compactMap { if case .began(let step, _) = $0.report { step } else { nil } }
    }

    /// The steps that have helped.
    var helpers: [RecoveryStep] {
        reports.compactMap { if case .ended(let step, .helped, _) = $0.report { step } else { nil } }
    }

    /// The longest time without an advertisement from a time on, in seconds, also until now.
    func longestGap(since start: Int) -> Double {
        let times = [start] + heard.filter { $0 > start } + [scheduler.clock]
        return Double(zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0) / 1000
    }

    func forget() {
        reports = []
        heard = []
    }

    /// Closes the supervisor, and waits until its managers are closed.
    func close() -> Bool {
        let isClosed = Guarded(false)
        supervisor.close { isClosed.withLock { $0 = true } }
        advance(.seconds(20))
        return isClosed.withLock { $0 }
    }
}

private final class BusList: Sendable {
    let all = Guarded<[StallableBus]>([])
}

private struct ManagementSource: AdvertisementSource {
    let simulation: Simulation

    func open() throws(BluetoothError) -> Int32 {
        guard let number = try? simulation.bluez.openManagementSocket() else {
            throw BluetoothError(.resourceExhausted)
        }
        return number
    }
}
