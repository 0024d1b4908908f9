import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct ExistingLinkTests {
    private static let there: [String: Value] = ["Connected": .bool(true), "ServicesResolved": .bool(true)]
    private static let linked = ScriptedDaemon.Objects.oneKnownDevice.setting(
        ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", there)

    @Test(.proves(.Q75)) func `Disconnecting retrieved peripherals closes a leftover link`() {
        let (stage, peripheral) = Stage.withSensor()
        let other = stage.otherProgram("Connect")
        stage.advance(1_000)
        #expect(stage.isLinked())
        // This stream is the one that docs/links.md recommends for closing leftover links.
        let closed = stage.record(
            stage.manager.retrieveConnectedPeripherals().asObservable().flatMap { Observable.from($0) }
                .concatMap { $0.disconnect() })
        stage.advance(5_000)
        #expect(closed.isCompleted)
        #expect(!stage.isLinked())
        withExtendedLifetime((other, peripheral)) {}
    }

    @Test(.proves(.Q75)) func `A leftover link is taken over or replaced, and closed on disposal`() {
        for existing in [ConnectOptions.ExistingLink.takeOver, .replace] {
            let (stage, peripheral) = Stage.withSensor()
            let other = stage.otherProgram("Connect")
            stage.advance(1_000)
            stage.simulation.bluez.forgetCalls()
            let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: existing)))
            stage.advance(5_000)
            #expect(link.elements == [peripheral])
            #expect(stage.count("Disconnect") == (existing == .replace ? 1 : 0))
            link.dispose()
            stage.advance(5_000)
            #expect(!stage.isLinked())
            stage.expectSettled()
            withExtendedLifetime(other) {}
        }
    }

    @Test(.proves(.Q2, .Q74)) func `A reconnection owns the link that a crashed bluetoothd left`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(0)
        daemon.deviceChanges(Self.there)
        daemon.take("Connect").reply()
        stage.advance(1_500)
        #expect(link.elements.count == 1)
        daemon.crash()
        stage.advance(1_000)
        daemon.tell(ScriptedDaemon.value(Self.linked))
        daemon.start()
        stage.advance(5_000)
        daemon.take("Connect").reply()
        stage.advance(2_000)
        link.dispose()
        stage.advance(10)
        #expect(daemon.methods.last == "Disconnect")
    }

    @Test(.proves(.Q2, .Q74)) func `Another program's link remains foreign after a crash of bluetoothd`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.linked)
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(1_500)
        #expect(link.elements.count == 1)
        daemon.crash()
        stage.advance(1_000)
        daemon.start()
        stage.advance(5_000)
        daemon.take("Connect").reply()
        stage.advance(2_000)
        link.dispose()
        stage.advance(10)
        #expect(daemon.methods == ["Connect", "Connect"])
    }

    @Test(.proves(.Q2, .Q74)) func `A link that another program makes after a crash of bluetoothd is not closed`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(0)
        daemon.deviceChanges(Self.there)
        daemon.take("Connect").reply()
        stage.advance(1_500)
        #expect(link.elements.count == 1)
        daemon.crash()
        stage.advance(1_000)
        // bluetoothd restarts with the adapter switched off, so the reconnection makes no attempt yet.
        let adapter = ScriptedDaemon.Objects.adapterPath
        daemon.tell(
            ScriptedDaemon.value(Self.linked.setting(adapter, "org.bluez.Adapter1", ["Powered": .bool(false)])))
        daemon.start()
        stage.advance(500)
        daemon.deviceChanges(["Connected": .bool(false)])
        daemon.deviceChanges(Self.there)
        daemon.change(adapter, "org.bluez.Adapter1", ["Powered": .bool(true)])
        stage.advance(2_000)
        daemon.take("Connect").reply()
        stage.advance(2_000)
        #expect(link.isLive)
        link.dispose()
        stage.advance(10)
        #expect(daemon.methods == ["Connect", "Connect"])
    }

    @Test(.proves(.Q75, .Q84)) func `Replacing a link that cannot be closed fails with the cause`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.linked)
        daemon.always("Disconnect") { $0.fail(DBusError(name: "org.bluez.Error.Failed", message: "Stuck")) }
        let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: .replace)))
        stage.advance(60_000)
        #expect(!link.isLive)
        #expect(link.error?.dbusMessage == "Stuck")
        #expect(daemon.methods == ["Disconnect"])
    }

    @Test(.proves(.Q75)) func `Replacing shares a link that another program makes again at once`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.linked)
        let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: .replace)))
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        daemon.deviceChanges(Self.there)
        daemon.deviceChanges(["Connected": .bool(false)])
        daemon.take("Disconnect").reply()
        daemon.deviceChanges(Self.there)
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        #expect(daemon.methods == ["Disconnect", "Connect"])
    }

    /// Returns a stage (a manager with a simulation) with a sensor that another program has connected.
    private func stage() -> (Stage, Peripheral, Any) {
        let (stage, peripheral) = Stage.withSensor()
        let other = stage.otherProgram("Connect")
        stage.advance(1_000)
        stage.simulation.bluez.forgetCalls()
        return (stage, peripheral, other)
    }

    @Test(.proves(.Q75)) func `A link that is taken over is closed on disposal`() {
        let (stage, peripheral, other) = stage()
        let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: .takeOver)))
        stage.advance(1)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(5_000)
        #expect(stage.methods == ["Connect", "Disconnect"])
        #expect(!stage.isLinked())
        stage.expectSettled()
        withExtendedLifetime(other) {}
    }

    @Test(.proves(.Q75)) func `Replacing closes the old link first and owns the new one`() {
        let (stage, peripheral, other) = stage()
        let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: .replace)))
        stage.advance(1_000)
        #expect(link.elements.isEmpty)
        stage.advance(2_000)
        #expect(link.elements == [peripheral])
        #expect(stage.methods == ["Disconnect", "Connect"])
        link.dispose()
        stage.advance(5_000)
        #expect(!stage.isLinked())
        stage.expectSettled()
        withExtendedLifetime(other) {}
    }

    @Test(.proves(.Q75)) func `Replacing without an existing link just connects`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: .replace)))
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        #expect(stage.methods == ["Connect"])
    }

    @Test(.proves(.S33, .S89), .covers(.connectedPeripherals))
    func `Connected peripherals include those that other programs connected`() {
        let (stage, peripheral, other) = stage()
        let all = stage.record(stage.manager.retrieveConnectedPeripherals())
        let fitting = stage.record(stage.manager.retrieveConnectedPeripherals(withServices: [0x1234, Sensor.service]))
        let none = stage.record(stage.manager.retrieveConnectedPeripherals(withServices: [0x1234]))
        stage.advance(0)
        #expect(all.elements == [[peripheral]])
        #expect(fitting.elements == [[peripheral]])
        #expect(none.elements == [[]])
        #expect(stage.methods.isEmpty)
        withExtendedLifetime(other) {}
    }

    @Test(.proves(.S89), .covers(.knownPeripherals))
    func `Known peripherals are retrieved in the order of the given addresses`() {
        let (stage, peripheral) = Stage.withSensor()
        let other = stage.find("C0:FF:EE:00:00:22")
        let found = stage.record(
            stage.manager.retrievePeripherals(withAddresses: [
                other.address, "00:00:00:00:00:01", peripheral.address,
            ]))
        stage.advance(0)
        #expect(found.elements == [[other, peripheral]])
        #expect(found.isCompleted)
        stage.simulation.bluez.setPower(false)
        stage.advance(10)
        let refused = stage.record(stage.manager.retrievePeripherals(withAddresses: [other.address]))
        stage.advance(0)
        #expect(refused.kind == .poweredOff)
    }
}
