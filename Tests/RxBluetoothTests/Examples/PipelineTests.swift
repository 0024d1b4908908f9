import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

@testable import RxBluetooth

/// A pipeline of operators from the manager's state to notifications.
struct PipelineTests {
    @Test(.proves(.S88)) func `The pipeline from state to notifications delivers values`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let simulation = Simulation(.everyday, scheduler: scheduler)
        let heartRate: BluetoothUUID = "180D"
        let measurement: BluetoothUUID = "2A37"
        let bag = DisposeBag()
        let printed = scheduler.createObserver([UInt8].self)
        @Sendable func print(_ value: [UInt8]) { printed.onNext(value) }
        // Only the next line differs from that of an application: it passes a simulated bus and a virtual clock.
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())

        manager.state  // Observable<BluetoothState>, the current one first
            .filter { $0 == .poweredOn }
            .timeout(.seconds(1), scheduler: scheduler)
            .take(1)
            .flatMap { _ in manager.scanForPeripherals(withServices: [heartRate]) }
            .take(1)
            .flatMap { $0.peripheral.connect() }  // emits the peripheral; dispose disconnects
            .flatMap { $0.discoverServices([heartRate]) }  // one element a service
            .flatMap { $0.discoverCharacteristics([measurement]) }  // one element a characteristic
            .flatMap { $0.observeValueUpdates() }  // notifications on while subscribed
            .subscribe(onNext: { print($0) })
            .disposed(by: bag)

        scheduler.advanceBy(4_500)
        let values = printed.events.compactMap(\.value.element)
        #expect(values.count >= 3)
        #expect(values.first == [0x00, 62])
        #expect(
            simulation.calls.map(\.member) == [
                "GetManagedObjects", "SetDiscoveryFilter", "StartDiscovery", "RegisterAgent", "Connect",
                "StopDiscovery", "SetDiscoveryFilter", "StartNotify",
            ])
    }

    @Test func `Building streams opens no bus connection`() {
        // This test checks the manager's access object. The tests of S5 also count the opened bus connections.
        let manager = BluetoothManager()
        #expect(manager.access.present == nil)
        _ = manager.state.filter { $0 == .poweredOn }.take(1)
        _ = manager.scanForPeripherals(withServices: ["180D"])
        #expect(manager.access.present == nil)
    }

    @Test(.proves(.S44)) func `Disposing of the pipeline reverts its calls before settled completes`() {
        let stage = Stage()
        let pipeline = stage.record(
            stage.manager.scanForPeripherals(withServices: [0x180D]).take(1)
                .flatMap { $0.peripheral.connect() }
                .flatMap { $0.discoverServices([0x180D]) }
                .flatMap { $0.discoverCharacteristics([0x2A37]) }
                .flatMap { $0.observeValueUpdates() })
        stage.advance(3_000)
        #expect(!pipeline.elements.isEmpty)
        pipeline.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(1)
        #expect(!settled.isCompleted)
        stage.advance(3_000)
        #expect(settled.isCompleted)
        #expect(stage.count("StopNotify") == 1)
        #expect(stage.count("Disconnect") == 1)
        #expect(stage.count("StopDiscovery") == 1)
    }

    @Test func `Streams and singles work with async and await`() async throws {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let simulation = Simulation(.everyday, scheduler: scheduler)
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
        for try await state in manager.state.values {
            #expect(state == .poweredOn)
            break
        }
        let known = try await manager.knownPeripherals().value
        #expect(known.isEmpty)
        try await manager.close().value
    }
}
