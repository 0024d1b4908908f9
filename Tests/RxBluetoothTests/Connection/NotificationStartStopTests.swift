import DBus
import Rx
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Subscribing and disposing while notifications are being turned on or off.
struct NotificationStartStopTests {
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>
    let notifying: Characteristic

    init() {
        (stage, peripheral, link, notifying) = Stage.withNotifyingSensor()
    }

    @Test(.proves(.S69)) func `Subscribing while notifications are being turned off turns them on again`() {
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
        // The error of StopNotify counts as success, so the library sends StartNotify for the second subscriber (Q104).
        daemon.take("StopNotify").fail("org.bluez.Error.Failed", "No notify session started")
        stage.advance(0)
        daemon.notifies([1])
        stage.advance(0)
        #expect(second.elements == [[1]])
        #expect(daemon.methods == ["Connect", "StartNotify", "StopNotify", "StartNotify"])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.Q103)) func `Notifications that wait to be turned off are turned off at the end of the link`() {
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        let access = stage.record(peripheral.exclusively { _ in Observable<Int>.never() })
        stage.advance(10)
        values.dispose()
        stage.advance(10)
        #expect(access.isLive && stage.count("StopNotify") == 0)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1_000)
        #expect(stage.count("StopNotify") == 1)
        stage.expectSettled()
    }

    @Test(.proves(.Q135), arguments: [false, true])
    func `A refused notify session is stopped and started again, once`(isRefusedAgain: Bool) {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let values = stage.record(stage.characteristic(0x2A37, of: peripheral).observeValueUpdates())
        stage.advance(0)
        daemon.take("StartNotify").fail("org.bluez.Error.Failed", "Failed to register notify session")
        stage.advance(0)
        daemon.take("StopNotify").fail("org.bluez.Error.Failed", "No notify session started")
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "StartNotify", "StopNotify", "StartNotify"])
        guard isRefusedAgain else {
            daemon.take("StartNotify").reply()
            daemon.notifies([1])
            stage.advance(0)
            #expect(values.elements == [[1]])
            return withExtendedLifetime(link) {}
        }
        daemon.take("StartNotify").fail("org.bluez.Error.Failed", "Failed to register notify session")
        stage.advance(0)
        #expect(values.error?.dbusMessage == "Failed to register notify session")
        #expect(daemon.methods.count == 4)
    }

    @Test(.proves(.S69)) func `Disposing early skips a queued StartNotify and reverts a sent one`() {
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

    @Test(.proves(.S79, .Q103)) func `One StopNotify is sent in whichever notification phase the link ends`() {
        // In the phases 0 to 2, notifications are being turned on, are on, or StopNotify waits behind a long operation.
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
                // Notifications stay off after the next connection, because StopNotify was sent.
                let again = stage.connect(peripheral)
                stage.simulation.bluez.notify([1], from: Sensor.text, "fff2")
                stage.advance(100)
                #expect(stage.count("StartNotify") == 1)
                #expect(again.isLive)
                stage.expectSettled()
            }
        }
    }

    @Test(.proves(.Q104), arguments: ["Failed", "NotConnected", "NotPermitted"])
    func `A failed StopNotify counts as turned off`(name: String) {
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

    @Test(.proves(.Q104)) func `An unanswered StopNotify delays teardown by at most two seconds`() {
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
}
