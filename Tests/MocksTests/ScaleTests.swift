import DBus
import Rx
import RxBluetoothMocks
import RxTest
import Synchronization
import Testing

/// Many advertisements.
struct ScaleTests {
    @Test func `A hundred peripherals for ten seconds: each packet is one signal, and the same ones twice`() {
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
    }

    /// How many signals came in ten seconds, and a number made from all of them.
    private func events(_ scenario: Scenario) -> (count: Int, hash: Int) {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let simulation = Simulation(scenario, scheduler: scheduler)
        let bus = simulation.connect()
        let seen = Mutex((count: 0, hash: 17))
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
