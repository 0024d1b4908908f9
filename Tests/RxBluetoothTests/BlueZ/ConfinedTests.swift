import DBus
import RxBluetoothMocks
import RxTest
import Testing

@testable import RxBluetooth

/// `Confined`: state that may be accessed only in its bus context.
struct ConfinedTests {
    private final class Counter { var count = 0 }

    private static func loopback() -> (LoopbackConnection, TestScheduler) {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        return (LoopbackBus(scheduler: scheduler).connect(), scheduler)
    }

    @Test func `Work in the bus context can access confined state`() {
        let (bus, scheduler) = Self.loopback()
        let counter = Confined(Counter(), to: bus)
        let seen = Guarded(0)
        counter.perform { $0.count += 1 }
        counter.perform { counter in seen.withLock { $0 = counter.count } }
        scheduler.advanceBy(1)
        #expect(seen.withLock { $0 } == 1)
    }

    @Test func `Access from another thread traps with a message that states the rule`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent],
            performing: {
                let bus = Connection.open(.system)
                let counter = Confined(0, to: bus)
                _ = counter.value
            })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("This must run in the bus's context: see Bus.perform."))
    }

    @Test func `Setting a callback outside the bus context traps`() async {
        await #expect(processExitsWith: .failure) {
            BusContext(Connection.open(.system)).perform {}
        }
    }

    @Test func `A value confined to one bus is not accessible in the context of another`() {
        let (bus, scheduler) = Self.loopback()
        let (other, otherScheduler) = Self.loopback()
        let counter = Confined(Counter(), to: bus)
        let own = Guarded(false)
        let foreign = Guarded(true)
        bus.perform { own.withLock { $0 = counter.value(in: BusContext(bus)) != nil } }
        other.perform { foreign.withLock { $0 = counter.value(in: BusContext(other)) != nil } }
        scheduler.advanceBy(1)
        otherScheduler.advanceBy(1)
        #expect(own.withLock { $0 })
        #expect(!foreign.withLock { $0 })
    }

    @Test func `A writer of a lost bus fails after a new bus is opened`() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let scenario = Scenario(peripherals: [Sensor.peripheral])
        let (first, second) = (Simulation(scenario, scheduler: scheduler), Simulation(scenario, scheduler: scheduler))
        let buses = BusSequence([first, second])
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler)) { buses.next() }
        let writers = Recording(
            manager.peripheral(Sensor.address)
                .flatMap { $0.connect() }
                .flatMap { $0.discoverServices([Sensor.service]) }
                .flatMap { $0.discoverCharacteristics([Sensor.value]) }
                .flatMap { $0.acquireWrite() }, scheduler)
        scheduler.advanceBy(5_000)
        let writer = try #require(writers.elements.first)
        first.bus.shutDown()
        scheduler.advanceBy(100)
        let state = Recording(manager.state, scheduler)
        scheduler.advanceBy(1_000)
        #expect(state.elements.last == .poweredOn)
        let late = Recording(writer.write([1]).asObservable(), scheduler)
        scheduler.advanceBy(1_000)
        #expect(late.kind == .disconnected(.bus))
    }
}
