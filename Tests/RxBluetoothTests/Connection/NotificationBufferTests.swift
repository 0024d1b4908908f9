import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Subscribers who are slower than the peripheral.
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

    /// While the subscriber takes the first value, so many more come.
    private func overrun(_ buffer: ValueBuffer, _ count: Int) -> Recording<[UInt8]> {
        let isFirst = Flag()
        let values = stage.record(
            characteristic.observeValueUpdates(buffer: buffer).do(onNext: { [daemon] _ in
                guard isFirst.lower() else { return }
                for number in 1...count { daemon.notifies([UInt8(number)]) }
            }))
        stage.advance(0)
        daemon.notifies([0])
        stage.advance(0)
        return values
    }

    @Test(.proves(.S81)) func `As many values wait as the buffer holds, and none is lost`() {
        let values = overrun(ValueBuffer(capacity: 5), 5)
        #expect(values.elements == (0...5).map { [$0] })
        #expect(values.isLive)
        #expect(characteristic.droppedValueCount == 0)
        #expect(ValueBuffer() == ValueBuffer(capacity: 1024, overflow: .fail))
    }

    @Test(.proves(.S81)) func `One value too many is an error after those that wait, and notifications go off`() {
        let values = overrun(ValueBuffer(capacity: 5), 9)
        #expect(values.elements == (0...5).map { [$0] })
        #expect(values.error == BluetoothError(.overflow, target: "2A37 of C0:FF:EE:00:00:01"))
        #expect(values.error?.operation == .notify)
        #expect(characteristic.droppedValueCount == 1)
        stage.advance(0)
        #expect(daemon.count("StopNotify") == 1)
        #expect(link.isLive)
    }

    @Test(.proves(.S81)) func `The eldest or the newest values are dropped on request, and counted`() {
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

    @Test(.proves(.S81)) func `One slow subscriber costs another one nothing`() {
        let other = stage.record(characteristic.observeValueUpdates())
        let slow = overrun(ValueBuffer(capacity: 1), 9)
        #expect(slow.kind == .overflow)
        #expect(other.elements == (0...9).map { [$0] })
        #expect(other.isLive)
    }

    @Test(.proves(.S81)) func `The error of a lost link comes after the values that wait`() {
        let isFirst = Flag()
        let values = stage.record(
            characteristic.observeValueUpdates().do(onNext: { [daemon] _ in
                guard isFirst.lower() else { return }
                daemon.notifies([1])
                daemon.crash()
            }))
        stage.advance(0)
        daemon.notifies([0])
        stage.advance(0)
        #expect(values.elements == [[0], [1]])
        #expect(values.kind == .disconnected(.daemon))
    }

    @Test(.proves(.S91)) func `After dispose nothing that waits is delivered`() {
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
}

/// Up until it is lowered.
private final class Flag: Sendable {
    private let isUp = Guarded(true)

    /// Whether it was up.
    func lower() -> Bool {
        isUp.withLock { isUp in
            defer { isUp = false }
            return isUp
        }
    }
}
