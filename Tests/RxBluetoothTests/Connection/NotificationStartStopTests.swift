import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Subscribers that come and go while notifications are being turned on or off.
struct NotificationStartStopTests {
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>
    let notifying: Characteristic

    init() {
        (stage, peripheral, link, notifying) = Stage.withNotifyingSensor()
    }

    @Test(.proves(.S69)) func `A subscriber that comes while they are being turned off has them turned on again`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let first = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        first.dispose()
        stage.advance(0)
        let second = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "StartNotify", "StopNotify"])
        // Q104: whatever bluetoothd says to it.
        daemon.take("StopNotify").fail("org.bluez.Error.Failed", "No notify session started")
        stage.advance(0)
        daemon.notifies([1])
        stage.advance(0)
        #expect(second.elements == [[1]])
        #expect(daemon.methods == ["Connect", "StartNotify", "StopNotify", "StartNotify"])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S69)) func `A subscriber that leaves before they are on has them turned off, or never turned on`() {
        let stuck = stage.record(stage.characteristic(Sensor.slow, of: peripheral).readValue())
        let queued = stage.record(notifying.observeValueUpdates())
        stage.advance(10)
        queued.dispose()
        stage.advance(6_000)
        #expect(stuck.isCompleted)
        #expect(stage.methods == ["ReadValue"])
        let early = stage.record(notifying.observeValueUpdates())
        stage.advance(5)
        early.dispose()
        stage.advance(100)
        #expect(stage.methods == ["ReadValue", "StartNotify", "StopNotify"])
        stage.expectSettled()
    }

    @Test(.proves(.S79, .Q103)) func `They are turned off at bluetoothd in every phase in which a link may end`() {
        // While they are being turned on, while they are on, and after they were turned off behind a long operation.
        for phase in 0..<3 {
            for isLost in [true, false] {
                let (stage, peripheral) = Stage.withSensor()
                let link = stage.connect(peripheral)
                let slow = stage.characteristic(Sensor.slow, of: peripheral)
                let values = stage.record(
                    stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
                stage.advance(phase == 0 ? 5 : 100)
                let read = stage.record(slow.readValue())
                stage.advance(1)
                if phase == 2 { values.dispose() }
                stage.advance(1)
                isLost ? stage.simulation.bluez.dropLink(to: Sensor.text) : link.dispose()
                stage.advance(3_000)
                #expect(stage.count("StartNotify") == 1)
                #expect(stage.count("StopNotify") == 1, "phase \(phase), lost \(isLost)")
                #expect(read.error != nil)
                // After the next connection bluetoothd arms nothing.
                let again = stage.connect(peripheral)
                stage.simulation.bluez.notify([1], from: Sensor.text, "fff2")
                stage.advance(100)
                #expect(stage.count("StartNotify") == 1)
                #expect(again.isLive)
                stage.expectSettled()
            }
        }
    }
}
