import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Scans with a subscriber that is slower than the advertisements.
struct ScanBufferTests {
    /// The clock of the bus, and that of the subscribers. While the second does not advance, subscribers are blocked.
    private let bus = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let queue = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let simulation: Simulation
    private let manager: BluetoothManager

    init() {
        let peripherals = (0..<10).map { SimulatedPeripheral.beacon("C0:00:00:00:00:0\($0)") }
        simulation = Ground.simulation(Scenario(peripherals: peripherals), scheduler: bus)
        manager = BluetoothManager(configuration: .init(scheduler: queue), bus: simulation.connect())
    }

    private func scan(_ buffer: ScanBuffer) -> Recording<ScannedPeripheral> {
        Recording(manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, buffer: buffer)), queue)
    }

    /// Advances only the clock of the bus, by a number of milliseconds.
    private func block(_ milliseconds: Int) { bus.advanceBy(milliseconds) }

    private func advanceBoth(_ milliseconds: Int) {
        for _ in 0..<milliseconds / 10 {
            bus.advanceBy(10)
            queue.advanceBy(10)
        }
    }

    private func finish() { if Ground.isPrivateBus { simulation.bus.shutDown() } }

    @Test(.proves(.S81)) func `A blocked subscriber of a scan gets the latest result of each peripheral`() {
        let (latest, all) = (scan(.latest), scan(.unbounded))
        block(10_000)
        for number in 0..<10 {
            simulation.bluez.advertise(
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, manufacturerData: [0x59: [2]]),
                from: "C0:00:00:00:00:0\(number)")
        }
        block(10_000)
        #expect(latest.elements.isEmpty && all.elements.isEmpty)
        queue.advanceBy(10)
        #expect(all.elements.count > 1_500)
        #expect(latest.elements.count <= 512)
        #expect(Set(latest.elements.map(\.peripheral)).count == 10)
        #expect(latest.elements.allSatisfy { $0.advertisementData.manufacturerData == [0x59: [2]] })
        #expect(latest.elements.suffix(10).map(\.peripheral) == all.elements.suffix(10).map(\.peripheral))
        finish()
    }

    @Test(.proves(.S81)) func `Dropped results are those that were sent and not delivered`() throws {
        let events = Recording(manager.events, queue)
        let (few, all) = (scan(.dropOldest(16)), scan(.unbounded))
        block(8_000)
        queue.advanceBy(10)
        #expect(few.elements.count == 16 && all.elements.count > 500)
        #expect(few.elements.map(\.peripheral) == all.elements.suffix(16).map(\.peripheral))
        let drops = events.elements.compactMap { event -> Int? in
            if case .scanResultsDropped(_, let total) = event.kind { total } else { nil }
        }
        #expect(drops.last == all.elements.count - few.elements.count)
        let diagnosis = Recording(manager.diagnose().asObservable(), queue)
        advanceBoth(3_000)
        let found = try #require(diagnosis.elements.first)
        #expect(found.scans.first?.droppedResults == drops.last)
        #expect("\(found)".contains("its subscribers were too slow for"))
        finish()
    }

    @Test(.proves(.S81)) func `A subscriber that keeps up gets every result`() {
        let (latest, few, all) = (scan(.latest), scan(.dropOldest(64)), scan(.unbounded))
        let events = Recording(manager.events, queue)
        advanceBoth(20_000)
        #expect(all.elements.count > 1_500)
        #expect(latest.elements.map(\.timestamp) == all.elements.map(\.timestamp))
        #expect(few.elements.count == all.elements.count)
        #expect(!events.elements.contains { if case .scanResultsDropped = $0.kind { true } else { false } })
        finish()
    }

    @Test func `A slow subscriber of presence loses no change`() {
        let options = ScanOptions(buffer: .dropOldest(1))
        let presence = Recording(manager.observePresence(options: options), queue)
        block(5_000)
        queue.advanceBy(10)
        #expect(presence.elements.count == 10)
        finish()
    }
}
