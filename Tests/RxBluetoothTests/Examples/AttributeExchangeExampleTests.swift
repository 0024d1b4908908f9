import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@Test func aGatewayKeepsARecordOfItsReadsAndWrites() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let lines = scheduler.createObserver(String.self)
    let record = manager.attributeExchanges
        .map { exchange in
            switch exchange.kind {
            case .read(let characteristic, .success(let value)): "read \(characteristic.uuid): \(value)"
            case .read(let characteristic, .failure(let error)): "read \(characteristic.uuid) failed: \(error)"
            case .notified(let characteristic, let value): "notified \(characteristic.uuid): \(value)"
            default: "\(exchange.kind)"
            }
        }
        .subscribe(lines)
    let reading = manager.connect(to: "C0:FF:EE:00:00:01", kind: .random)
        .flatMap { $0.discoverServices(["180F"]) }
        .flatMap { $0.discoverCharacteristics(["2A19"]) }
        .flatMap { $0.readValue() }
        .subscribe()

    scheduler.advanceBy(10_000)
    #expect(lines.events.map(\.value.element) == ["read 2A19: [87]"])
    reading.dispose()
    record.dispose()
}
