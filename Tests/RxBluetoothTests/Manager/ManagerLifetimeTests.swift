import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Opening and closing a manager, and losing its bus.
struct ManagerLifetimeTests {
    private let strap: BluetoothAddress = "C0:FF:EE:00:00:01"
    private let plug: BluetoothAddress = "C0:FF:EE:00:00:05"

    private func connected(_ stage: Stage, _ address: BluetoothAddress) -> Recording<Peripheral> {
        let connection = stage.record(stage.manager.peripheral(address).flatMap { $0.connect() })
        stage.advance(2_000)
        #expect(connection.elements.count == 1)
        return connection
    }

    @Test func `Closing the manager closes links and refuses new connections`() {
        let stage = Stage()
        let connection = connected(stage, strap)
        let other = stage.record(stage.manager.peripheral(plug))
        stage.advance(1_000)
        let close = stage.record(stage.manager.close())
        stage.advance(10)
        #expect(!close.isCompleted)
        #expect(connection.error?.kind == .closed)
        let late = stage.record(other.elements[0].connect())
        stage.advance(5_000)
        #expect(late.error?.kind == .closed)
        #expect(close.isCompleted)
        #expect(stage.count("Connect") == 1)
        #expect(stage.count("Disconnect") == 1)
    }

    @Test func `Repeated calls of close and settled wait for the same end`() {
        let stage = Stage()
        let connection = connected(stage, strap)
        let (first, second) = (stage.record(stage.manager.close()), stage.record(stage.manager.close()))
        let settled = stage.record(stage.manager.settled())
        stage.advance(100)
        #expect(!first.isCompleted && !second.isCompleted && !settled.isCompleted)
        stage.advance(3_000)
        #expect(first.isCompleted && second.isCompleted && settled.isCompleted)
        let third = stage.record(stage.manager.close())
        let fourth = stage.record(stage.manager.settled())
        stage.advance(1)
        #expect(third.isCompleted && fourth.isCompleted)
        #expect(stage.count("Disconnect") == 1)
        #expect(connection.error?.kind == .closed)
    }

    @Test func `State fails as closed during and after closing, even on an unused manager`() {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        let close = stage.record(stage.manager.close())
        stage.advance(10)
        #expect(states.elements == [.poweredOn])
        #expect(states.error?.kind == .closed)
        #expect(close.isCompleted)
        let late = stage.record(stage.manager.adapters)
        stage.advance(10)
        #expect(late.error?.kind == .closed)

        let unused = Stage()
        _ = unused.record(unused.manager.close())
        let state = unused.record(unused.manager.state)
        unused.advance(10)
        #expect(state.error?.kind == .closed)
    }

