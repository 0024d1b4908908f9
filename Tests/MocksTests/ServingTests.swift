import DBus
import Rx
import RxBluetoothMocks
import RxTest
import Synchronization
import Testing

/// Tests of the number of advertisements that a simulation sends, also if its timers are late.
struct ServingTests {
    private func scan(_ bus: any Bus) {
        let client = Client(bus, listening: false)
        _ = client.call(
            "/org/bluez/hci0", "org.bluez.Adapter1.SetDiscoveryFilter",
            [.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])])
        _ = client.call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery", [])
    }

    @Test func `The crowd scenario sends 5,000 advertisements a second`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let simulation = Simulation(.crowd, scheduler: scheduler)
        let bus = simulation.connect()
        let signals = Guarded(0)
        let rule = MatchRule(sender: "org.bluez", path: "/org/bluez/hci0", includesChildren: true)
        let added = MatchRule(
            sender: "org.bluez", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded")
        for rule in [rule, added] { _ = bus.subscribe(rule) { _ in signals.withLock { $0 += 1 } } }
        #expect(simulation.bluez.advertisementsSent == 0)
        scan(bus)
        scheduler.advanceTo(1_000)
        let before = simulation.bluez.advertisementsSent
        let seen = signals.withLock { $0 }
        scheduler.advanceTo(3_000)
        #expect(simulation.bluez.advertisementsSent - before == 10_000)
        #expect(signals.withLock { $0 } - seen == 10_000)
    }

    @Test func `Late timers lose no advertisements`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let bus = LoopbackBus(scheduler: scheduler)
        // This clock advances 1.5 times as fast as the timers, so the timers are increasingly late.
        let daemon = SimulatedBlueZ(
            Scenario.crowd(of: 100, every: .milliseconds(100)),
            clock: { .milliseconds(scheduler.clock) * 3 / 2 }, connect: { bus.connect() })
        daemon.start()
        scheduler.advanceTo(10)
        let client = bus.connect()
        defer { client.close() }
        scan(client)
        scheduler.advanceTo(1_000)
        let before = daemon.advertisementsSent
        scheduler.advanceTo(3_000)
        // While the timers advance two seconds, the clock advances three: 3,000 advertisements are due.
        #expect(abs(daemon.advertisementsSent - before - 3_000) <= 20)
        #expect(daemon.advertisementsMissed == 0)
    }

    @Test func `Packets more than 1 s late are not sent`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let bus = LoopbackBus(scheduler: scheduler)
        let asleep = Atomic(0)
        let daemon = SimulatedBlueZ(
            Scenario.crowd(of: 10, every: .milliseconds(100)),
            clock: { .milliseconds(scheduler.clock + asleep.load(ordering: .relaxed)) }, connect: { bus.connect() })
        daemon.start()
        scheduler.advanceTo(10)
        let client = bus.connect()
        defer { client.close() }
        scan(client)
        scheduler.advanceTo(1_000)
        let before = daemon.advertisementsSent
        // The clock jumps by an hour, as if the computer had been suspended.
        asleep.store(3_600_000, ordering: .relaxed)
        scheduler.advanceTo(2_000)
        #expect((100...120).contains(daemon.advertisementsSent - before))
        // Ten devices skip ten advertisements a second each, for an hour.
        #expect(abs(daemon.advertisementsMissed - 360_000) <= 20)
    }
}

/// Tests of a simulation in real time, as on a real bus.
struct WallClockTests {
    @Test(arguments: [-3_600.0, 3_600])
    func `Setting the wall clock does not change the simulation's time`(seconds: Double) {
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
