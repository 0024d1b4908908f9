import GatewayCore
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

/// The gateway with faults, on a simulated bluetoothd in virtual time. Each test takes some milliseconds.
struct GatewayTests {
    static let hall: BluetoothAddress = "C0:FF:EE:00:00:01"
    static let cellar: BluetoothAddress = "C0:FF:EE:00:00:02"
    static let roof: BluetoothAddress = "C0:FF:EE:00:00:03"

    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation: Simulation
    let manager: BluetoothManager
    let reports: TestableObserver<Gateway.Report>
    let subscription: any Disposable

    init() {
        simulation = Simulation(
            Scenario(seed: 7) {
                Self.sensor("Hall", Self.hall)
                Self.sensor("Cellar", Self.cellar)
                Self.sensor("Roof", Self.roof)
            }, scheduler: scheduler)
        manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
        reports = scheduler.createObserver(Gateway.Report.self)
        subscription = Gateway(manager: manager, scheduler: scheduler)
            .reports(of: [Self.hall, Self.cellar, Self.roof])
            .subscribe(reports)
    }

    /// A thermometer that notifies 23.5 °C each second.
    static func sensor(_ name: String, _ address: BluetoothAddress) -> SimulatedPeripheral {
        SimulatedPeripheral(name, address: address.description) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: name, services: ["181a"])
            SimulatedService("181a") {
                SimulatedCharacteristic(
                    "2a6e", .read([0x2E, 0x09]), .notify(every: .seconds(1)) { _ in [0x2E, 0x09] })
            }
        }
    }

    /// The times of the temperatures of a sensor, in milliseconds.
    func times(_ sensor: BluetoothAddress) -> [Int] {
        reports.events.filter { $0.value.element == .temperature(sensor, 23.5) }.map(\.time)
    }

    @Test func `Three sensors report their temperatures`() {
        scheduler.advanceTo(10_000)
        for sensor in [Self.hall, Self.cellar, Self.roof] { #expect(times(sensor).count >= 4) }
        #expect(reports.events.contains { $0.value.element == .bluetooth(.poweredOn) })
        #expect(reports.events.contains { $0.value.element == .near(Self.hall) })
        subscription.dispose()
    }

    @Test func `A lost link interrupts one sensor only`() {
        scheduler.advanceTo(20_000)
        simulation.bluez.dropLink(to: Self.hall.description, reason: .timeout)
        scheduler.advanceTo(60_000)
        #expect(times(Self.hall).contains { $0 > 50_000 })
        let cellar = times(Self.cellar)
        #expect(zip(cellar, cellar.dropFirst()).allSatisfy { $1 - $0 < 5_000 })
        #expect(!reports.events.contains { $0.value.isStopEvent })
        subscription.dispose()
    }

    @Test func `All sensors report again after a restart of bluetoothd`() {
        scheduler.advanceTo(20_000)
        simulation.bluez.crash()
        scheduler.advanceTo(25_000)
        simulation.bluez.start()
        scheduler.advanceTo(60_000)
        for sensor in [Self.hall, Self.cellar, Self.roof] {
            #expect(times(sensor).contains { $0 < 20_000 })
            #expect(!times(sensor).contains { $0 > 21_000 && $0 < 25_000 })
            #expect(times(sensor).contains { $0 > 50_000 })
        }
        subscription.dispose()
    }

    @Test func `A sensor that leaves is away, and connects again when it is back`() {
        scheduler.advanceTo(20_000)
        simulation.bluez.setInRange(false, Self.roof.description)
        simulation.bluez.dropLink(to: Self.roof.description, reason: .timeout)
        scheduler.advanceTo(80_000)
        #expect(reports.events.contains { $0.value.element == .away(Self.roof) })
        simulation.bluez.setInRange(true, Self.roof.description)
        scheduler.advanceTo(120_000)
        #expect(times(Self.roof).contains { $0 > 110_000 })
        subscription.dispose()
    }

    @Test func `Closing the manager closes all links`() {
        scheduler.advanceTo(10_000)
        subscription.dispose()
        let closed = scheduler.createObserver(Never.self)
        let closing = manager.close().asObservable().subscribe(closed)
        scheduler.advanceTo(20_000)
        #expect(closed.events.contains { $0.value.isCompleted })
        #expect(simulation.recorder.count("Device1.Disconnect") == 3)
        closing.dispose()
    }
}