    @Test func `Closing during the first snapshot fails a waiting scan as closed`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage)
        daemon.always("GetManagedObjects") { _ in }
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(100)
        let close = stage.record(stage.manager.close())
        stage.advance(10)
        #expect(close.isCompleted)
        #expect(scan.error?.kind == .closed)
        #expect(scan.error?.operation == .scan)
    }

    @Test func `Settling and closing an unused manager opens no bus`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let buses = BusSequence([])
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler)) { buses.next() }
        let settled = Recording(manager.settled().asObservable(), scheduler)
        let close = Recording(manager.close().asObservable(), scheduler)
        scheduler.advanceBy(10)
        #expect(settled.isCompleted && close.isCompleted)
        #expect(buses.count == 0)
    }

    @Test func `A snapshot request without a reply is repeated with growing pauses`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage)
        let asked = BehaviorRelay(value: 0)
        daemon.always("GetManagedObjects") { call in
            asked.accept(asked.value + 1)
            if asked.value == 4 {
                call.reply { (body) throws(DBusError) in
                    try body.value(ScriptedDaemon.value(ScriptedDaemon.Objects.adapter))
                }
            }
        }
        let states = stage.record(stage.manager.state)
        // The manager sends four requests. Each has a deadline of 8 s, with pauses of 1, 2 and 4 s between them.
        stage.advance(8_500)
        #expect(states.elements == [.daemonUnavailable])
        stage.advance(40_000)
        #expect(states.elements == [.daemonUnavailable, .poweredOn])
        #expect(asked.value == 4)
    }

    @Test func `A bus lost during the snapshot is reported as a lost bus`() {
        let stage = Stage(.everyday, starting: false)
        let daemon = ScriptedDaemon(on: stage)
        daemon.always("GetManagedObjects") { _ in }
        let states = stage.record(stage.manager.state)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(100)
        stage.simulation.bus.shutDown()
        stage.advance(100)
        #expect(states.elements == [.busUnavailable])
        #expect(scan.error?.kind == .busUnavailable)
    }

    @Test(.proves(.S46)) func `A peripheral keeps its identity and can connect after the bus is lost`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let (first, second) = (
            Ground.simulation(.everyday, scheduler: scheduler), Ground.simulation(.everyday, scheduler: scheduler)
        )
        let buses = BusSequence([first, second])
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler)) { buses.next() }
        let before = Recording(manager.peripheral(strap), scheduler)
        scheduler.advanceBy(1_000)
        first.bus.shutDown()
        scheduler.advanceBy(10)
        let state = Recording(manager.state.take(1), scheduler)
        scheduler.advanceBy(10)
        #expect(state.elements == [.poweredOn])
        let after = Recording(manager.peripheral(strap), scheduler)
        scheduler.advanceBy(1_000)
        #expect(after.elements.first === before.elements.first)
        let connection = Recording(before.elements[0].connect(), scheduler)
        scheduler.advanceBy(2_000)
        #expect(connection.elements.count == 1)
        #expect(connection.isLive)
    }

    @Test(.proves(.S44)) func `Releasing a subscription and its manager together closes the link`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Ground.simulation(.everyday, scheduler: scheduler)
        var manager: BluetoothManager? = BluetoothManager(
            configuration: .init(scheduler: scheduler), bus: simulation.connect())
        var connection = manager.map { Recording($0.peripheral(strap).flatMap { $0.connect() }, scheduler) }
        scheduler.advanceBy(2_000)
        #expect(connection?.elements.count == 1)
        connection?.dispose()
        connection = nil
        manager = nil
        scheduler.advanceBy(5_000)
        #expect(simulation.calls.count { $0.member == "Disconnect" } == 1)
        #expect(manager == nil)
    }

    @Test(.proves(.S7)) func `Operations on a peripheral fail as closed after its manager is released`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Ground.simulation(.everyday, scheduler: scheduler)
        var manager: BluetoothManager? = BluetoothManager(
            configuration: .init(scheduler: scheduler), bus: simulation.connect())
        let found = manager.map { Recording($0.peripheral(strap), scheduler) }
        scheduler.advanceBy(1_000)
        manager = nil
        scheduler.advanceBy(1_000)
        let peripheral = found?.elements.first
        let connection = peripheral.map { Recording($0.connect(), scheduler) }
        let supervised = peripheral.map { Recording($0.connect(options: .reconnect()), scheduler) }
        let services = peripheral.map { Recording($0.discoverServices(), scheduler) }
        let strength = peripheral.map { Recording($0.readRSSI().asObservable(), scheduler) }
        let end = peripheral.map { Recording($0.disconnect().asObservable(), scheduler) }
        scheduler.advanceBy(1)
        for kind in [connection?.kind, supervised?.kind, services?.kind, strength?.kind, end?.kind] {
            #expect(kind == .closed)
        }
        #expect(manager == nil)
        if Ground.isPrivateBus { simulation.bus.shutDown() }
    }

    @Test(.proves(.S7)) func `A subscription keeps its manager alive`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Ground.simulation(.everyday, scheduler: scheduler)
        var manager: BluetoothManager? = BluetoothManager(
            configuration: .init(scheduler: scheduler), bus: simulation.connect())
        let states = manager.map { Recording($0.state, scheduler) }
        manager = nil
        scheduler.advanceBy(1_000)
        simulation.bluez.setPower(false)
        scheduler.advanceBy(1_000)
        #expect(states?.elements == [.poweredOn, .poweredOff])
        #expect(manager == nil)
        states?.dispose()
        if Ground.isPrivateBus { simulation.bus.shutDown() }
    }

    @Test(.proves(.S7)) func `A subscription to connection states or events keeps its manager alive`() throws {
        for index in 0..<3 {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
            let simulation = Ground.simulation(.everyday, scheduler: scheduler)
            var manager: BluetoothManager? = BluetoothManager(
                configuration: .init(scheduler: scheduler), bus: simulation.connect())
            let found = manager.map { Recording($0.peripheral(strap), scheduler) }
            scheduler.advanceBy(1_000)
            let peripheral = try #require(found?.elements.first)
            let stream =
                switch index {
                case 0: peripheral.connectionState.map { "\($0)" }
                case 1: try #require(manager).connectionChanges.map { "\($0)" }
                default: try #require(manager).events.map(\.description)
                }
            let recording = Recording(consume stream, scheduler)
            scheduler.advanceBy(0)
            let count = recording.elements.count
            manager = nil
            let link = Recording(peripheral.connect(), scheduler)
            scheduler.advanceBy(2_000)
            #expect(link.elements == [peripheral])
            link.dispose()
            scheduler.advanceBy(5_000)
            // The link has ended, so only the recorded stream retains the manager now.
            #expect(recording.elements.count > count)
            let again = Recording(peripheral.connect(), scheduler)
            scheduler.advanceBy(2_000)
            #expect(again.elements == [peripheral])
            again.dispose()
            scheduler.advanceBy(5_000)
            recording.dispose()
            scheduler.advanceBy(0)
            let late = Recording(peripheral.connectionState, scheduler)
            scheduler.advanceBy(0)
            #expect(late.kind == .closed)
            if Ground.isPrivateBus { simulation.bus.shutDown() }
        }
    }

    @Test func `The closure that opens the bus can use the manager`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Ground.simulation(.everyday, scheduler: scheduler)
        let holder = BehaviorRelay<BluetoothManager?>(value: nil)
        let depth = BehaviorRelay(value: 0)
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler)) {
            depth.accept(depth.value + 1)
            if depth.value == 1 { _ = holder.value?.state.take(1).subscribe() }
            return simulation.connect()
        }
        holder.accept(manager)
        let states = Recording(manager.state, scheduler)
        scheduler.advanceBy(100)
        #expect(states.elements == [.poweredOn])
        holder.accept(nil)
    }
}
