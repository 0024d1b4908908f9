import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@Test func aKnownAddressIsConnectedWithoutAScanOfTheProgram() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let beats = scheduler.createObserver([UInt8].self)
    // The gateway switches its adapter on, then connects to the address in its settings.
    let subscription = manager.setPowered(true)
        .andThen(manager.connect(to: "C0:FF:EE:00:00:01", kind: .random, options: .reconnect()))
        .flatMap { $0.discoverServices(["180D"]) }
        .flatMap { $0.discoverCharacteristics(["2A37"]) }
        .flatMap { $0.observeValueUpdates() }
        .subscribe(beats)

    scheduler.advanceBy(10_000)
    #expect(beats.events.count > 5)
    subscription.dispose()
}
