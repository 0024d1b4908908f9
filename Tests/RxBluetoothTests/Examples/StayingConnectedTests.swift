import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@Test func aGatewayStaysConnectedWhileBluetoothdIsRestarted() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let beats = scheduler.createObserver([UInt8].self)
    let subscription = manager.scanForPeripherals(withServices: ["180D"], options: ScanOptions(resumes: true)).take(1)
        .flatMap { $0.peripheral.connect(options: .reconnect()) }
        .flatMap { $0.discoverServices(["180D"]) }
        .flatMap { $0.discoverCharacteristics(["2A37"]) }
        .flatMap { $0.observeValueUpdates() }
        .subscribe(beats)

    scheduler.advanceBy(10_000)
    simulation.bluez.crash()
    let soFar = beats.events.count
    scheduler.advanceBy(3_000)
    simulation.bluez.start()
    scheduler.advanceBy(10_000)

    #expect(soFar > 5)
    #expect(beats.events.count > soFar + 5)  // values, and no error
    #expect(beats.events.allSatisfy { $0.value.error == nil })
    subscription.dispose()
}
