import Dispatch
import RxBluetooth
import RxBluetoothMocks
import Testing

/// Code of the README that is too short for a test of its own.
enum ReadmeExamples {
    static func printFirstHeartRate() {
        let manager = BluetoothManager()
        let bag = DisposeBag()
        manager.state
            .filter { $0 == .poweredOn }
            .timeout(.seconds(10), scheduler: MainScheduler.instance)
            .take(1)
            .flatMap { _ in manager.scanForPeripherals(withServices: ["180D"]) }
            .take(1)
            .flatMap { $0.peripheral.connect() }
            .flatMap { $0.discoverServices(["180D"]) }
            .flatMap { $0.discoverCharacteristics(["2A37"]) }
            .flatMap { $0.observeValueUpdates() }
            .subscribe(onNext: { print($0) }, onError: { print("failed: \($0)") })
            .disposed(by: bag)
        dispatchMain()
    }

    static func printState(of peripheral: Peripheral, with manager: BluetoothManager) async throws {
        @Sendable func read(_ uuid: BluetoothUUID, of peripheral: Peripheral) async throws -> [UInt8] {
            try await peripheral.characteristic(uuid).value.readValue().value
        }

        try await manager.ready(within: .seconds(10)).value  // an adapter is on, or the error is the obstacle
        let name = try await peripheral.withConnection { peripheral in
            try await read(0x2A00, of: peripheral)  // your own function
        }  // the link is closed, also after an error or a cancellation
        for try await state in peripheral.connectionState.values { print(state) }
        print(name)
    }

    static func configure(_ controller: any HostController, _ scheduler: any SchedulerType) {
        var configuration = BluetoothManager.Configuration(scheduler: scheduler)
        configuration.controller = controller
    }

    static func fail(_ sensor: SimulatedPeripheral) {
        let scenario = Scenario(seed: 7) {
            sensor
            Quirk.Q72
            Fault("Device1.Connect", calls: .only(2), .error("org.bluez.Error.Failed", "le-connection-refused"))
            at(.seconds(30)) { $0.dropLink(to: sensor.address, reason: .timeout) }
        }
        let simulation = ExampleStage(scenario).simulation
        #expect(simulation.recorder.count("StartDiscovery") == 1)
        #expect(simulation.recorder.calls("Device1.Disconnect", afterFailed: "Device1.Connect").isEmpty)
    }
}
