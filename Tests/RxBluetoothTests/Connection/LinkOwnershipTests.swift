import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// A link belongs to the program that made it by its attempt. The library closes only its own links.
struct LinkOwnershipTests {
    private static let linkUp: [String: Value] = ["Connected": .bool(true), "ServicesResolved": .bool(true)]
    private static let connectedDevice = ScriptedDaemon.Objects.oneKnownDevice.setting(
        ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", linkUp)

    @Test(.proves(.Q74)) func `Our Connect owns the link if another program's link ended before it`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.connectedDevice)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        // The other program's link ends and ours comes up before bluetoothd replies to our call.
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        daemon.deviceChanges(Self.linkUp)
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "Disconnect"])
    }

    @Test(.proves(.Q74)) func `A link of our Connect is ours even if its signal follows the reply`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.connectedDevice)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        daemon.take("Connect").reply()
        stage.advance(0)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        daemon.deviceChanges(Self.linkUp)
        stage.advance(0)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "Get", "Disconnect"])
    }

    @Test(.proves(.Q74)) func `Disposing reverts our attempt if another program's link ended before it`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.connectedDevice)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(0)
        link.dispose()
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "Disconnect"])
    }

    @Test(.proves(.Q74)) func `Another program's link stays open however our Connect ends`() {
        for answer in ["", "le-connection-unknown"] {
            let (stage, daemon, peripheral) = Stage.scripted(Self.connectedDevice)
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

    // MARK: Links left by a crashed bluetoothd

    @Test(.proves(.Q2, .Q74), arguments: [true, false])
    func `A link left by a crashed bluetoothd is ours in the next connection`(isFailed: Bool) {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(Self.linkUp)
        if isFailed {
            daemon.take("Connect").fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
        } else {
            daemon.take("Connect").reply()
        }
        stage.advance(100)
        daemon.crash()
        stage.advance(100)
        #expect(link.kind == .disconnected(.daemon))
        daemon.tell(ScriptedDaemon.value(Self.connectedDevice))
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

    @Test(.proves(.Q2, .Q74)) func `A link that a restarted bluetoothd does not show at once is another program's`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.crash()
        stage.advance(100)
        #expect(!link.isLive)
        daemon.start()
        stage.advance(100)
        daemon.deviceChanges(Self.linkUp)
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
    func `A link left by a crashed bluetoothd is ours for 5 s after the restart`(after: Int) {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.crash()
        stage.advance(100)
        #expect(!link.isLive)
        daemon.tell(ScriptedDaemon.value(Self.connectedDevice))
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

    // MARK: Replacing a link

    @Test(.proves(.Q75)) func `A link that another program makes during a replacement is shared`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.connectedDevice)
        let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: .replace)))
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        daemon.deviceChanges(Self.linkUp)
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
