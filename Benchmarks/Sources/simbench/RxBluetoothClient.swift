import RxBluetooth
import RxBluetoothMocks
import RxTest
import Synchronization

/// A client with RxBluetooth that scans, connects to all sensors, and receives their values.
enum RxBluetoothClient {
    /// The result of ten simulated seconds.
    struct Outcome: CustomStringConvertible {
        let time: Duration
        let sightings: Int
        let values: Int

        var description: String {
            let milliseconds = Int(time / .milliseconds(1))
            return "\(sightings) advertisements and \(values) values in \(milliseconds) ms"
        }
    }

    static func run(_ scenario: Scenario, sensors: Int) -> Outcome {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Simulation(scenario, scheduler: scheduler)
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
        let sightings = Mutex(0)
        let values = Mutex(0)
        let bag = DisposeBag()
        let time = ContinuousClock().measure {
            manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))
                .subscribe(onNext: { _ in sightings.withLock { $0 += 1 } })
                .disposed(by: bag)
            manager.scanForPeripherals(withServices: ["181A"])
                .take(sensors)
                .flatMap { $0.peripheral.connect() }
                .flatMap { $0.discoverServices(["181A"]) }
                .flatMap { $0.discoverCharacteristics(["2A6E"]) }
                .flatMap { $0.observeValueUpdates() }
                .subscribe(onNext: { _ in values.withLock { $0 += 1 } }, onError: { preconditionFailure("\($0)") })
                .disposed(by: bag)
            scheduler.advanceTo(10_000)
        }
        precondition(values.withLock { $0 } > sensors * 8, "Values are missing.")
        return Outcome(time: time, sightings: sightings.withLock { $0 }, values: values.withLock { $0 })
    }
}
