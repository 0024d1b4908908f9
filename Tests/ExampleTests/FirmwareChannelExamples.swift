import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

/// Sends a firmware image over an L2CAP channel, and emits the answers of the peripheral.
private func update(_ peripheral: Peripheral, with image: [UInt8]) -> Observable<[UInt8]> {
    peripheral.openL2CAPChannel(psm: 128).flatMap { channel in
        Observable.merge(channel.received, channel.write(image).andThen(.never()))
    }
}

@Test func aFirmwareImageIsSentOverAChannel() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation = Simulation(.everyday, scheduler: scheduler)
    simulation.bluez.serveChannel(SimulatedChannel { [[UInt8($0.count & 0xFF)]] }, psm: 128, of: "C0:FF:EE:00:00:01")
    var configuration = BluetoothManager.Configuration(scheduler: scheduler)
    configuration.channels = SimulationSockets(simulation)
    let manager = BluetoothManager(configuration: configuration, bus: simulation.connect())
    let answers = scheduler.createObserver([UInt8].self)
    let subscription = manager.connect(to: "C0:FF:EE:00:00:01", kind: .random)
        .flatMap { update($0, with: [UInt8](repeating: 0xA5, count: 100_000)) }
        .subscribe(answers)

    scheduler.advanceBy(5_000)
    #expect(answers.events.count == 149)  // one answer for each packet of 672 bytes
    subscription.dispose()
}
