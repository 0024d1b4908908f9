import RxBluetooth
import RxBluetoothMocks
import Testing

/// The delegate methods of a CoreBluetooth program as one stream.
final class HeartRateMonitor: Sendable {
    private let manager = BluetoothManager()
    private let bag = DisposeBag()

    func start(_ show: @escaping @Sendable ([UInt8]) -> Void) {
        manager.state  // centralManagerDidUpdateState
            .filter { $0 == .poweredOn }.take(1)
            .flatMap { [manager] _ in manager.scanForPeripherals(withServices: ["180D"]) }  // didDiscover
            .take(1)  // stopScan
            .flatMap { $0.peripheral.connect() }  // didConnect, didFailToConnect
            .flatMap { $0.discoverServices(["180D"]) }  // didDiscoverServices
            .flatMap { $0.discoverCharacteristics(["2A37"]) }  // didDiscoverCharacteristicsFor
            .flatMap { $0.observeValueUpdates() }  // setNotifyValue, didUpdateValueFor
            .subscribe(onNext: show, onError: { print($0) })  // didDisconnectPeripheral
            .disposed(by: bag)
    }
}

/// Bleak's `async with BleakClient(device) as client`.
func readModel(with manager: BluetoothManager) async throws -> String {
    let options = ScanOptions(filters: [ScanFilter(name: .exact("Heart rate strap"))])
    let device = try await manager.scanForPeripherals(options: options).take(1).asSingle().value.peripheral
    return try await device.withConnection { client in
        let model = try await client.characteristic("2A24").value
        return String(decoding: try await model.readValue().value, as: UTF8.self)
    }
}

/// Bleak's `start_notify` with a callback, for five seconds.
func printNotifications(of client: Peripheral, on scheduler: any SchedulerType) async throws {
    let values = try await client.characteristic("2A37").value.observeValueUpdates()
        .take(for: .seconds(5), scheduler: scheduler)
    for try await value in values.values { print(value) }
}

struct ComparisonExampleTests {
    @Test func `The model is read as in Bleak`() async throws {
        let stage = ExampleStage()
        let model = try stage.run { [manager = stage.manager] in try await readModel(with: manager) }
        #expect(model == "Strap 2")
        let strap = try stage.find()
        let scheduler = stage.scheduler
        try stage.run { try await strap.withConnection { try await printNotifications(of: $0, on: scheduler) } }
        #expect(stage.lines.first == "[0, 62]")
    }
}
