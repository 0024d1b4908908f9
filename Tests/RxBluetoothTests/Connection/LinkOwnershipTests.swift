import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Whose a link is: decided by which program's attempt made it.
struct LinkOwnershipTests {
    private static let there: [String: Value] = ["Connected": .bool(true), "ServicesResolved": .bool(true)]
    private static let linked = ScriptedDaemon.Objects.oneKnownDevice.setting(
        ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", there)

    @Test(.proves(.Q74)) func `A link is ours if another program's link ended before our Connect made it`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.linked)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        // It ended before bluetoothd read our call.
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        daemon.deviceChanges(Self.there)
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "Disconnect"])
    }

    @Test(.proves(.Q74)) func `A link that Connect made is ours even if its signal comes after the reply`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.linked)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        daemon.take("Connect").reply()
        stage.advance(0)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        daemon.deviceChanges(Self.there)
        stage.advance(0)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "Get", "Disconnect"])
    }

    @Test(.proves(.Q74)) func `An attempt is taken back if another program's link ended before it`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.linked)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(0)
        link.dispose()
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "Disconnect"])
    }

    @Test(.proves(.Q74)) func `The link of another program is not closed, however our Connect ends`() {
        for answer in ["", "le-connection-unknown"] {
            let (stage, daemon, peripheral) = Stage.scripted(Self.linked)
            let link = stage.record(peripheral.connect())
            stage.advance(0)
            if answer.isEmpty {
                daemon.take("Connect").reply()
            } else {
                daemon.take("Connect").fail("org.bluez.Error.Failed", answer)
            }
            stage.advance(0)
            #expect(link.elements == [peripheral])
            link.dispose()
            stage.advance(0)
            #expect(daemon.methods == ["Connect"])
        }
    }

    // MARK: What a bluetoothd that died leaves

    @Test(.proves(.Q2, .Q74), arguments: [true, false])
    func `A link that a killed bluetoothd left is ours for a new connection too`(isFailed: Bool) {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(Self.there)
        if isFailed {
            daemon.take("Connect").fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
        } else {
            daemon.take("Connect").reply()
        }
        stage.advance(100)
        daemon.crash()
        stage.advance(100)
        #expect(link.kind == .disconnected(.daemon))
        daemon.tell(ScriptedDaemon.value(Self.linked))
        daemon.start()
        stage.advance(100)
        let next = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(next.elements == [peripheral])
        next.dispose()
        stage.advance(0)
        #expect(daemon.methods.last == "Disconnect")
    }

    @Test(.proves(.Q2, .Q74)) func `A link that the next bluetoothd does not show at first is another program's`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.crash()
        stage.advance(100)
        #expect(!link.isLive)
        daemon.start()
        stage.advance(100)
        daemon.deviceChanges(Self.there)
        stage.advance(0)
        let next = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        next.dispose()
        stage.advance(0)
        #expect(next.elements == [peripheral])
        #expect(daemon.methods == ["Connect", "Connect"])
    }

    @Test(.proves(.Q2, .Q74), arguments: [4_900, 5_100])
    func `A link that is shown later than 5 s after bluetoothd came back is another program's`(after: Int) {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.crash()
        stage.advance(100)
        #expect(!link.isLive)
        daemon.tell(ScriptedDaemon.value(Self.linked))
        daemon.start()
        stage.advance(after)
        let next = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        next.dispose()
        stage.advance(0)
        #expect(next.elements == [peripheral])
        #expect(daemon.count("Disconnect") == (after < 5_000 ? 1 : 0))
    }

    // MARK: Replacing

    @Test(.proves(.Q75)) func `A link that another program makes while its old one is replaced is shared`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.linked)
        let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: .replace)))
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        daemon.deviceChanges(Self.there)
        daemon.take("Disconnect").reply()
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(0)
        #expect(daemon.methods == ["Disconnect", "Connect"])
        stage.expectSettled()
    }
}
