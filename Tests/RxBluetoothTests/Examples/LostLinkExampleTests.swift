import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@Test func aLostLinkIsAnError() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation = Simulation(.everyday, scheduler: scheduler, bluez: .v5_82)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let connection = scheduler.createObserver(Peripheral.self)
    let subscription = manager.scanForPeripherals(withServices: ["180D"]).take(1)
        .flatMap { $0.peripheral.connect() }
        .subscribe(connection)

    scheduler.advanceBy(2_000)
    simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
    scheduler.advanceBy(1_000)

    let error = connection.events.last?.value.error as? BluetoothError
    #expect(error?.kind == .disconnected(.unknown))
    subscription.dispose()
}
