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

/// All instruments of ``BluetoothMetric``, in a run in which each of them records.
struct InstrumentTests {
    /// The clock of the bus, and that of the subscribers. While the second does not advance, subscribers are blocked.
    private let bus = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let queue = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let simulation: Simulation
    private let manager: BluetoothManager
    private let metrics = TestMetrics()
    private let bag = DisposeBag()

    private static let sensor = "C0:FF:EE:00:00:21"
    private static let beacon = "C0:FF:EE:00:00:22"
    /// The number of values that the sensor notifies: each lost one is an event, and at most 1,024 events wait.
    private static let notified = 1_200

    init() {
        let advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, firstAfter: .zero)
        simulation = Simulation(
            Scenario(peripherals: [
                SimulatedPeripheral("Sensor", address: Self.sensor) {
                    advertisement
                    SimulatedService("fff0") {
                        SimulatedCharacteristic("fff1", .read([1]))
                        SimulatedCharacteristic("fff5", .read { _ in .value([5], after: .seconds(9)) })
                        SimulatedCharacteristic("fff6", .notify)
                    }
                },
                SimulatedPeripheral("Beacon", address: Self.beacon) { advertisement },
            ]), scheduler: bus)
        manager = BluetoothManager(configuration: .init(scheduler: queue), bus: simulation.connect())
    }

    private func advance(_ milliseconds: Int) {
        for _ in 0..<milliseconds / 10 {
            bus.advanceBy(10)
            queue.advanceBy(10)
        }
    }

    private func read(_ characteristic: Characteristic) -> any Disposable {
        characteristic.readValue().subscribe(onFailure: { _ in })
    }

    private func total(_ metric: BluetoothMetric) -> Int64 {
        metrics.counters.filter { $0.label == metric.rawValue }.map(\.totalValue).reduce(0, +)
    }

    private func nanoseconds(_ metric: BluetoothMetric) -> [Int64] {
        metrics.timers.filter { $0.label == metric.rawValue }.flatMap(\.values)
    }

    // MARK: The run

    /// Connects to the sensor, and returns its characteristics.
    private func connect() -> [Characteristic] {
        let found = queue.createObserver(Characteristic.self)
        manager.scanForPeripherals().filter { $0.peripheral.address.description == Self.sensor }.take(1)
            .flatMap { $0.peripheral.connect(options: .reconnect(Reconnection(jitter: 0))) }
            .flatMap { $0.discoverServices([0xFFF0]) }
            .flatMap { $0.discoverCharacteristics() }
            .subscribe(found)
            .disposed(by: bag)
        advance(2_000)
        return found.events.compactMap(\.value.element)
    }

    /// Reads over a link: one operation is overdue, and another one is dropped before its start.
    private func readAll(_ quick: Characteristic, _ slow: Characteristic) {
        read(quick).disposed(by: bag)
        read(slow).disposed(by: bag)
        advance(12_000)
        read(slow).disposed(by: bag)
        let waiting = read(quick)
        advance(100)
        waiting.dispose()
        advance(12_000)
    }

    /// Blocks a subscriber of notifications. Returns the number of values that it has lost.
    private func loseValues(_ characteristic: Characteristic) -> Int {
        let received = queue.createObserver([UInt8].self)
        characteristic.observeValueUpdates(buffer: ValueBuffer(capacity: 1, overflow: .dropNewest))
            .subscribe(received).disposed(by: bag)
        advance(1_000)
        for number in 0..<Self.notified {
            simulation.bluez.notify([UInt8(number & 0xFF), UInt8(number >> 8)], from: Self.sensor, "fff6")
            bus.advanceBy(1)
        }
        advance(100)
        return Self.notified - received.events.count
    }

    /// Blocks a scan, then silences the device. Returns the numbers of results that were sent, and that were lost.
    private func loseResults() -> (sent: Int, lost: Int) {
        let few = queue.createObserver(ScannedPeripheral.self)
        let all = queue.createObserver(ScannedPeripheral.self)
        func scan(_ buffer: ScanBuffer) -> Observable<ScannedPeripheral> {
            manager.scanForPeripherals(
                options: ScanOptions(allowsDuplicates: true, restartsAfterSilence: .seconds(5), buffer: buffer))
        }
        let scans = CompositeDisposable(
            scan(.dropOldest(4)).subscribe(few),
            scan(.unbounded).countingScanResults(to: metrics).subscribe(all))
        bus.advanceBy(3_000)
        advance(1_000)
        simulation.bluez.advertise(nil, from: Self.beacon)
        advance(20_000)
        scans.dispose()
        return (all.events.count, all.events.count - few.events.count)
    }

    // MARK: The documentation

    /// The rows of the table in docs/metrics.md: kind, unit and dimensions, by label.
    private func documented() throws -> [String: [String]] {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = String(
            decoding: try #require(FileManager.default.contents(atPath: root + "/docs/metrics.md")), as: UTF8.self)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { cell in
                cell.split(separator: " ").joined(separator: " ").filter { $0 != "`" }
            }
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], Array($0[1...3])) })
    }

    /// What one unit of an instrument is. swift-metrics has units for timers only.
    private static func unit(of metric: BluetoothMetric) -> String {
        switch metric {
        case .operationDuration, .operationWait, .recoveryTime: "ns"
        case .queueDepth, .operationsDropped, .operationsOverdue: "operations"
        case .connections, .disconnections: "connections"
        case .reconnections: "failures"
        case .valuesDropped: "values"
        case .scanResults, .scanResultsDropped: "results"
        case .scanRestarts: "sessions"
        case .eventsLost: "events"
        }
    }

    @Test(.proves(.S108)) func `Each instrument has the kind, the unit and the dimensions of the documentation`() throws
    {
        manager.recordMetrics(to: metrics).disposed(by: bag)
        let found = connect()
        try #require(found.count == 3)
        readAll(found[0], found[1])
        let lostValues = loseValues(found[2])
        let results = loseResults()
        simulation.bluez.dropLink(to: Self.sensor)
        advance(5_000)

        let recorded =
            metrics.timers.map { ("Timer", $0.label, $0.dimensions) }
            + metrics.counters.map { ("Counter", $0.label, $0.dimensions) }
            + metrics.recorders.map { ("Recorder", $0.label, $0.dimensions) }
        let labels = Set(BluetoothMetric.allCases.map(\.rawValue))
        let rows = try documented()
        #expect(labels.count == 14 && Set(rows.keys) == labels)
        #expect(labels.subtracting(recorded.map(\.1)).isEmpty)
        for (kind, label, dimensions) in recorded {
            let row = try #require(rows[label])
            let metric = try #require(BluetoothMetric(rawValue: label))
            let names = dimensions.map(\.0).joined(separator: ", ")
            #expect(row == [kind, Self.unit(of: metric), names.isEmpty ? "none" : names], "\(label)")
        }

        // The amounts are in the units of the page.
        #expect(nanoseconds(.operationDuration).max() == 9_000_000_000)
        #expect(nanoseconds(.recoveryTime).count == 1)
        #expect(nanoseconds(.recoveryTime).allSatisfy { (250_000_000...2_000_000_000).contains($0) })
        #expect(total(.connections) == 2 && total(.disconnections) == 1 && total(.reconnections) == 1)
        #expect(total(.operationsDropped) == 1 && total(.operationsOverdue) >= 1 && total(.scanRestarts) >= 1)
        #expect(results.lost > 10 && total(.scanResultsDropped) == Int64(results.lost))
        #expect(total(.scanResults) == Int64(results.sent))
        // Each lost event was one of a lost value.
        #expect(total(.valuesDropped) > 0 && total(.eventsLost) > 0)
        #expect(total(.valuesDropped) + total(.eventsLost) == Int64(lostValues))
    }
}
