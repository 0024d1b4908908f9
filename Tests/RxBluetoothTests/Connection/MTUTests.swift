import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The MTU of a link, and the maximum length of writes, which depends on the MTU.
struct MTUTests {
    @Test(.proves(.S82), .covers(.mtu))
    func `The MTU is 23 until bluetoothd reports another, and each change is emitted once`() {
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
        // A failed read must not end the stream of MTUs.
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

    @Test(.proves(.S82)) func `A write without response holds 3 bytes less than the MTU, and at most 512`() {
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

    @Test(.proves(.S82, .Q101)) func `The MTU of known services is requested once, after they are resolved`() {
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

    @Test(.proves(.S82, .Q101)) func `The MTU is requested at once if the services are already resolved`() {
        let linkUp: [String: Value] = ["Connected": .bool(true), "ServicesResolved": .bool(true)]
        let (stage, daemon, peripheral) = Stage.scripted(
            .oneKnownDevice.setting(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", linkUp))
        daemon.holdMTU()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "Get"])
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.uint16(247))) }
        stage.advance(0)
        #expect(peripheral.mtu == 247)
        #expect(link.isLive)
    }

    @Test(.proves(.S82)) func `A connection for a closure knows its MTU from the beginning`() throws {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(mtu: 247))
        for _ in 1...2 {
            let mtu = try stage.run { try await peripheral.withConnection { $0.mtu } }
            #expect(try mtu.get() == 247)
        }
    }

    @Test(.proves(.S82, .Q101)) func `Reading the MTU waits until bluetoothd reports it`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let early = stage.record(peripheral.readMTU())
        stage.advance(0)
        #expect(early.kind == .notConnected)
        daemon.holdMTU()
        let link = stage.connect(peripheral, daemon)
        let read = stage.record(peripheral.readMTU())
        stage.advance(1_000)
        #expect(read.isLive && peripheral.mtu == 23)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.uint16(247))) }
        stage.advance(0)
        #expect(read.elements == [247] && read.isCompleted)
        let late = stage.record(peripheral.readMTU())
        stage.advance(0)
        #expect(late.elements == [247] && daemon.count("Get") == 1)
        #expect(link.isLive)
    }

    @Test(.proves(.S82, .Q101)) func `Without an MTU of bluetoothd, reading it emits 23`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        daemon.holdMTU()
        let link = stage.connect(peripheral, daemon)
        let read = stage.record(peripheral.readMTU())
        stage.advance(0)
        daemon.take("Get").fail("org.freedesktop.DBus.Error.InvalidArgs", "No such property 'MTU'")
        stage.advance(0)
        #expect(read.elements == [23] && read.isCompleted && link.isLive)
        let lost = stage.record(peripheral.readMTU())
        daemon.crash()
        stage.advance(0)
        #expect(lost.elements == [23] || lost.error != nil)
    }

    @Test(.proves(.S82)) func `Each connection has its own MTU, even with cached services`() {
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

    @Test(.proves(.Q99)) func `A write without response longer than a packet is refused without a call`() {
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
