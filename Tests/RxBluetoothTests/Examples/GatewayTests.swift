import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

/// The program under test: it keeps a sensor connected and hands its values on.
struct Gateway {
    let manager: BluetoothManager
    let scheduler: any SchedulerType

    func values() -> Observable<[UInt8]> {
        manager.scanForPeripherals(withServices: ["181A"], options: ScanOptions(resumes: true)).take(1)
            .flatMap { $0.peripheral.connect(options: .reconnect()) }
            .flatMap { $0.characteristic("2A6E", in: "181A") }
            .flatMap { $0.observeValueUpdates() }
    }
}

@Test func theGatewayGoesOnAfterALostLink() {
    let hall = "C0:FF:EE:00:00:01"
    let scenario = Scenario(seed: 7) {
        SimulatedPeripheral("Hall", address: hall) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, jitter: 4, services: ["181a"])
            SimulatedService("181a") {
                SimulatedCharacteristic("2a6e", .notify(every: .seconds(1)) { [UInt8($0 % 256)] })
            }
        }
        Fault("Device1.Connect", calls: .only(2), .error("org.bluez.Error.Failed", "le-connection-refused"))
        at(.seconds(30)) { $0.dropLink(to: hall, reason: .timeout) }
    }
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation = Simulation(scenario, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let values = scheduler.createObserver([UInt8].self)
    let subscription = Gateway(manager: manager, scheduler: scheduler).values().subscribe(values)

    scheduler.advanceTo(60_000)

    let times = values.events.map(\.time)
    #expect(times.contains { $0 > 29_000 && $0 < 30_000 })
    #expect(times.contains { $0 > 31_000 && $0 < 34_000 })
    #expect(times.contains { $0 > 59_000 })
    #expect(simulation.recorder.count("Device1.Connect") == 3)
    #expect(simulation.recorder.failures.map(\.member) == ["Connect"])
    #expect(simulation.recorder.calls("Device1.Disconnect", afterFailed: "Device1.Connect").isEmpty)
    subscription.dispose()
}
