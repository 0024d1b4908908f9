import RxBluetooth
import RxBluetoothMocks
import RxTest
import ScenarioFiles
import Testing

/// The code under test. It takes a manager and a scheduler, so that a test can pass simulated ones.
struct Doorbell {
    let manager: BluetoothManager
    let scheduler: any SchedulerType

    /// Emits when the button is pressed, across lost links.
    func presses() -> Observable<UInt8> {
        manager.scanForPeripherals(withServices: ["FFE0"], options: ScanOptions(resumes: true)).take(1)
            .flatMap { $0.peripheral.connect(options: .reconnect()) }
            .flatMap { $0.characteristic("FFE1") }
            .flatMap { $0.observeValueUpdates() }
            .compactMap(\.first)
            .throttle(.milliseconds(500), latest: false, scheduler: scheduler)
    }
}

@Test func aDoorbellRingsAgainAfterALostLink() {
    let address = "C0:FF:EE:00:00:09"
    let scenario = Scenario {
        SimulatedPeripheral("Doorbell", address: address) {
            SimulatedAdvertisement(every: .milliseconds(200), rssi: -60, services: ["ffe0"])
            SimulatedService("ffe0") { SimulatedCharacteristic("ffe1", .notify) }
        }
        at(.seconds(5)) { $0.dropLink(to: address) }
    }
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation = Simulation(scenario, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let presses = scheduler.createObserver(UInt8.self)
    let subscription = Doorbell(manager: manager, scheduler: scheduler).presses().subscribe(presses)

    scheduler.advanceTo(3_000)
    simulation.bluez.notify([1], from: address, "ffe1")
    scheduler.advanceTo(10_000)
    simulation.bluez.notify([2], from: address, "ffe1")
    scheduler.advanceTo(11_000)

    #expect(presses.events.compactMap(\.value.element) == [1, 2])
    subscription.dispose()
}

@Test func aWrongAddressFailsOneTest() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    withKnownIssue { Simulation(.everyday, scheduler: scheduler).bluez.dropLink(to: "C0:FF:EE:00:00:99") }
    let scenario = Scenario { SimulatedPeripheral("Odd", address: "nonsense") }
    withKnownIssue { _ = Simulation(scenario, scheduler: scheduler) }
}

/// The devices that are connected, whichever program has connected them.
func connectedAddresses(in simulation: Simulation, _ scheduler: TestScheduler) throws -> [BluetoothAddress] {
    let observer = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    return try scheduler.run { try await observer.retrieveConnectedPeripherals().value.map(\.address) }
}

@Test func anotherManagerSeesTheLinksOfAProgram() throws {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    #expect(try connectedAddresses(in: simulation, scheduler).isEmpty)
    let strap: BluetoothAddress = "C0:FF:EE:00:00:01"
    let link = manager.connect(to: strap, kind: .random).subscribe()
    scheduler.advanceBy(5_000)
    #expect(try connectedAddresses(in: simulation, scheduler) == [strap])
    link.dispose()
    scheduler.advanceBy(5_000)
    #expect(try connectedAddresses(in: simulation, scheduler).isEmpty)
}

@Test func aScenarioIsReadFromText() throws {
    let scenario = try ScenarioFile.read(
        """
        peripherals:
          - name: Hall
            address: C0:FF:EE:00:00:01
            advertisement: { interval: 100 ms, rssi: -60, services: [181a] }
        """)
    #expect(scenario.peripherals.map(\.name) == ["Hall"])
    // `ScenarioFile.load(path)` reads a file, and its errors have the line of a mistake.
    do throws(ScenarioFileError) {
        _ = try ScenarioFile.read("peripherals: 5", file: "hall.yaml")
    } catch {
        #expect(error.line == 1 && error.description.hasPrefix("hall.yaml:1:"))
    }
}

/// A controller for tests, which a simulated bus does not have.
struct FixedController: HostController {
    func readRSSI(
        of address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
    ) { answer(.success(-55)) }

    func radioSwitches() -> [RadioSwitch] {
        [RadioSwitch(name: "hci0", isSoftBlocked: false, isHardBlocked: false)]
    }
}

func quirkyScenario() -> Scenario {
    let scenario = Scenario {
        Quirk.Q72
        Quirk.Q38
    }
    return scenario
}

