import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Attributes of an ended connection, and attributes that the peripheral has removed or replaced.
struct StaleAttributeTests {
    @Test(.proves(.S53, .Q111)) func `A removed characteristic fails its operations, and its successor works`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let old = stage.characteristic(0x2A37, of: peripheral)
        let values = stage.record(old.observeValueUpdates())
        stage.advance(0)
        daemon.remove(ScriptedDaemon.Objects.characteristicPath, "org.bluez.GattCharacteristic1")
        stage.advance(0)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        stage.advance(0)
        #expect(values.kind == .attributeNotFound)
        let read = stage.record(old.readValue())
        let observed = stage.record(old.observeValueUpdates())
        let descriptors = stage.record(old.discoverDescriptors())
        stage.advance(0)
        for kind in [read.kind, observed.kind, descriptors.kind] { #expect(kind == .attributeNotFound) }
        #expect(link.isLive)
        // No StopNotify is sent, because bluetoothd has removed the notify session together with the characteristic.
        #expect(daemon.methods == ["Connect", "StartNotify", "Get"])

        daemon.add(.services)
        stage.advance(0)
        let again = stage.record(stage.characteristic(0x2A37, of: peripheral).observeValueUpdates())
        stage.advance(0)
        daemon.notifies([3])
        stage.advance(0)
        #expect(again.elements == [[3]])
        #expect(daemon.count("StartNotify") == 2)
    }

    @Test(.proves(.S53, .Q111)) func `A characteristic replaced at once ends old notifications and starts new ones`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let old = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        let path = ScriptedDaemon.Objects.characteristicPath
        daemon.remove(path, "org.bluez.GattCharacteristic1")
        daemon.add(ScriptedDaemon.Objects.services.filter { $0.key == path })
        stage.advance(0)
        // The old stream is still live, because the library's read of Connected has no reply yet.
        #expect(old.isLive)
        let new = stage.record(characteristic.observeValueUpdates())
        stage.advance(0)
        #expect(old.kind == .attributeNotFound)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        stage.advance(0)
        daemon.notifies([3])
        stage.advance(0)
        #expect(new.elements == [[3]])
        #expect(daemon.count("StartNotify") == 2)
        #expect(link.isLive)
    }

    @Test(.proves(.S53)) func `A write is refused if its handle now belongs to another characteristic`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let old = stage.characteristic(0x2A37, of: peripheral)
        daemon.remove(ScriptedDaemon.Objects.characteristicPath, "org.bluez.GattCharacteristic1")
        daemon.add(
            [:].setting(
                ScriptedDaemon.Objects.characteristicPath, "org.bluez.GattCharacteristic1",
                [
                    "UUID": .string("00002a38-0000-1000-8000-00805f9b34fb"), "Flags": .strings(["read", "write"]),
                ]))
        stage.advance(0)
        let write = stage.record(old.writeValue([1]))
        stage.advance(0)
        #expect(write.kind == .attributeNotFound)
        #expect(daemon.count("WriteValue") == 0)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S54)) func `Attributes of an earlier connection are refused without a call`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(3_000)
        let first = stage.connect(peripheral)
        let services = stage.record(peripheral.discoverServices([Sensor.service]))
        let old = stage.characteristic(Sensor.value, of: peripheral)
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        let descriptor = stage.record(old.discoverDescriptors())
        stage.advance(1)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(100)
        #expect(!first.isLive)
        let again = stage.connect(peripheral)
        stage.simulation.bluez.forgetCalls()
        let kinds = [
            stage.record(old.readValue()).outcome(stage), stage.record(old.writeValue([1])).outcome(stage),
            stage.record(notifying.observeValueUpdates()).outcome(stage),
            stage.record(old.discoverDescriptors()).outcome(stage),
            stage.record(descriptor.elements[0].readValue()).outcome(stage),
            stage.record(services.elements[0].discoverCharacteristics()).outcome(stage),
        ]
        for kind in kinds { #expect(kind == .attributeNotFound) }
        #expect(stage.methods.isEmpty)
        let value = stage.record(stage.characteristic(Sensor.value, of: peripheral).readValue())
        stage.advance(100)
        #expect(value.elements == [[1]])
        withExtendedLifetime(again) {}
    }
}
