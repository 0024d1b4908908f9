import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Replies to `Connect` that are undocumented, late, missing, or in an unusual order.
struct ConnectReplyTests {
    @Test(.proves(.Q80)) func `AlreadyConnected counts as success`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").fail("org.bluez.Error.AlreadyConnected", "Already Connected")
        stage.advance(0)
        #expect(link.elements == [peripheral])
        #expect(daemon.methods == ["Connect"])
    }

    @Test(.proves(.Q74)) func `A refused Connect still uses the link of another program`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        daemon.deviceChanges(["Connected": .bool(true)])
        stage.advance(0)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").fail("org.bluez.Error.Failed", "Operation already in progress")
        stage.advance(0)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(0)
        #expect(daemon.methods == ["Connect"])
    }

    @Test(.proves(.Q78)) func `Changes of Connected before the reply are ignored`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        for isConnected in [true, false, true] { daemon.deviceChanges(["Connected": .bool(isConnected)]) }
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements == [peripheral])
        #expect(link.isLive)
        #expect(daemon.methods == ["Connect"])
    }

    @Test(.proves(.Q78)) func `A reply before the Connected signal is confirmed by another call`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements.isEmpty)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        daemon.deviceChanges(["Connected": .bool(true)])
        stage.advance(0)
        #expect(link.elements == [peripheral])
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        stage.advance(0)
        #expect(link.kind == .disconnected(.unknown))
    }

    @Test func `A link that cannot be confirmed is closed`() {
        for isSilent in [true, false] {
            let (stage, daemon, peripheral) = Stage.scripted()
            let link = stage.record(peripheral.connect())
            stage.advance(0)
            daemon.take("Connect").reply()
            stage.advance(0)
            if !isSilent { daemon.take("Get").reply { (body) throws(DBusError) in try body.string("perhaps") } }
            stage.advance(2_000)
            #expect(link.kind == (isSilent ? .timedOut : .protocolViolation))
            #expect(daemon.methods == ["Connect", "Get", "Disconnect"])
        }
    }

    @Test(.proves(.Q76, .Q81, .Q82)) func `Errors of Connect map to kinds and keep bluetoothd's words`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let table: [(String, String, BluetoothError.Kind)] = [
            ("org.bluez.Error.Failed", "le-connection-busy", .busy),
            ("org.bluez.Error.Failed", "le-connection-refused", .connectFailed("le-connection-refused")),
            ("org.bluez.Error.Failed", "Connection refused (111)", .connectFailed("Connection refused (111)")),
            ("org.bluez.Error.Failed", "le-connection-concurrent-connection-limit", .noFreeSlot),
            ("org.bluez.Error.NotReady", "Resource Not Ready", .poweredOff),
            ("org.freedesktop.DBus.Error.UnknownObject", "", .peripheralGone),
            (
                "org.freedesktop.DBus.Error.UnknownMethod", "Method \"Connect\" with signature \"\" doesn't exist\n",
                .peripheralGone
            ),
            ("com.example.Surprise", "Boo", .bluez),
        ]
        for (name, text, kind) in table {
            let link = stage.record(peripheral.connect())
            stage.advance(0)
            daemon.take("Connect").fail(name, text)
            stage.advance(0)
            #expect(link.kind == kind)
            #expect(link.error?.dbusName == name)
            #expect(link.error?.dbusMessage == text)
            #expect(link.error?.operation == .connect)
        }
        #expect(daemon.count("Disconnect") == 0)
        stage.expectNoTimers()
    }

    @Test(.proves(.Q7, .Q8)) func `An unanswered Connect is reverted at the deadline, and a late reply is ignored`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(30_000)
        #expect(link.kind == .timedOut)
        #expect(link.error?.outcomeUnknown == true)
        #expect(daemon.methods == ["Connect", "Disconnect"])
        daemon.take("Connect").reply()
        daemon.take("Disconnect").reply()
        stage.advance(0)
        #expect(link.times.count == 1)
        stage.expectSettled()
        stage.expectNoTimers()
    }

    @Test(.proves(.Q85)) func `The link of a device that connects by itself is left open`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let first = stage.connect(peripheral, daemon)
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        daemon.deviceChanges(["Connected": .bool(false)])
        daemon.deviceChanges(["Connected": .bool(true)])
        stage.advance(0)
        #expect(first.kind == .disconnected(.unknown))
        let second = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(second.elements == [peripheral])
        second.dispose()
        stage.advance(0)
        #expect(daemon.count("Disconnect") == 0)
    }
}
