import CoreMetrics
import FoundationEssentials
import MetricsTestKit
import Rx
import RxBluetooth
import RxBluetoothMetrics
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// The metrics of a manager, in virtual time with a backend that stores them.
struct RecordMetricsTests {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let simulation: Simulation
    let manager: BluetoothManager
    let metrics = TestMetrics()
    private let bag = DisposeBag()

    private static let address = "C0:FF:EE:00:00:21"

    init() {
        simulation = Simulation(
            Scenario(peripherals: [
                SimulatedPeripheral("Sensor", address: Self.address) {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
                    SimulatedService("fff0") {
                        SimulatedCharacteristic("fff1", .read([1]))
                        SimulatedCharacteristic("fff4", .read { _ in .error(0x81) })
                        SimulatedCharacteristic("fff5", .read { _ in .value([5], after: .seconds(9)) })
                    }
                }
            ]), scheduler: scheduler)
        manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    }

    /// Connects, reads each characteristic, loses the link, and connects again after a number of failures.
    private func run(
        failures: Int = 0,
        _ scan: (Observable<ScannedPeripheral>) -> Observable<ScannedPeripheral> = { $0 }
    ) {
        let found = scheduler.createObserver(Characteristic.self)
        scan(manager.scanForPeripherals()).take(1)
            .flatMap { $0.peripheral.connect(options: .reconnect(Reconnection(jitter: 0))) }
            .flatMap { $0.discoverServices([0xFFF0]) }
            .flatMap { $0.discoverCharacteristics() }
            .subscribe(found)
            .disposed(by: bag)
        scheduler.advanceBy(2_000)
        for characteristic in found.events.compactMap(\.value.element) {
            characteristic.readValue().subscribe(onFailure: { _ in }).disposed(by: bag)
        }
        scheduler.advanceBy(20_000)
        simulation.bluez.setConnection(SimulatedConnection(failures: failures), of: Self.address)
        simulation.bluez.dropLink(to: Self.address)
        scheduler.advanceBy(5_000)
    }

    @Test(.proves(.S108), .covers(.metrics))
    func `Operations, connections and recovery are recorded with their dimensions`() throws {
        manager.recordMetrics(to: metrics).disposed(by: bag)
        run { $0.countingScanResults(to: metrics) }
        let read = ("operation", "read")
        let successes = try metrics.expectTimer("bluetooth_operation_duration", [read, ("result", "ok")])
        #expect(successes.values.count == 2)
        #expect(successes.values.max() == 9_000_000_000)
        let failures = try metrics.expectTimer("bluetooth_operation_duration", [read, ("result", "att-error")])
        #expect(failures.values.count == 1)
        #expect(try metrics.expectTimer("bluetooth_operation_wait", [read]).values.count == 3)
        #expect(try metrics.expectRecorder("bluetooth_operation_queue_depth").values == [1, 1, 2])
        #expect(try metrics.expectCounter("bluetooth_operations_overdue", [read]).totalValue == 1)
        #expect(try metrics.expectCounter("bluetooth_connections").totalValue == 2)
        #expect(try metrics.expectCounter("bluetooth_disconnections", [("reason", "unknown")]).totalValue == 1)
        #expect(try metrics.expectCounter("bluetooth_reconnections", [("result", "disconnected")]).totalValue == 1)
        let recovery = try metrics.expectTimer("bluetooth_recovery_time").values
        #expect(recovery.count == 1 && (250_000_000...2_000_000_000).contains(recovery[0]))
        #expect(try metrics.expectCounter("bluetooth_scan_results").totalValue == 1)
    }

    @Test(.proves(.S108)) func `Without a backend, nothing is subscribed to`() {
        var other: BluetoothManager? = BluetoothManager(
            configuration: .init(scheduler: scheduler), bus: simulation.connect())
        weak let released = other
        let recording = other?.recordMetrics(to: NOOPMetricsHandler.instance)
        // A subscription to the events would keep the manager alive.
        other = nil
        #expect(released == nil)
        recording?.dispose()
        let stream = Observable<ScannedPeripheral>.never()
        #expect(stream.countingScanResults(to: NOOPMetricsHandler.instance) === stream)
    }

    @Test(.proves(.S108), arguments: [true, false])
    func `Without a backend, no event is built`(_ hasBackend: Bool) throws {
        let backend: any MetricsFactory = hasBackend ? metrics : NOOPMetricsHandler.instance
        manager.recordMetrics(to: backend).disposed(by: bag)
        run { $0.countingScanResults(to: backend) }
        // The manager counts the events that it builds, and has no logger, for which it would also build some.
        let events = scheduler.createObserver(BluetoothEvent.self)
        manager.events.subscribe(events).disposed(by: bag)
        simulation.bluez.dropLink(to: Self.address)
        scheduler.advanceBy(1_000)
        let built = try #require(events.events.first?.value.element).number - 1
        #expect(hasBackend ? built > 10 : built == 0)
    }

    @Test(.proves(.S108)) func `After disposal nothing is recorded`() {
        manager.recordMetrics(to: metrics).dispose()
        run()
        #expect(metrics.timers.isEmpty && metrics.counters.isEmpty && metrics.recorders.isEmpty)
    }

    @Test(.proves(.S108)) func `The recovery time counts from the loss, not from a failed attempt`() throws {
        let events = scheduler.createObserver(BluetoothEvent.self)
        manager.events.subscribe(events).disposed(by: bag)
        manager.recordMetrics(to: metrics).disposed(by: bag)
        // The manager repeats eight aborted attempts by itself, and reports the ninth.
        run(failures: 10)
        let all = events.events.compactMap(\.value.element)
        let losses = all.filter { if case .reconnection = $0.kind { true } else { false } }.map(\.time)
        let links = all.filter { if case .connection(_, .connected) = $0.kind { true } else { false } }.map(\.time)
        #expect(losses.count == 2 && links.count == 2)
        let recovery = try metrics.expectTimer("bluetooth_recovery_time").values
        let expected = try #require(links.last).timeIntervalSince(try #require(losses.first))
        #expect(recovery.map { (Double($0) / 1e6).rounded() } == [(expected * 1e3).rounded()])
    }
}
