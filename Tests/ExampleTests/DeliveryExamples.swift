import Dispatch
import Logging
import RxBluetooth
import RxBluetoothMocks
import Testing

/// A manager that delivers on a queue of its own, with shorter deadlines and a log.
func makeManager(logger: Logger) -> BluetoothManager {
    var deadlines = Deadlines()
    deadlines.connect = .seconds(15)
    deadlines.operation = .seconds(5)
    deadlines.startScan = .seconds(10)
    var configuration = BluetoothManager.Configuration(
        adapter: .automatic, queue: DispatchQueue(label: "bluetooth"), deadlines: deadlines,
        pairing: PairingPolicy(.justWorks), logger: logger, logContents: .redacted)
    configuration.delivery = .batched(within: .milliseconds(50))
    configuration.readingInterval = .milliseconds(20)
    return BluetoothManager(configuration: configuration)
}

/// A manager that logs connections, lost links and reconnections.
func makeLoggingManager() -> BluetoothManager {
    var logger = Logger(label: "gateway")
    logger.logLevel = .debug
    return BluetoothManager(configuration: .init(logger: logger))
}

/// Handlers on the thread of the bus: the cheapest delivery, for handlers that never block.
func counting(_ configuration: BluetoothManager.Configuration) -> BluetoothManager.Configuration {
    var configuration = configuration
    configuration.delivery = .inBusContext
    return configuration
}

/// Work that takes long does not delay the other streams of the manager.
func store(
    _ values: Observable<[UInt8]>, on worker: SerialDispatchQueueScheduler,
    _ write: @escaping @Sendable ([UInt8]) -> Void
) -> any Disposable {
    values.observe(on: worker).subscribe(onNext: write)
}

/// A scan that keeps the latest result of each peripheral while the subscriber is busy.
func busyScan(with manager: BluetoothManager) -> Observable<ScannedPeripheral> {
    manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, buffer: .latest))
}

struct DeliveryExampleTests {
    @Test func `Each delivery emits the same values`() {
        for delivery in [Delivery.immediate, .batched(within: .milliseconds(50)), counting(.init()).delivery] {
            let stage = ExampleStage { $0.delivery = delivery }
            let results = stage.scheduler.createObserver(ScannedPeripheral.self)
            let subscription = busyScan(with: stage.manager).subscribe(results)
            stage.advance(2_000)
            #expect(results.events.count > 20)
            subscription.dispose()
        }
    }

    @Test func `A manager is made without using Bluetooth`() {
        let manager = makeManager(logger: Logger(label: "gateway"))
        let worker = SerialDispatchQueueScheduler(qos: .utility)
        store(.empty(), on: worker) { _ in }.dispose()
        _ = manager.using(.number(1))
    }
}
