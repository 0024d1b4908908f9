import DBus
import RxBluetoothMocks
import RxTest
import Testing

/// A simulation that runs in real time, as one that is served on a bus does.
struct WallClockTests {
    @Test(arguments: [-3_600.0, 3_600])
    func `Setting the wall clock does not move the simulation's time`(seconds: Double) {
        let virtual = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let scheduler = SettableRealTimeScheduler(virtual)
        let simulation = Simulation(.everyday, scheduler: scheduler)
        let client = Client(simulation.connect())
        virtual.advanceBy(1_000)
        scheduler.setWallClock(by: seconds)
        virtual.advanceBy(1_000)
        _ = client.call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery", [])
        virtual.advanceBy(1_000)
        #expect(simulation.calls.last?.time == .seconds(2))
        #expect(client.bus.clock.now == .seconds(3))
        #expect(client.log.take().contains { $0.contains("RSSI") })
    }
}