@Test func aBatteryIsReadInATask() throws {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())

    let level = try scheduler.run {
        let scan = manager.scanForPeripherals(withServices: ["180D"]).take(1)
        let strap = try await scan.asSingle().value.peripheral
        return try await strap.withConnection { try await $0.read(BatteryLevel.self).value.percent }
    }
    #expect(level == 87)
}

@Test func aCancelledTaskClosesItsLink() async throws {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let task = scheduler.startTask {
        let scan = manager.scanForPeripherals(withServices: ["180D"]).take(1)
        let strap = try await scan.asSingle().value.peripheral
        try await strap.withConnection(options: .reconnect()) { strap in
            for try await heart in strap.observe(HeartRateMeasurement.self).values { print(heart.beatsPerMinute) }
        }
    }
    scheduler.advanceBy(10_000)
    simulation.bluez.setPower(false)
    scheduler.advanceBy(5_000)
    simulation.bluez.setPower(true)
    scheduler.advanceBy(10_000)

    task.cancel()
    scheduler.advanceBy(5_000)
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(simulation.recorder.count("Device1.Connect") == 2)
    #expect(simulation.recorder.count("Device1.Disconnect") == 1)
    #expect(simulation.recorder.unanswered.isEmpty)
}

struct TestingExampleTests {
    @Test func `A link loss ends the work of a task`() async throws {
        let stage = ExampleStage()
        let strap = try stage.find("181A")
        let (scheduler, simulation) = (stage.scheduler, stage.simulation)
        let task = scheduler.startTask {
            try await strap.withConnection { try await collect([$0], count: 1_000) }
        }
        scheduler.advanceBy(5_000)
        simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
        scheduler.advanceBy(1_000)
        await #expect(throws: BluetoothError.self) { try await task.value }
    }

    @Test func `A controller of a test answers the RSSI of a link`() async throws {
        let stage = ExampleStage { $0.controller = FixedController() }
        let strap = try stage.find()
        let rssi = try stage.run {
            try await strap.withConnection { try await $0.readRSSI().value }
        }
        #expect(rssi == -55)
    }

    @Test func `Values for parsers are made without a manager`() {
        let peripheral = Peripheral(address: "C0:FF:EE:00:00:07", name: "Cellar")
        let data = AdvertisementData(packet: [2, 0x01, 0x06, 5, 0xFF, 0x99, 0x04, 0x0C, 0xFE])
        let scanned = ScannedPeripheral(peripheral: peripheral, advertisementData: data, rssi: -60)
        #expect(scanned.advertisementData.manufacturerData(of: 0x0499) == [0x0C, 0xFE])
        #expect(
            data.structures == [ADStructure(type: 1, bytes: [6]), ADStructure(type: 0xFF, bytes: [0x99, 4, 12, 254])])
    }

    @Test func `The faults and quirks of the articles compile`() {
        let scenario = Scenario {
            Fault("Device1.Connect", .late(.seconds(30)))
            Fault("GattCharacteristic1.WriteValue", calls: .only(3), .never)
            Fault("GattCharacteristic1.ReadValue", at: "*/char000b", calls: .first(2), .swapped)
            Fault("Properties.Set", property: "Powered", .error("org.bluez.Error.Busy"))
            Fault("Device1.Connect", .meanwhile(after: .milliseconds(50)) { $0.setPower(false) })
        }
        #expect(scenario.faults.count == 5)
        #expect(quirkyScenario().quirks == [.Q72, .Q38])
        let simulation = ExampleStage(scenario).simulation
        simulation.recorder.expectOnly(["GetManagedObjects", "Adapter1.*", "Device1.Connect"]) {
            Issue.record(Comment(rawValue: $0))
        }
    }
}

@Test func aSimulationBehavesLikeAnotherVersion() {
    let scenario = Scenario.everyday
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let simulation = Simulation(scenario, scheduler: scheduler, bluez: .v5_87)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let versions = scheduler.createObserver(BlueZVersion?.self)
    let subscription = manager.daemonVersion.subscribe(versions)
    scheduler.advanceTo(1_000)

    #expect(versions.events.last?.value.element??.description == "5.87")
    subscription.dispose()
}
