import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

/// A scan of a thousand advertisers while twenty peripherals are connected.
struct ManyPeripheralsTests {
    private static func address(_ number: Int) -> String {
        let digits = String(0x10000 + number, radix: 16, uppercase: true).dropFirst()
        return "C0:00:00:00:\(digits.prefix(2)):\(digits.suffix(2))"
    }

    /// A thousand beacons that advertise once a second, and twenty sensors that notify four times a second.
    private static let scenario = Scenario(seed: 3) {
        for number in 0..<1_000 {
            SimulatedPeripheral("Beacon", address: address(0x1000 + number)) {
                SimulatedAdvertisement(
                    every: .seconds(1), rssi: -60, jitter: 5, manufacturerData: [0x004C: [UInt8(number % 256)]])
            }
        }
        for number in 0..<20 {
            SimulatedPeripheral("Sensor", address: address(number)) {
                SimulatedAdvertisement(every: .milliseconds(500), rssi: -50, services: ["181a"])
                SimulatedService("181a") {
                    SimulatedCharacteristic("2a6e", .notify(every: .milliseconds(250)) { [UInt8(number), UInt8($0)] })
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `A thousand advertisers and twenty notifying links lose and repeat no value`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Simulation(Self.scenario, scheduler: scheduler)
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
        let sightings = scheduler.createObserver(BluetoothAddress.self)
        let values = scheduler.createObserver([UInt8].self)
        let bag = DisposeBag()

        manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)).map(\.peripheral.address).subscribe(
            sightings
        ).disposed(by: bag)
        manager.scanForPeripherals(withServices: ["181A"]).map(\.peripheral)
            .groupBy { $0.address }.flatMap { $0.take(1) }
            .take(20)
            .flatMap { $0.connect() }
            .flatMap { $0.discoverServices(["181A"]) }
            .flatMap { $0.discoverCharacteristics(["2A6E"]) }
            .flatMap { $0.observeValueUpdates() }
            .subscribe(values)
            .disposed(by: bag)
        scheduler.advanceTo(3_000)
        let early = values.events.compactMap(\.value.element)
        scheduler.advanceTo(6_000)

        // Each sensor sends its own counter, so a gap or a repeated number shows a lost or doubled value.
        #expect(values.events.allSatisfy { $0.value.element != nil })
        for sensor in UInt8(0)..<20 {
            let counts = values.events.compactMap(\.value.element).filter { $0.first == sensor }.compactMap(\.last)
            #expect(counts == (0..<counts.count).map { UInt8($0) })
            #expect(counts.count - early.count { $0.first == sensor } == 12)
        }
        let beacons = sightings.events.filter { $0.time > 3_000 }.compactMap(\.value.element)
        #expect((2_995...3_005).contains(beacons.count))
        #expect(Set(beacons).count == 1_000)
        let recorder = simulation.recorder
        #expect(recorder.count("Device1.Connect") == 20)
        #expect(recorder.count("GattCharacteristic1.StartNotify") == 20)
        #expect(recorder.count("Adapter1.StartDiscovery") == 1)
        #expect(recorder.failures.isEmpty)
    }
}
