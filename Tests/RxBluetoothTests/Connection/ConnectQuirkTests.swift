import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// What bluetoothd, other programs and the controller do to a connection.
struct ConnectQuirkTests {
    private func stage(_ quirk: Quirk) -> (Stage, Peripheral) {
        var scenario = Scenario(peripherals: [Sensor.peripheral])
        scenario.quirks = [quirk]
        let stage = Stage(scenario)
        return (stage, stage.find(Sensor.address))
    }

    @Test(.proves(.Q64)) func `Beside a scan connecting is slow and comes about, and is quick once the scan has ended`()
    {
        let (stage, peripheral) = stage(.Q64)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(100)
        let link = stage.record(peripheral.connect())
        stage.advance(3_000)
        #expect(link.elements.isEmpty)
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        link.dispose()
        scan.dispose()
        stage.advance(5_000)
        let quick = stage.record(stage.manager.peripheral(Sensor.address))
        stage.advance(500)
        let second = stage.record(peripheral.connect())
        stage.advance(500)
        #expect(quick.isCompleted)
        #expect(second.elements == [peripheral])
    }

    @Test(.proves(.Q79)) func `An attempt that is cancelled, and not by us, is tried again`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", calls: .first(1), .error("org.bluez.Error.Failed", "br-connection-canceled")))
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        #expect(stage.methods == ["Connect", "Connect"])
    }

    @Test(.proves(.Q83))
    func `A device that is taken for a classic one fails with its reason and advice, and can be tried again`() {
        let (stage, peripheral) = stage(.Q83)
        let link = stage.record(peripheral.connect())
        stage.advance(15_000)
        #expect(link.kind == .connectFailed("br-connection-page-timeout"))
        #expect(link.error?.advice?.contains("scan") == true)
        let again = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(again.elements == [peripheral])
    }

    @Test(.proves(.Q104), arguments: ["Failed", "NotConnected", "NotPermitted"])
    func `Notifications that cannot be turned off are as good as off`(name: String) {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        stage.simulation.bluez.add(
            Fault("StopNotify", calls: .only(1), .error("org.bluez.Error.\(name)", "No notify session started")))
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        values.dispose()
        stage.advance(100)
        stage.expectSettled()
        let again = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        stage.simulation.bluez.notify([3], from: Sensor.text, "fff2")
        stage.advance(1)
        #expect(again.elements == [[3]])
        #expect(link.isLive)
    }

    @Test(.proves(.Q104))
    func `An answer to StopNotify that never comes keeps nobody waiting for more than two seconds`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        stage.simulation.bluez.add(Fault("StopNotify", .never))
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        stage.advance(100)
        values.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(2_001)
        #expect(settled.isCompleted)
        #expect(link.isLive)
    }

    @Test(.proves(.Q12))
    func `While a subscriber stands still the bus is read on, and no more waits for it than was asked for`() {
        let bus = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let queue = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Ground.simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: bus)
        let manager = BluetoothManager(bus: simulation.connect(), scheduler: queue)
        let notifying = Guarded<Characteristic?>(nil)
        let values = Recording(
            manager.peripheral(Sensor.address)
                .flatMap { $0.connect() }
                .flatMap { $0.discoverServices([Sensor.service]) }
                .flatMap { $0.discoverCharacteristics([Sensor.notifying]) }
                .do(onNext: { characteristic in notifying.withLock { $0 = characteristic } })
                .flatMap { $0.observeValueUpdates(buffer: ValueBuffer(capacity: 16, overflow: .dropOldest)) }, queue)
        for _ in 0..<100 {
            bus.advanceBy(10)
            queue.advanceBy(10)
        }
        // From here on the subscriber's queue does nothing.
        for number in 0..<100 {
            simulation.bluez.notify([UInt8(number)], from: Sensor.text, "fff2")
            bus.advanceBy(10)
        }
        simulation.bluez.dropLink(to: Sensor.text)
        bus.advanceBy(1_000)
        #expect(values.elements.isEmpty)
        #expect(notifying.withLock { $0 }?.droppedValueCount == 84)
        #expect(simulation.recorder.count("Adapter1.StopDiscovery") == 1)
        queue.advanceBy(10)
        #expect(values.elements == (84..<100).map { [UInt8($0)] })
        #expect(values.kind == .disconnected(.unknown))
        if Ground.isPrivateBus { simulation.bus.shutDown() }
    }
}
