import DBus
import Rx
import RxBluetoothMocks
import RxTest
import Synchronization
import Testing

/// What a simulation on a real bus needs besides: as many advertisements as the intervals say, whatever the timers do.
struct ServingTests {
    private func scan(_ bus: any Bus) {
        let client = Client(bus, listening: false)
        _ = client.call(
            "/org/bluez/hci0", "org.bluez.Adapter1.SetDiscoveryFilter",
            [.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])])
        _ = client.call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery", [])
    }

    @Test func `a crowd sends five thousand advertisements a second, and each is counted`() {
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

    @Test func `timers that are late cost no advertisements`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let bus = LoopbackBus(scheduler: scheduler)
        // Each reading of this clock is half as far again as the timers: they come late, more and more.
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
        // Two seconds of timers are three of the clock.
        #expect(abs(daemon.advertisementsSent - before - 3_000) <= 20)
        #expect(daemon.advertisementsMissed == 0)
    }

    @Test func `what is more than a second late was never sent`() {
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
        // The computer sleeps for an hour.
        asleep.store(3_600_000, ordering: .relaxed)
        scheduler.advanceTo(2_000)
        #expect((100...120).contains(daemon.advertisementsSent - before))
        // Ten devices, ten times a second each, for an hour.
        #expect(abs(daemon.advertisementsMissed - 360_000) <= 20)
    }
}

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
