import Gateway
import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@testable import ble_gateway

@Suite struct PrintingBrokerTests {
    @Test func `A dry run executes the jobs of a device, and claims it once`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let loop = GatewayLoop(scheduler: scheduler, monotonicTime: { .milliseconds(scheduler.clock) })
        let scenario = Scenario(seed: 1) {
            SimulatedPeripheral("Sensor", address: "C0:5E:00:00:00:01") {
                SimulatedAdvertisement(every: .milliseconds(300), rssi: -50)
                SimulatedService("180f") { SimulatedCharacteristic("2a19", .read([87])) }
            }
        }
        let simulation = Simulation(scenario, scheduler: scheduler)
        var device = DeviceSettings(address: "C0:5E:00:00:00:01")
        device.jobs = [GATTJob(.read(every: .seconds(10)), of: "2A19")]
        var configuration = GatewayConfiguration()
        configuration.name = "attic"
        configuration.devices = [device]
        var lines: [String] = []
        let broker = PrintingBroker(loop: loop) { lines.append($0) }
        let gateway = Gateway(configuration, loop: loop, broker: broker, store: SimulatedStore(identity: "s")) {
            BluetoothManager(configuration: .init(adapter: $0, scheduler: scheduler), bus: simulation.connect())
        }
        var warnings: [String] = []
        gateway.onEvent = { if $0.level >= .warning { warnings.append($0.description) } }
        gateway.start()
        scheduler.advance(by: .seconds(60))
        let values = lines.filter { $0.hasPrefix("home/attic/connection/C05E00000001 ") && $0.contains("\"hex\"") }
        #expect(values.count >= 3, "\(lines)")
        #expect(lines.count { $0 == "home/ble-gateways/devices/C05E00000001/owner attic" } == 1)
        #expect(lines.count { $0 == "home/ble-gateways/devices/C05E00000001/room attic" } == 1)
        #expect(warnings == [])
    }
}
