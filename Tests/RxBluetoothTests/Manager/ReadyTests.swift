import RxBluetooth
import RxBluetoothMocks
import RxTest
import SoakTesting
import TestTraits
import Testing

/// Waiting until an adapter is on.
struct ReadyTests {
    @Test(.proves(.S119)) func `Ready completes at once if an adapter is on`() {
        let stage = Stage()
        let ready = stage.record(stage.manager.ready(within: .seconds(1)))
        stage.advance(0)
        #expect(ready.isCompleted)
    }

    @Test(
        .proves(.S119),
        arguments: [
            (BluetoothState.poweredOff, BluetoothError.Kind.poweredOff), (.blocked, .blocked),
            (.noAdapter, .noAdapter), (.daemonUnavailable, .daemonUnavailable),
        ])
    func `At the limit, the error is the present obstacle`(state: BluetoothState, kind: BluetoothError.Kind) {
        let stage = Stage()
        stage.bringAbout(state)
        stage.advance(1_000)
        let start = stage.scheduler.clock
        let ready = stage.record(stage.manager.ready(within: .seconds(3)))
        stage.advance(2_999)
        #expect(ready.isLive)
        stage.advance(1)
        #expect(ready.kind == kind)
        #expect(ready.error?.operation == .waitUntilReady)
        #expect(ready.error?.advice != nil)
        #expect(ready.times == [start + 3_000])
    }

    @Test(.proves(.S119)) func `The obstacle is the last one if it changes meanwhile`() {
        let stage = Stage(.everyday, starting: false)
        let ready = stage.record(stage.manager.ready(within: .seconds(3)))
        stage.advance(1_000)
        stage.simulation.bluez.setPower(false)
        stage.simulation.bluez.start()
        stage.advance(10)
        stage.simulation.bluez.setBlocked(true)
        stage.advance(1_990)
        #expect(ready.kind == .blocked)
    }

    @Test(.proves(.S119), .covers(.readiness))
    func `Ready completes when bluetoothd starts and its adapter is switched on`() {
        let off = Scenario(adapters: [SimulatedAdapter(powered: false)], peripherals: [])
        let stage = Stage(off, starting: false)
        let limited = stage.record(stage.manager.ready(within: .seconds(60)))
        let unlimited = stage.record(stage.manager.ready())
        stage.advance(5_000)
        stage.simulation.bluez.start()
        stage.advance(5_000)
        #expect(limited.isLive && unlimited.isLive)
        stage.simulation.bluez.setPower(true)
        stage.advance(1_000)
        #expect(limited.isCompleted && unlimited.isCompleted)
        stage.advance(60_000)
        #expect(limited.events.count == 1)
    }

    @Test(.proves(.S119)) func `Ready opens a lost bus again`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulations = (0..<2).map { Ground.simulation(.everyday, scheduler: scheduler, starting: $0 == 1) }
        let buses = BusSequence(simulations)
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler)) { buses.next() }
        let ready = Recording(manager.ready(within: .seconds(10)).asObservable(), scheduler)
        scheduler.advanceBy(10)
        simulations[0].bus.shutDown()
        scheduler.advanceBy(3_000)
        #expect(ready.isCompleted)
        #expect(buses.count == 2)
        simulations[1].bus.shutDown()
    }

    @Test(.proves(.S119)) func `A bluetoothd that lists no objects is silent, then unavailable`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        daemon.holdSnapshot()
        let short = stage.record(stage.manager.ready(within: .seconds(1)))
        let long = stage.record(stage.manager.ready(within: .seconds(10)))
        stage.advance(1_000)
        #expect(short.kind == .timedOut)
        stage.advance(9_000)
        #expect(long.kind == .daemonUnavailable)
        #expect(long.error?.detail != nil)
    }

    @Test(.proves(.S119), arguments: [Duration.zero, .seconds(-1)])
    func `A limit of zero or less is invalid`(limit: Duration) {
        let stage = Stage()
        let ready = stage.record(stage.manager.ready(within: limit))
        stage.advance(0)
        #expect(ready.kind == .invalidArgument)
        #expect(stage.simulation.calls.isEmpty)
    }

    @Test(.proves(.S119)) func `Closing the manager ends the wait at once`() {
        let stage = Stage(.everyday, starting: false)
        let ready = stage.record(stage.manager.ready(within: .seconds(60)))
        stage.advance(1_000)
        let closing = stage.record(stage.manager.close())
        stage.advance(10)
        #expect(ready.kind == .closed)
        #expect(closing.isCompleted)
    }

    @Test(.proves(.S119)) func `A wait without permission fails at once`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        daemon.holdSnapshot()
        let ready = stage.record(stage.manager.ready())
        stage.advance(0)
        daemon.take("GetManagedObjects").fail("org.freedesktop.DBus.Error.AccessDenied")
        stage.advance(0)
        #expect(ready.kind == .unauthorized)
    }

    @Test(.proves(.S119)) func `A disposed wait leaves no timer`() {
        let (stage, daemon, _) = Stage.scripted()
        daemon.crash()
        stage.advance(1)
        let before = stage.footprint()
        let ready = stage.record(stage.manager.ready(within: .seconds(60)))
        stage.advance(1_000)
        #expect(ready.isLive)
        ready.dispose()
        #expect(stage.footprint().timers == before.timers)
    }
}
