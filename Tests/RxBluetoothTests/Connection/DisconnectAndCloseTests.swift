import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The effects of `Peripheral.disconnect()` and `BluetoothManager.close()`.
struct DisconnectAndCloseTests {
    @Test func `Disconnecting without a link completes at once and sends nothing`() {
        let (stage, peripheral) = Stage.withSensor()
        let done = stage.record(peripheral.disconnect())
        stage.advance(0)
        #expect(done.isCompleted)
        #expect(stage.methods.isEmpty)
    }

    @Test(.proves(.S42, .Q79)) func `Disconnecting while connecting cancels the attempt and completes`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect())
        stage.advance(50)
        let done = stage.record(peripheral.disconnect())
        stage.advance(1)
        #expect(done.isCompleted)
        #expect(link.kind == .disconnected(.requested))
        #expect(stage.methods == ["Connect", "Disconnect"])
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.covers(.disconnection))
    func `Disconnecting fails the connection at once and completes when the link is down`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let done = stage.record(peripheral.disconnect())
        stage.advance(1)
        #expect(link.kind == .disconnected(.requested))
        #expect(done.isLive)
        stage.advance(2_000)
        #expect(done.isCompleted)
        #expect(stage.methods == ["Connect", "Disconnect"])
    }

    @Test func `Disconnecting a closing link sends nothing more and completes with it`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(1_000)
        let done = stage.record(peripheral.disconnect())
        stage.advance(999)
        #expect(done.isLive)
        stage.advance(1)
        #expect(done.isCompleted)
        #expect(stage.methods == ["Connect", "Disconnect"])
    }

    @Test(.proves(.Q74)) func `Disconnecting closes another program's link, whether we use it or not`() {
        for isUsed in [true, false] {
            let (stage, peripheral) = Stage.withSensor()
            let other = stage.otherProgram("Connect")
            stage.advance(1_000)
            stage.simulation.bluez.forgetCalls()
            let link = isUsed ? stage.connect(peripheral) : nil
            let done = stage.record(peripheral.disconnect())
            stage.advance(3_000)
            #expect(done.isCompleted)
            #expect(stage.methods == (isUsed ? ["Connect", "Disconnect"] : ["Disconnect"]))
            #expect(!stage.isLinked())
            if isUsed { #expect(link?.kind == .disconnected(.requested)) }
            withExtendedLifetime(other) {}
        }
    }

    @Test(.proves(.S44)) func `A refused or unanswered Disconnect is an error`() {
        for isAnswered in [true, false] {
            for isOurs in [true, false] {
                let connected = ScriptedDaemon.Objects.oneKnownDevice.setting(
                    ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Connected": .bool(true)])
                let (stage, daemon, peripheral) = Stage.scripted(isOurs ? .oneKnownDevice : connected)
                let link = isOurs ? stage.connect(peripheral, daemon) : nil
                let done = stage.record(peripheral.disconnect())
                stage.advance(0)
                if isAnswered { daemon.take("Disconnect").fail("org.bluez.Error.Failed", "Busy with itself") }
                stage.advance(20_000)
                #expect(done.kind == (isAnswered ? .bluez : .timedOut))
                #expect(done.error?.operation == .disconnect)
                #expect(daemon.count("Disconnect") == 1)
                stage.expectSettled()
                stage.expectNoTimers()
                withExtendedLifetime(link) {}
            }
        }
    }

    @Test(.proves(.S91)) func `A request disposed before the snapshot arrives sends nothing`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let connected = ScriptedDaemon.Objects.oneKnownDevice.setting(
            ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Connected": .bool(true)])
        daemon.crash()
        daemon.holdSnapshot()
        daemon.start()
        stage.advance(0)
        let abandoned = (stage.record(peripheral.disconnect()), stage.record(peripheral.connect()))
        stage.advance(10)
        abandoned.0.dispose()
        abandoned.1.dispose()
        stage.advance(0)
        daemon.take("GetManagedObjects").reply { (body) throws(DBusError) in
            try body.value(ScriptedDaemon.value(connected))
        }
        stage.advance(10)
        #expect(daemon.methods.isEmpty)
        let kept = stage.record(peripheral.disconnect())
        stage.advance(0)
        daemon.take("Disconnect").reply()
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        #expect(kept.isCompleted)
    }

    // MARK: Closing the manager

    @Test func `Closing the manager fails every stream, reverts its calls and closes its links`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(100)
        let connecting = stage.record(stage.find("C0:FF:EE:00:00:22").connect())
        stage.advance(10)
        stage.simulation.bluez.forgetCalls()
        let closed = stage.record(stage.manager.close())
        stage.advance(1)
        for kind in [link.kind, values.kind, scan.kind, connecting.kind] { #expect(kind == .closed) }
        #expect(closed.isLive)
        stage.advance(2_000)
        #expect(closed.isCompleted)
        #expect(stage.count("Disconnect") == 2)
        #expect(stage.count("StopNotify") == 1)
        #expect(stage.count("StopDiscovery") == 1)
        #expect(!stage.isLinked())
        let late = stage.record(peripheral.connect())
        let lateToo = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1)
        #expect(late.error != nil)
        #expect(lateToo.kind == .closed)
    }

    @Test func `Closing the manager waits for a link that is being closed`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(500)
        let closed = stage.record(stage.manager.close())
        stage.advance(1_499)
        #expect(closed.isLive)
        stage.advance(1)
        #expect(closed.isCompleted)
        #expect(stage.methods == ["Connect", "Disconnect"])
    }

    @Test func `Closing the manager does not wait for the reason of a lost link`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        let closed = stage.record(stage.manager.close())
        stage.advance(0)
        #expect(link.kind == .closed)
        #expect(closed.isCompleted)
        #expect(daemon.methods == ["Connect", "Get"])
        stage.expectNoTimers()
    }
}
