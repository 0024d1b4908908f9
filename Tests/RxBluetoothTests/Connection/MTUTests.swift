import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct MTUTests {
    @Test(.proves(.S82)) func `The MTU is 23 until bluetoothd tells another, and each change is told once`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        #expect(peripheral.mtu == 23)
        let early = stage.record(peripheral.observeMTU())
        stage.advance(0)
        #expect(early.kind == .notConnected)
        let link = stage.connect(peripheral, daemon)
        let sizes = stage.record(peripheral.observeMTU())
        stage.advance(0)
        let path = ScriptedDaemon.Objects.characteristicPath
        for mtu: UInt16 in [23, 185, 185, 7, 517] {
            daemon.change(path, "org.bluez.GattCharacteristic1", ["MTU": .uint16(mtu)])
        }
        daemon.change(path, "org.bluez.GattCharacteristic1", ["MTU": .string("large")])
        stage.advance(0)
        #expect(sizes.elements == [23, 185, 517])
        #expect(peripheral.mtu == 517)
        // An operation that fails is none of its business.
        let read = stage.record(stage.characteristic(0x2A37, of: peripheral).readValue())
        stage.advance(0)
        daemon.take("ReadValue").fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80")
        stage.advance(0)
        #expect(read.kind == .attError)
        #expect(sizes.isLive)
        let late = stage.record(peripheral.observeMTU())
        stage.advance(0)
        #expect(late.elements == [517])
        daemon.crash()
        stage.advance(0)
        for one in [sizes, late] { #expect(one.kind == .disconnected(.daemon)) }
        #expect(peripheral.mtu == 23)
        #expect(!link.isLive)
    }

    @Test(.proves(.S82)) func `A packet holds 3 bytes less than the MTU, and 512 at most`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        for (mtu, length) in [(UInt16(185), 182), (515, 512), (517, 512)] {
            daemon.change(
                ScriptedDaemon.Objects.characteristicPath, "org.bluez.GattCharacteristic1", ["MTU": .uint16(mtu)])
            stage.advance(0)
            #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == length)
            #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        }
        #expect(link.isLive)
    }

    @Test(.proves(.S82, .Q101))
    func `Objects that were there before the connection are asked once, after the services are read`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        daemon.holdMTU()
        let link = stage.connect(peripheral, daemon)
        let sizes = stage.record(peripheral.observeMTU())
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "Get"])
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.uint16(247))) }
        stage.advance(0)
        #expect(sizes.elements == [23, 247])
        daemon.deviceChanges(["ServicesResolved": .bool(false)])
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        stage.advance(0)
        #expect(daemon.count("Get") == 1)
        #expect(link.isLive)
    }

    @Test(.proves(.S82)) func `Each connection has its own, also where bluetoothd kept the services`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(mtu: 247))
        let first = stage.connect(peripheral)
        #expect(peripheral.mtu == 247)
        first.dispose()
        stage.advance(3_000)
        #expect(peripheral.mtu == 23)
        stage.simulation.bluez.setConnection(SimulatedConnection(mtu: 100), of: Sensor.text)
        let second = stage.connect(peripheral)
        #expect(peripheral.mtu == 100)
        #expect(second.isLive)
    }

    @Test(.proves(.Q99)) func `A write without response that is longer than a packet is refused before it is sent`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(mtu: 23))
        let link = stage.connect(peripheral)
        let value = stage.characteristic(Sensor.value, of: peripheral)
        stage.simulation.bluez.forgetCalls()
        let long = [UInt8](repeating: 9, count: 21)
        let command = stage.record(value.writeValue(long, type: .withoutResponse))
        stage.advance(1)
        #expect(command.kind == .invalidArgument)
        #expect(stage.methods.isEmpty)
        let request = stage.record(value.writeValue(long))
        let fits = stage.record(value.writeValue(Array(long.dropLast()), type: .withoutResponse))
        stage.advance(100)
        #expect(request.isCompleted && fits.isCompleted)
        #expect(link.isLive)
    }
}
