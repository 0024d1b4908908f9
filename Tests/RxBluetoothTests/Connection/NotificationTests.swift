import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct NotificationTests {
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

    @Test(.proves(.S69), .covers(.notifications))
    func `Subscribers share one StartNotify, and the last dispose sends StopNotify`() {
        for round in 1...3 {
            let first = stage.record(notifying.observeValueUpdates())
            let second = stage.record(notifying.observeValueUpdates())
            stage.advance(100)
            let third = stage.record(notifying.observeValueUpdates())
            stage.advance(0)
            notify([UInt8(round)])
            first.dispose()
            second.dispose()
            stage.advance(0)
            #expect(stage.count("StopNotify") == round - 1)
            notify([0])
            third.dispose()
            stage.advance(0)
            #expect(first.elements == [[UInt8(round)]] && second.elements == first.elements)
            #expect(third.elements == [[UInt8(round)], [0]])
            #expect(stage.count("StartNotify") == round)
            #expect(stage.count("StopNotify") == round)
        }
        stage.expectSettled()
    }

    @Test(.proves(.S70)) func `Subscribers before and after its answer share one StartNotify`() {
        let first = stage.record(notifying.observeValueUpdates())
        stage.advance(10)
        let second = stage.record(notifying.observeValueUpdates())
        stage.advance(10)
        let third = stage.record(notifying.observeValueUpdates())
        stage.advance(10)
        notify([1])
        for one in [first, second, third] { #expect(one.elements == [[1]]) }
        #expect(stage.methods == ["StartNotify"])
    }

    @Test(.proves(.S71, .Q102)) func `A value before the answer to StartNotify is delivered`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let values = stage.record(stage.characteristic(0x2A37, of: peripheral).observeValueUpdates())
        stage.advance(0)
        daemon.notifies([1])
        daemon.take("StartNotify").reply()
        daemon.notifies([2])
        stage.advance(0)
        #expect(values.elements == [[1], [2]])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S72, .S75)) func `A refused StartNotify fails all subscribers, and a later one tries again`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let first = stage.record(characteristic.observeValueUpdates())
        let second = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        daemon.take("StartNotify").fail("org.bluez.Error.NotPermitted", "Notify acquired")
        stage.advance(0)
        for one in [first, second] {
            #expect(one.kind == .exclusiveUse)
            #expect(one.error?.operation == .notify)
            #expect(one.error?.target == "2A37 of C0:FF:EE:00:00:01")
        }
        let third = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        daemon.take("StartNotify").reply()
        daemon.notifies([4])
        stage.advance(0)
        #expect(third.elements == [[4]])
        #expect(daemon.methods == ["Connect", "StartNotify", "StartNotify"])
        #expect(link.isLive)
    }

    @Test(.proves(.Q8)) func `An unanswered StartNotify times out and is reverted`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let values = stage.record(stage.characteristic(0x2A37, of: peripheral).observeValueUpdates())
        stage.advance(30_000)
        #expect(values.kind == .timedOut)
        #expect(daemon.methods == ["Connect", "StartNotify", "StopNotify"])
        daemon.take("StopNotify").reply()
        stage.advance(0)
        stage.expectSettled()
        #expect(link.isLive)
    }

    @Test(.proves(.S73)) func `Each characteristic delivers only its own values, even with equal UUIDs`() {
        let (stage, daemon, peripheral) = Stage.scripted(
            .oneKnownDevice.setting(
                ScriptedDaemon.Objects.servicePath + "/char0021", "org.bluez.GattCharacteristic1",
                ["UUID": .string("00002a37-0000-1000-8000-00805f9b34fb"), "Flags": .strings(["notify"])]))
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let found = stage.record(peripheral.discoverServices().flatMap { $0.discoverCharacteristics([0x2A37]) })
        stage.advance(0)
        #expect(found.elements.map(\.handle) == [0x11, 0x21])
        let values = found.elements.map { stage.record($0.observeValueUpdates()) }
        stage.advance(0)
        daemon.notifies([0x11])
        daemon.change(
            ScriptedDaemon.Objects.servicePath + "/char0021", "org.bluez.GattCharacteristic1",
            ["Value": .bytes([0x21])])
        stage.advance(0)
        #expect(values.map(\.elements) == [[[0x11]], [[0x21]]])
        // After the second characteristic has lost its subscriber, its values are not delivered to others.
        daemon.always("StopNotify")
        values[1].dispose()
        stage.advance(0)
        for handle in ["0021", "0031"] {
            daemon.change(
                ScriptedDaemon.Objects.servicePath + "/char" + handle, "org.bluez.GattCharacteristic1",
                ["Value": .bytes([9])])
        }
        stage.advance(0)
        #expect(values.map(\.elements) == [[[0x11]], [[0x21]]])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S74)) func `A lost link fails notification streams instead of completing them`() {
        let values = stage.record(
            peripheral.discoverServices([Sensor.service]).flatMap { $0.discoverCharacteristics([Sensor.notifying]) }
                .flatMap { $0.observeValueUpdates() })
        stage.advance(100)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1)
        #expect(values.kind == .linkLost(.remote))
        #expect(!values.isCompleted)
    }

    @Test(.proves(.S76)) func `Notifications keep their order, also relative to operation replies`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let values = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        for number in 0..<200 { daemon.notifies([UInt8(number)]) }
        stage.advance(0)
        #expect(values.elements == (0..<200).map { [UInt8($0)] })

        let both = stage.record(
            Observable.merge(
                characteristic.observeValueUpdates(),
                characteristic.writeValue([0]).andThen(Observable.just([0xFF]))))
        stage.advance(0)
        daemon.notifies([1])
        daemon.take("WriteValue").reply()
        daemon.notifies([2])
        stage.advance(0)
        #expect(both.elements == [[1], [0xFF], [2]])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S80)) func `A value without a subscriber is not kept for a later subscriber`() {
        let first = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        notify([1])
        first.dispose()
        stage.advance(0)
        notify([2])
        let second = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        notify([3])
        #expect(first.elements == [[1]])
        #expect(second.elements == [[3]])
    }

    @Test(.proves(.S80)) func `Values before our StartNotify are dropped, and late subscribers need no call`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let write = stage.record(characteristic.writeValue([0]))
        let values = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        // Our StartNotify is still queued, so this value is sent because another program has turned notifications on.
        daemon.notifies([1])
        stage.advance(0)
        #expect(daemon.count("StartNotify") == 0)
        daemon.take("WriteValue").reply()
        stage.advance(0)
        daemon.notifies([2])
        daemon.take("StartNotify").reply()
        stage.advance(0)
        #expect(write.isCompleted)
        #expect(values.elements == [[2]])
        let late = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        daemon.notifies([3])
        stage.advance(0)
        #expect(late.elements == [[3]])
        #expect(daemon.count("StartNotify") == 1)
        #expect(link.isLive)
    }

    @Test func `A malformed value is dropped, and valid ones are delivered`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let values = stage.record(stage.characteristic(0x2A37, of: peripheral).observeValueUpdates())
        stage.advance(0)
        daemon.notifies([1])
        let path = ScriptedDaemon.Objects.characteristicPath
        daemon.change(path, "org.bluez.GattCharacteristic1", ["Value": .string("no")])
        daemon.change(path, "org.bluez.GattCharacteristic1", ["Notifying": .bool(true)])
        daemon.change(path, "org.bluez.GattCharacteristic1", [:], invalidating: ["Value"])
        daemon.signal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged") {
            (body) throws(DBusError) in try body.string("org.bluez.GattCharacteristic1")
        }
        daemon.signal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged")
        daemon.notifies([2])
        stage.advance(0)
        #expect(values.elements == [[1], [2]])
        #expect(link.isLive)
    }
}
