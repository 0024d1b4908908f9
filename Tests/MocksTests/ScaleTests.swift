import DBus
import Rx
import RxBluetoothMocks
import RxTest
import Testing

/// Tests of scenarios with many peripherals.
struct ScaleTests {
    @Test func `100 peripherals cause one signal per packet, the same in two runs`() {
        let scenario = Scenario(
            peripherals: (0..<100).map { number in
                SimulatedPeripheral("P", address: "C0:00:00:00:01:" + String(number + 16, radix: 16)) {
                    SimulatedAdvertisement(
                        every: .milliseconds(100), rssi: -60, jitter: 5, manufacturerData: [0x004C: [1, 2, 3, 4]])
                }
            })
        let first = events(scenario)
        #expect((9_800...9_900).contains(first.count))
        #expect(first == events(scenario))
        var other = scenario
        other.seed = 2
        #expect(first != events(other))
    }

    @Test func `1,000 peripherals advertise while 20 are connected`() {
        let scenario = Scenario(
            peripherals: (0..<1_020).map { number in
                let digits = String(0x1000 + number, radix: 16).uppercased()
                return SimulatedPeripheral("P", address: "C0:00:00:00:\(digits.prefix(2)):\(digits.suffix(2))") {
                    SimulatedAdvertisement(
                        every: .milliseconds(number < 20 ? 100 : 500), rssi: -60, services: number < 20 ? ["fff0"] : [])
                    SimulatedService("fff0") {
                        SimulatedCharacteristic("fff1", .notify(every: .milliseconds(100)) { [UInt8($0 % 256)] })
                    }
                }
            })
        let stage = Stage(scenario)
        stage.scan()
        stage.run(.seconds(1))
        let devices = (0..<20).map {
            "/org/bluez/hci0/dev_C0_00_00_00_10_" + ($0 < 16 ? "0" : "1") + String($0 % 16, radix: 16).uppercased()
        }
        for device in devices { #expect(stage.device(device, "Connect") == "ok") }
        stage.run(.seconds(1))
        for device in devices {
            #expect(stage.characteristic(device + "/service000a/char000b", "StartNotify") == "ok")
        }
        stage.client.log.clear()
        stage.run(.seconds(1))
        let seen = stage.seen()
        #expect((195...205).contains(seen.count { $0.contains("{Value:") }))
        #expect((1_950...2_050).contains(seen.count { $0.contains("{RSSI:") || $0.contains("{ManufacturerData") }))
        #expect(stage.objects().count(where: { !$0.contains("/service") }) == 1_021)
    }

    /// Returns the number of signals in ten seconds, and a hash of them all.
    private func events(_ scenario: Scenario) -> (count: Int, hash: Int) {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let simulation = Simulation(scenario, scheduler: scheduler)
        let bus = simulation.connect()
        let seen = Guarded((count: 0, hash: 17))
        let rule = MatchRule(sender: "org.bluez", path: "/org/bluez/hci0", includesChildren: true)
        _ = bus.subscribe(rule) { signal in
            let path = signal.withPath { $0.count > 40 ? Int($0[36]) * 256 + Int($0[37]) : 0 }
            seen.withLock {
                $0.count += 1
                $0.hash = ($0.hash &* 31 &+ path) &* 31 &+ scheduler.clock
            }
        }
        let client = Client(bus, listening: false)
        _ = client.call(
            "/org/bluez/hci0", "org.bluez.Adapter1.SetDiscoveryFilter",
            [.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])])
        _ = client.call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery", [])
        scheduler.advanceTo(10_000)
        return seen.withLock { $0 }
    }
}
