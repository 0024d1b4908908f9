import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Reads and notifications of one characteristic, which bluetoothd reports by the same signal.
struct ReadEchoTests {
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>
    let notifying: Characteristic

    init() {
        (stage, peripheral, link, notifying) = Stage.withNotifyingSensor()
    }

    func notify(_ value: [UInt8]) {
        stage.simulation.bluez.notify(value, from: Sensor.text, "fff2")
        stage.advance(0)
    }

    @Test(.proves(.S64, .Q95)) func `A read reply is not a notification, and a notification does not answer a read`() {
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        let read = stage.record(notifying.readValue())
        stage.advance(5)
        notify([1])
        notify([7])
        #expect(read.isLive)
        stage.advance(100)
        #expect(read.elements == [[7]])
        // The notification with value 7 is delivered, although the read returned the same value.
        #expect(values.elements == [[1], [7]])
        notify([2])
        #expect(values.elements == [[1], [7], [2]])
    }

    @Test(.proves(.S64, .Q95)) func `Failed, disposed and timed-out reads hide no notification`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let values = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        let failing = stage.record(characteristic.readValue())
        stage.advance(0)
        daemon.notifies([1])
        daemon.take("ReadValue").fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e")
        stage.advance(0)
        #expect(failing.kind == .attError)
        #expect(values.elements == [[1]])
        let disposed = stage.record(characteristic.readValue())
        stage.advance(0)
        disposed.dispose()
        stage.advance(0)
        daemon.notifies([2])
        daemon.notifies([3])
        daemon.take("ReadValue").reply { $0.bytes([3]) }
        stage.advance(0)
        #expect(values.elements == [[1], [2]])
        let late = stage.record(characteristic.readValue())
        stage.advance(0)
        daemon.notifies([4])
        stage.advance(30_000)
        #expect(late.kind == .timedOut)
        #expect(values.elements == [[1], [2], [4]])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S64, .S81, .Q95)) func `An unanswered read holds back at most 64 notifications for 250 ms`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let values = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        let read = stage.record(characteristic.readValue())
        stage.advance(0)
        daemon.notifies([1])
        stage.advance(100)
        daemon.notifies([2])
        #expect(values.elements.isEmpty)
        stage.advance(150)
        #expect(values.elements == [[1]])
        stage.advance(100)
        #expect(values.elements == [[1], [2]])
        for number in 0..<200 { daemon.notifies([3, UInt8(number)]) }
        stage.advance(0)
        // The library holds the last 64 values back until the read has its reply, because one of them may be its echo.
        #expect(values.elements.count == 2 + 200 - 64)
        daemon.take("ReadValue").reply { $0.bytes([3, 199]) }
        stage.advance(0)
        #expect(values.elements == [[1], [2]] + (0..<199).map { [3, UInt8($0)] })
        #expect(read.elements == [[3, 199]])
        stage.advance(1_000)
        #expect(values.elements.count == 201)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S64)) func `A read before StartNotify does not appear as a notification`() {
        let read = stage.record(notifying.readValue())
        stage.advance(5)
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        #expect(read.elements == [[7]])
        #expect(values.elements.isEmpty)
        #expect(stage.methods == ["ReadValue", "StartNotify"])
    }
}
