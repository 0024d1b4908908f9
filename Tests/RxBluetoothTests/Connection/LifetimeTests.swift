import DBus
import Dispatch
import Glibc
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Synchronization
import TestTraits
import Testing

/// What keeps the bus, the manager and peripherals in memory, and what a connection leaves behind.
struct LifetimeTests {
    /// A simulation with a manager and a bus that a test can release.
    final class Setup {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation: Simulation
        var manager: BluetoothManager?
        weak var bus: (any Bus)?

        init() {
            simulation = Simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: scheduler)
            let bus = simulation.connect()
            self.bus = bus
            manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: bus)
        }

        func find() -> Peripheral? {
            let found = scheduler.createObserver(Peripheral.self)
            let subscription = manager?.peripheral(Sensor.address).subscribe(found)
            scheduler.advanceBy(500)
            subscription?.dispose()
            scheduler.advanceBy(100)
            return found.elements.first
        }

        func count(_ member: String) -> Int { simulation.calls.count { $0.member == member } }
    }

    @Test(.proves(.S30)) func `A released manager's link closes when its last subscription is disposed`() {
        let setup = Setup()
        var peripheral = setup.find()
        let up = setup.scheduler.createObserver(Peripheral.self)
        var subscription = peripheral?.connect().subscribe(up)
        setup.scheduler.advanceBy(500)
        #expect(up.elements.count == 1)
        peripheral = nil
        setup.manager = nil
        // Only the subscription retains the bus now, and the bus must stay open.
        setup.scheduler.advanceBy(10_000)
        #expect(setup.count("Disconnect") == 0)
        #expect(setup.bus != nil)
        subscription?.dispose()
        subscription = nil
        setup.scheduler.advanceBy(1)
        #expect(setup.count("Disconnect") == 1)
        setup.scheduler.advanceBy(3_000)
        #expect(setup.bus == nil)
    }

    @Test(.proves(.Q103)) func `Notifications stop when the last subscription of a released manager is disposed`() {
        let setup = Setup()
        let values = setup.scheduler.createObserver([UInt8].self)
        var subscription = setup.find()?.connect()
            .flatMap { $0.discoverServices([Sensor.service]) }
            .flatMap { $0.discoverCharacteristics([Sensor.notifying]) }
            .flatMap { $0.observeValueUpdates() }
            .subscribe(values)
        setup.scheduler.advanceBy(1_000)
        setup.manager = nil
        setup.simulation.bluez.notify([5], from: Sensor.text, "fff2")
        setup.scheduler.advanceBy(1)
        #expect(values.elements == [[5]])
        subscription?.dispose()
        subscription = nil
        setup.scheduler.advanceBy(3_000)
        #expect(setup.count("StopNotify") == 1)
        #expect(setup.count("Disconnect") == 1)
        #expect(setup.bus == nil)
    }

    @Test(.proves(.S5)) func `The bus is released with its last user, a subscription or the manager`() {
        let setup = Setup()
        let first = setup.manager?.state.subscribe()
        let second = setup.manager?.scanForPeripherals().subscribe()
        setup.scheduler.advanceBy(1_000)
        setup.manager = nil
        first?.dispose()
        setup.scheduler.advanceBy(1_000)
        #expect(setup.bus != nil)
        second?.dispose()
        setup.scheduler.advanceBy(1_000)
        #expect(setup.bus == nil)
        #expect(setup.count("StopDiscovery") == 1)

        let quiet = Setup()
        let state = quiet.manager?.state.subscribe()
        quiet.scheduler.advanceBy(1_000)
        state?.dispose()
        quiet.scheduler.advanceBy(1_000)
        #expect(quiet.bus != nil)
        quiet.manager = nil
        quiet.scheduler.advanceBy(1_000)
        #expect(quiet.bus == nil)
    }

    @Test(.proves(.S7)) func `A pipeline continues to its end after its manager is released`() {
        let setup = Setup()
        let values = setup.scheduler.createObserver([UInt8].self)
        var subscription = setup.manager?.peripheral(Sensor.address)
            .flatMap { $0.connect() }
            .flatMap { $0.discoverServices([Sensor.service]) }
            .flatMap { $0.discoverCharacteristics([Sensor.notifying]) }
            .flatMap { $0.observeValueUpdates() }
            .subscribe(values)
        setup.manager = nil
        setup.scheduler.advanceBy(2_000)
        setup.simulation.bluez.notify([5], from: Sensor.text, "fff2")
        setup.scheduler.advanceBy(1)
        #expect(values.elements == [[5]])
        subscription?.dispose()
        subscription = nil
        setup.scheduler.advanceBy(3_000)
        #expect(setup.count("Disconnect") == 1)
        #expect(setup.bus == nil)
    }

    @Test(.proves(.S91)) func `A released manager stays alive until the link that it closes is down`() {
        let setup = Setup()
        let subscription = setup.find()?.connect().subscribe()
        setup.scheduler.advanceBy(500)
        subscription?.dispose()
        setup.manager = nil
        setup.scheduler.advanceBy(1_000)
        #expect(setup.bus != nil)
        setup.scheduler.advanceBy(2_000)
        #expect(setup.count("Disconnect") == 1)
        #expect(setup.bus == nil)
    }

    @Test(.proves(.S46)) func `Scans, connections and lists return the same object for one device`() {
        let (stage, peripheral) = Stage.withSensor()
        #expect(stage.find(Sensor.address) === peripheral)
        let link = stage.connect(peripheral)
        #expect(link.elements.first === peripheral)
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        #expect(known.elements.first?.contains { $0.peripheral === peripheral } == true)
        let other = stage.find("C0:FF:EE:00:00:22")
        #expect(other !== peripheral && other != peripheral)
        #expect(stage.find("C0:FF:EE:00:00:22") === other)
    }

    @Test(.proves(.S46, .S89)) func `A forgotten device that returns is the same object while the user holds it`() {
        let stage = Stage(with: [Sensor.peripheral])
        var peripheral: Peripheral? = stage.find(Sensor.address)
        weak let kept = peripheral
        stage.advance(60_000)
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        #expect(known.elements.first?.isEmpty == true)
        #expect(stage.find(Sensor.address) === peripheral)
        stage.advance(60_000)
        peripheral = nil
        #expect(kept == nil)
    }

    @Test(.proves(.S46)) func `A lost connection releases the closures of its subscribers`() {
        let (stage, peripheral) = Stage.withSensor()
        weak var held: Token?
        do {
            let token = Token()
            held = token
            let link = stage.record(peripheral.connect().do(onNext: { _ in _ = token }))
            stage.advance(500)
            let values = stage.record(
                stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates()
                    .do(onNext: { _ in _ = token }))
            let read = stage.record(
                stage.characteristic(Sensor.silent, of: peripheral).readValue().asObservable()
                    .do(onNext: { _ in _ = token }))
            let found = stage.record(peripheral.discoverServices().do(onNext: { _ in _ = token }))
            stage.advance(100)
            stage.simulation.bluez.dropLink(to: Sensor.text)
            stage.advance(1)
            #expect(!link.isLive && !values.isLive && !read.isLive && !found.isLive)
        }
        #expect(held == nil)
    }

    @Test(.proves(.S92)) func `No timer remains after a session in which bluetoothd answered each call`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        daemon.always("StartNotify")
        daemon.always("StopNotify")
        daemon.always("WriteValue")
        let link = stage.connect(peripheral, daemon)
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let values = stage.record(characteristic.observeValueUpdates())
        let write = stage.record(characteristic.writeValue([1]))
        let read = stage.record(characteristic.readValue())
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        #expect(write.isCompleted && read.isCompleted)
        values.dispose()
        link.dispose()
        stage.advance(0)
        daemon.take("Disconnect").reply()
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(0)
        #expect(
            daemon.methods == ["Connect", "StartNotify", "WriteValue", "ReadValue", "StopNotify", "Disconnect"])
        stage.expectSettled()
        stage.expectNoTimers()
    }

    @Test func `No timer remains after a link loss with operations in progress`() {
        let (stage, daemon, peripheral) = Stage.scripted(.oneDevice)
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        daemon.always("StopNotify")
        let link = stage.connect(peripheral, daemon)
        let found = stage.record(peripheral.discoverServices())
        stage.advance(10)
        daemon.add(.services)
        stage.advance(1_000)
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let values = stage.record(characteristic.observeValueUpdates())
        let read = stage.record(characteristic.readValue())
        stage.advance(10)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        for kind in [link.kind, values.kind, read.kind] { #expect(kind == .disconnected(.unknown)) }
        #expect(found.isCompleted)
        stage.expectSettled()
        stage.expectNoTimers()
    }

    @Test(.proves(.S91)) func `Connecting and disposing on many threads emits nothing after dispose`() async throws {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let sensor = Sensor.make(
            Sensor.text, SimulatedConnection(delay: .milliseconds(1), discovery: .milliseconds(1)))
        let simulation = Simulation(Scenario(peripherals: [sensor]), scheduler: scheduler)
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
        var found: Peripheral?
        for try await peripheral in manager.peripheral(Sensor.address).values { found = peripheral }
        let peripheral = try #require(found)
        // This test uses real threads and the real clock, because virtual time has only one thread. A thread can be
        // suspended between the library's last check and the subscriber's, so a late event must occur repeatedly.
        var lateEvents = Self.lateEvents(of: peripheral)
        for _ in 0..<2 where lateEvents > 0 { lateEvents = Self.lateEvents(of: peripheral) }
        try await manager.settled().value
        try await manager.close().value
        #expect(lateEvents == 0)
        // A canceled attempt removes the device from BlueZ 5.82 on. If the next call arrives before the signal of the
        // removal, it has made no link.
        let attempts = simulation.calls.filter { call in
            if case .error(let error) = call.answer, error.name == DBusError.Name.unknownObject { return false }
            return call.member == "Connect"
        }
        #expect(simulation.calls.count { $0.member == "Disconnect" } == attempts.count)
    }

    /// Connects and disposes on many threads. Returns the number of events that began after their disposal.
    private static func lateEvents(of peripheral: Peripheral) -> Int {
        let lateEvents = Tally()
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            let disposals = Tally()
            let subscription = peripheral.connect()
                .flatMap { $0.discoverServices() }
                .subscribe { _ in
                    if disposals.count > 0 { lateEvents.add() }
                }
            if number % 3 == 0 { sched_yield() }
            subscription.dispose()
            disposals.add()
        }
        return lateEvents.count
    }

    final class Token: Sendable {}

    final class Tally: Sendable {
        private let number = Atomic(0)
        var count: Int { number.load(ordering: .sequentiallyConsistent) }
        func add() { number.add(1, ordering: .sequentiallyConsistent) }
    }
}
