import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// A view model: the state of Bluetooth and the last measurement, on the main actor.
@MainActor private final class HeartRateModel {
    private(set) var state: BluetoothState?
    private(set) var beats: [[UInt8]] = []
    private let bag = DisposeBag()

    func show(_ manager: BluetoothManager) {
        manager.state.subscribeOnMainActor(with: self, onNext: { model, state in model.state = state })
            .disposed(by: bag)
    }

    func measure(_ count: Int, with peripheral: Peripheral) async throws {
        try await peripheral.withConnection { peripheral in
            let values = peripheral.discoverServices(["180D"])
                .flatMap { $0.discoverCharacteristics(["2A37"]) }
                .flatMap { $0.observeValueUpdates() }
                .take(count).values
            for try await value in values { self.beats.append(value) }
        }
    }
}

@Test(.proves(.S123), .covers(.mainActor)) @MainActor func aViewModelShowsTheStateOfBluetooth() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let model = HeartRateModel()
    model.show(manager)
    scheduler.advanceBy(10)
    #expect(model.state == .poweredOn)
    simulation.bluez.setPower(false)
    scheduler.advanceBy(1_000)
    #expect(model.state == .poweredOff)
}

@Test(.proves(.S120, .S123), .timeLimit(.minutes(20))) @MainActor func aViewModelMeasuresDuringAConnection()
    async throws
{
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    try await manager.ready(within: .seconds(600)).value
    // Without a scan, bluetoothd removes a device after 30 s, which a busy computer may need until the connection.
    let scan = manager.scanForPeripherals().subscribe()
    defer { scan.dispose() }
    let found = try await manager.scanForPeripherals(withServices: ["180D"]).take(1).asSingle().value
    let model = HeartRateModel()
    try await model.measure(3, with: found.peripheral)
    #expect(model.beats.count == 3)
    // The link is closed already, so the next connection is a new one.
    try await model.measure(1, with: found.peripheral)
    #expect(simulation.recorder.count("Device1.Connect") == 2)
    #expect(simulation.recorder.count("Device1.Disconnect") == 2)
    try await manager.close().value
}

@Test(.proves(.S122), .timeLimit(.minutes(20))) func aTaskFollowsTheStatesOfAConnection() async throws {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let scan = manager.scanForPeripherals().subscribe()
    defer { scan.dispose() }
    let peripheral = try await manager.scanForPeripherals(withServices: ["180D"]).take(1).asSingle().value.peripheral
    // Subscribes before the task can begin to connect.
    let changes = peripheral.connectionState.values
    let task = Task {
        try await peripheral.withConnection { _ in try await Completable.never().value }
    }
    var states: [ConnectionState] = []
    for try await state in changes {
        states.append(state)
        if state == .connected { task.cancel() }
        if case .disconnected(_?) = state { break }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(states.dropFirst().prefix(3) == [.connecting, .connected, .disconnecting])
    try await manager.close().value
}
