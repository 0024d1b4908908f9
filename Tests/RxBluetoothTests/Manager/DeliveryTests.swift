import Foundation
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// The modes of delivery: when and where streams deliver.
struct DeliveryTests {
    private static let modes: [Delivery] = [.immediate, .batched(within: .milliseconds(50)), .inBusContext]
    private let bus = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let queue = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    private func manager(_ delivery: Delivery, _ simulation: Simulation) -> BluetoothManager {
        var configuration = BluetoothManager.Configuration(scheduler: queue)
        configuration.delivery = delivery
        return BluetoothManager(configuration: configuration, bus: simulation.connect())
    }

    private func advanceBoth(_ milliseconds: Int) {
        for _ in 0..<milliseconds {
            bus.advanceBy(1)
            queue.advanceBy(1)
        }
    }

    @Test(.proves(.S76), arguments: DeliveryTests.modes)
    func `Streams of a manager keep their order in every mode`(_ delivery: Delivery) {
        let simulation = Ground.simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: bus)
        let manager = manager(delivery, simulation)
        let order = Guarded<[String]>([])
        let notifying = manager.peripheral(Sensor.address)
            .flatMap { $0.connect() }
            .flatMap { $0.discoverServices([Sensor.service]) }
            .flatMap { $0.discoverCharacteristics([Sensor.notifying]) }
        let values = notifying.flatMap { $0.observeValueUpdates() }
            .subscribe(
                onNext: { value in order.withLock { $0.append("\(value[0])") } },
                onError: { _ in order.withLock { $0.append("lost") } })
        let changes = manager.connectionChanges
            .subscribe(onNext: { change in
                if case .disconnected = change.state { order.withLock { $0.append("disconnected") } }
            })
        advanceBoth(3_000)
        order.withLock { $0 = [] }
        for number in 0..<5 { simulation.bluez.notify([UInt8(number)], from: Sensor.text, "fff2") }
        bus.advanceBy(10)
        simulation.bluez.dropLink(to: Sensor.text)
        advanceBoth(1_000)
        #expect(order.withLock { Array($0.prefix(5)) } == ["0", "1", "2", "3", "4"])
        #expect(Set(order.withLock { $0.dropFirst(5) }) == ["lost", "disconnected"])
        values.dispose()
        changes.dispose()
        if Ground.isPrivateBus { simulation.bus.shutDown() }
    }

    @Test func `A batch is delivered at the end of its window`() {
        let stage = Stage(with: [.beacon("C0:00:00:00:00:01")], delivery: .batched(within: .milliseconds(250)))
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        stage.advance(3_000)
        // An advertisement every 100 ms: each window contains two or three, which are delivered together.
        let turns = Set(scan.times)
        #expect(scan.elements.count > turns.count && turns.count > 5)
        for (element, time) in zip(scan.elements, scan.times) {
            let sent = Int((element.timestamp.timeIntervalSince1970 * 1000).rounded())
            #expect((0...250).contains(time - sent))
        }
    }

    @Test func `Delivery in the bus context needs no turn of the scheduler`() {
        let simulation = Ground.simulation(Scenario(peripherals: [.beacon("C0:00:00:00:00:01")]), scheduler: bus)
        let manager = manager(.inBusContext, simulation)
        let scan = Recording(manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)), queue)
        let state = Recording(manager.state, queue)
        bus.advanceBy(2_000)
        #expect(scan.elements.count > 10)
        #expect(state.elements.last == .poweredOn)
        if Ground.isPrivateBus { simulation.bus.shutDown() }
    }

    @Test(.proves(.S76)) func `Timers deliver in the bus context if everything else does`() {
        let simulation = Ground.simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: bus)
        let manager = manager(.inBusContext, simulation)
        let found = Recording(manager.peripheral(Sensor.address), queue)
        advanceBoth(1_000)
        simulation.bluez.setInRange(false, Sensor.text)
        let options = ConnectOptions.reconnect(Reconnection(limit: .seconds(2)))
        let connection = Recording(
            Observable.from(found.elements).flatMap { $0.connect(options: options) }, queue)
        advanceBoth(500)
        #expect(connection.isLive)
        queue.advanceBy(10_000)
        #expect(connection.isLive)
        bus.advanceBy(0)
        #expect(connection.error != nil)
        if Ground.isPrivateBus { simulation.bus.shutDown() }
    }

    @Test(.proves(.S91), arguments: DeliveryTests.modes)
    func `A handler can dispose and subscribe again in every mode`(_ delivery: Delivery) {
        let stage = Stage(with: [.beacon("C0:00:00:00:00:01")], delivery: delivery)
        let counts = Guarded((first: 0, second: 0))
        let (first, second) = (SerialDisposable(), SerialDisposable())
        let scan = stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))
        first.disposable = scan.subscribe(onNext: { _ in
            counts.withLock { $0.first += 1 }
            first.dispose()
            second.disposable = scan.subscribe(onNext: { _ in counts.withLock { $0.second += 1 } })
        })
        stage.advance(3_000)
        #expect(counts.withLock { $0.first } == 1)
        #expect(counts.withLock { $0.second } > 5)
        second.dispose()
        stage.advance(1_000)
        #expect(stage.count("StopDiscovery") >= 1)
    }

    @Test func `Errors before a bus is open are delivered on the scheduler in every mode`() {
        for delivery in Self.modes {
            let stage = Stage(delivery: delivery)
            let close = stage.record(stage.manager.close())
            stage.advance(100)
            let scan = stage.record(stage.manager.scanForPeripherals())
            stage.advance(100)
            #expect(close.isCompleted && scan.error?.kind == .closed)
        }
    }
}
