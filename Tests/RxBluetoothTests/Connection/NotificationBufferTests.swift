import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Notifications to subscribers that are slower than the peripheral.
///
/// In the bus context of a real bus, no value can arrive while a subscriber handles another, so no buffer fills.
@Suite(.enabled(if: !(Ground.isPrivateBus && Ground.delivery == .inBusContext)))
struct NotificationBufferTests {
    let stage: Stage
    let daemon: ScriptedDaemon
    let link: Recording<Peripheral>
    let characteristic: Characteristic

    init() {
        let peripheral: Peripheral
        (stage, daemon, peripheral) = Stage.scripted()
        link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        daemon.always("StopNotify")
        characteristic = stage.characteristic(0x2A37, of: peripheral)
    }

    /// Sends `count` more values while the subscriber handles the first value. Returns the recording.
    private func overrun(_ buffer: ValueBuffer, _ count: Int) -> Recording<[UInt8]> {
        let isFirst = Flag()
        let values = stage.record(
            characteristic.observeValueUpdates(buffer: buffer).do(onNext: { [daemon] _ in
                guard isFirst.clear() else { return }
                for number in 1...count { daemon.notifies([UInt8(number)]) }
            }))
        stage.advance(0)
        daemon.notifies([0])
        stage.advance(0)
        return values
    }

    @Test(.proves(.S81)) func `The buffer holds values up to its capacity without loss`() {
        let values = overrun(ValueBuffer(capacity: 5), 5)
        #expect(values.elements == (0...5).map { [$0] })
        #expect(values.isLive)
        #expect(characteristic.droppedValueCount == 0)
        #expect(ValueBuffer() == ValueBuffer(capacity: 1024, overflow: .fail))
    }

    @Test(.proves(.S81)) func `Overflow fails the stream after the buffered values and sends StopNotify`() {
        let values = overrun(ValueBuffer(capacity: 5), 9)
        #expect(values.elements == (0...5).map { [$0] })
        #expect(values.error == BluetoothError(.overflow, target: "2A37 of C0:FF:EE:00:00:01"))
        #expect(values.error?.operation == .notify)
        #expect(characteristic.droppedValueCount == 1)
        stage.advance(0)
        #expect(daemon.count("StopNotify") == 1)
        #expect(link.isLive)
    }

    @Test(.proves(.S81), .covers(.notificationBuffer))
    func `Buffers drop the oldest or newest values on request and count them`() {
        let newest = overrun(ValueBuffer(capacity: 3, overflow: .dropOldest), 9)
        #expect(newest.elements == [[0], [7], [8], [9]])
        #expect(characteristic.droppedValueCount == 6)
        newest.dispose()
        stage.advance(0)
        let eldest = overrun(ValueBuffer(capacity: 3, overflow: .dropNewest), 9)
        #expect(eldest.elements == [[0], [1], [2], [3]])
        #expect(eldest.isLive)
        #expect(characteristic.droppedValueCount == 12)
    }

    @Test(.proves(.S81)) func `A slow subscriber does not affect another subscriber`() {
        let other = stage.record(characteristic.observeValueUpdates())
        let slow = overrun(ValueBuffer(capacity: 1), 9)
        #expect(slow.kind == .overflow)
        #expect(other.elements == (0...9).map { [$0] })
        #expect(other.isLive)
    }

    @Test(.proves(.S81)) func `The error of a lost link follows the buffered values`() {
        let isFirst = Flag()
        let values = stage.record(
            characteristic.observeValueUpdates().do(onNext: { [daemon] _ in
                guard isFirst.clear() else { return }
                daemon.notifies([1])
                daemon.crash()
            }))
        stage.advance(0)
        daemon.notifies([0])
        stage.advance(0)
        #expect(values.elements == [[0], [1]])
        #expect(values.kind == .disconnected(.daemon))
    }

    @Test(.proves(.S91)) func `Disposing discards the buffered values`() {
        let subscription = SerialDisposable()
        let taken = Guarded([[UInt8]]())
        subscription.disposable = characteristic.observeValueUpdates().subscribe(onNext: { [daemon] value in
            taken.withLock { $0.append(value) }
            for number in 1...3 { daemon.notifies([UInt8(number)]) }
            subscription.dispose()
        })
        stage.advance(0)
        daemon.notifies([0])
        stage.advance(1)
        #expect(taken.withLock { $0 } == [[0]])
    }

    @Test(.proves(.Q12)) func `A blocked subscriber does not block the bus, and its buffer stays bounded`() {
        let bus = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let queue = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Ground.simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: bus)
        let manager = BluetoothManager(configuration: .init(scheduler: queue), bus: simulation.connect())
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
        // From here on, the clock of the subscriber's queue stands still, so the subscriber is blocked.
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
        #expect(values.kind == .linkLost(.remote))
        if Ground.isPrivateBus { simulation.bus.shutDown() }
    }
}

/// A flag that is set at first, and can be cleared once.
private final class Flag: Sendable {
    private let isSet = Guarded(true)

    /// Clears the flag. Returns whether it was set before.
    func clear() -> Bool {
        isSet.withLock { isSet in
            defer { isSet = false }
            return isSet
        }
    }
}
