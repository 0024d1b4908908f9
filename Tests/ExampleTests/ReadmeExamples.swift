import RxBluetooth
import RxBluetoothMocks
import Testing

/// Code of documents that is too short for a test of its own.
enum ReadmeExamples {
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
