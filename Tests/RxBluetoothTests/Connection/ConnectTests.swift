import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct ConnectTests {
    @Test(.proves(.S26)) func `Connecting registers the agent and then sends one Connect`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        // The agent is registered before Connect, because bluetoothd may send pairing requests soon after Connect
        // (Q25).
        #expect(
            stage.simulation.calls.map(\.description) == [
                "/org/bluez AgentManager1.RegisterAgent", "\(Sensor.path) Device1.Connect",
            ])
        stage.advance(150)
        #expect(link.elements == [peripheral])
    }

    @Test(.proves(.S27), .covers(.connection)) func `A connection emits one element and does not complete`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect())
        stage.advance(60_000)
        #expect(link.elements == [peripheral])
        #expect(link.times == [650])
        #expect(link.isLive)
        #expect(stage.methods == ["Connect"])
    }

    @Test(.proves(.S28)) func `A failed attempt reports its cause and allows the next attempt`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", calls: .first(1), .error("org.bluez.Error.Failed", "le-connection-refused")))
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(link.elements.isEmpty)
        #expect(link.kind == .connectFailed("le-connection-refused"))
        #expect(link.error?.operation == .connect)
        #expect(link.error?.target == Sensor.text)
        #expect(link.error?.dbusName == "org.bluez.Error.Failed")
        #expect(stage.methods == ["Connect"])
        let second = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(second.elements == [peripheral])
        #expect(stage.methods == ["Connect", "Connect"])
    }

    @Test(.proves(.Q77), arguments: [8, 9])
    func `An aborted attempt is repeated after 250 ms, up to nine attempts in all`(failures: Int) {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(failures: failures))
        let link = stage.record(peripheral.connect())
        stage.advance(399)
        #expect(stage.methods == ["Connect"])
        stage.advance(1)
        #expect(stage.methods == ["Connect", "Connect"])
        stage.advance(8_000)
        #expect(link.elements.count == (failures == 8 ? 1 : 0))
        #expect(link.kind == (failures == 8 ? nil : .connectFailed("le-connection-abort-by-local")))
        #expect(stage.count("Connect") == 9)
    }

    @Test(.proves(.Q77)) func `An aborted attempt is not repeated while the device appears connected`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
        stage.advance(300)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(199)
        #expect(daemon.methods == ["Connect"])
        stage.advance(1)
        #expect(daemon.methods == ["Connect", "Connect"])
        #expect(link.isLive)
    }

    @Test(.proves(.Q77, .S30)) func `Disposing between attempts sends nothing, and one deadline covers all attempts`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(failures: 9))
        let link = stage.record(peripheral.connect())
        stage.advance(200)
        link.dispose()
        stage.advance(5_000)
        #expect(stage.methods == ["Connect"])
        stage.expectSettled()

        var deadlines = Deadlines()
        deadlines.connect = .seconds(1)
        let (short, other) = Stage.withSensor(SimulatedConnection(failures: 9), deadlines: deadlines)
        let late = short.record(other.connect())
        short.advance(999)
        #expect(late.isLive)
        short.advance(1)
        #expect(late.kind == .timedOut)
    }

    @Test(.proves(.S29)) func `A link that drops emits its peripheral and then the reason`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(dropsAfter: .seconds(2)))
        let link = stage.record(peripheral.connect())
        stage.advance(5_000)
        #expect(link.elements == [peripheral])
        #expect(link.kind == .linkLost(.remote))
        #expect(link.times == [650, 2_650])
        // After the loss, the library reads Powered with Get, because the adapter may be the reason (S34).
        #expect(stage.methods == ["Connect", "Get"])
    }

    @Test(.proves(.S31)) func `Connecting waits until the previous link is closed`() {
        let (stage, peripheral) = Stage.withSensor()
        let first = stage.connect(peripheral)
        first.dispose()
        stage.advance(100)
        let second = stage.record(peripheral.connect())
        stage.advance(1_500)
        #expect(stage.methods == ["Connect", "Disconnect"])
        #expect(second.elements.isEmpty)
        #expect(second.isLive)
        stage.advance(1_000)
        #expect(stage.methods == ["Connect", "Disconnect", "Connect"])
        #expect(second.elements == [peripheral])
        stage.advance(10_000)
        #expect(second.isLive)
    }

    @Test(.proves(.S31)) func `Disposing of a connect that waits for closing sends nothing`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(100)
        let second = stage.record(peripheral.connect())
        stage.advance(100)
        second.dispose()
        stage.advance(5_000)
        #expect(stage.methods == ["Connect", "Disconnect"])
        #expect(second.elements.isEmpty)
        stage.expectSettled()
    }

    @Test(.proves(.S31)) func `One of two connects that wait for closing succeeds, and the other is refused`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        stage.advance(100)
        let second = stage.record(peripheral.connect())
        let third = stage.record(peripheral.connect())
        stage.advance(5_000)
        #expect(second.elements == [peripheral])
        #expect(third.kind == .alreadyConnected)
        #expect(stage.methods == ["Connect", "Disconnect", "Connect"])
    }

    @Test(.proves(.S32)) func `A second connection is refused until the first one ends`() {
        let (stage, peripheral) = Stage.withSensor()
        let first = stage.record(peripheral.connect())
        let early = stage.record(peripheral.connect())
        stage.advance(500)
        let late = stage.record(peripheral.connect())
        stage.advance(500)
        #expect(early.kind == .alreadyConnected)
        #expect(late.kind == .alreadyConnected)
        #expect(first.elements == [peripheral])
        #expect(first.isLive)
        #expect(stage.methods == ["Connect"])
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(100)
        #expect(!first.isLive)
        let second = stage.record(peripheral.connect())
        stage.advance(500)
        #expect(second.elements == [peripheral])
        #expect(stage.methods == ["Connect", "Get", "Connect"])
    }

    @Test(.proves(.S33, .Q74), .covers(.foreignLinks)) func `Another program's link is used and left open`() {
        let (stage, peripheral) = Stage.withSensor()
        let other = stage.otherProgram("Connect")
        stage.advance(1_000)
        #expect(stage.isLinked())
        stage.simulation.bluez.forgetCalls()
        let link = stage.record(peripheral.connect())
        stage.advance(1)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(10_000)
        #expect(stage.methods == ["Connect"])
        #expect(stage.isLinked())
        stage.expectSettled()
        withExtendedLifetime(other) {}
    }

    @Test(.proves(.Q74)) func `Leaving another program's link turns our notifications off`() {
        let (stage, peripheral) = Stage.withSensor()
        let other = stage.otherProgram("Connect")
        stage.advance(1_000)
        stage.simulation.bluez.forgetCalls()
        let link = stage.connect(peripheral)
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        stage.advance(100)
        link.dispose()
        stage.advance(10_000)
        #expect(values.kind == .disconnected(.requested))
        #expect(stage.methods == ["Connect", "StartNotify", "StopNotify"])
        #expect(stage.isLinked())
        withExtendedLifetime(other) {}
    }

    @Test(.proves(.S36)) func `A drop before the reply to Connect is reported once`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.deviceChanges(["Connected": .bool(false)])
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.isLive)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(false))) }
        stage.advance(0)
        #expect(link.elements.isEmpty)
        #expect(link.kind == .disconnected(.unknown))
        #expect(link.times.count == 1)
        #expect(daemon.methods == ["Connect", "Get"])
        stage.expectNoTimers()
    }

    @Test(.proves(.S38), .covers(.connectionDeadline)) func `Connecting out of range times out and is reverted`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.setInRange(false, Sensor.text)
        let link = stage.record(peripheral.connect())
        stage.advance(29_999)
        #expect(link.isLive)
        #expect(stage.methods == ["Connect"])
        stage.advance(1)
        #expect(link.kind == .timedOut)
        #expect(link.error?.operation == .connect)
        #expect(stage.methods == ["Connect", "Disconnect"])
        stage.simulation.bluez.setInRange(true, Sensor.text)
        stage.advance(15_000)
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.proves(.S40)) func `A waiting attempt succeeds when the peripheral advertises again`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.advertise(nil, from: Sensor.text)
        let link = stage.record(peripheral.connect())
        stage.advance(10_000)
        #expect(link.isLive)
        #expect(link.elements.isEmpty)
        stage.simulation.bluez.advertise(Sensor.peripheral.advertisement, from: Sensor.text)
        stage.advance(200)
        #expect(link.elements == [peripheral])
        #expect(stage.methods == ["Connect"])
    }

    @Test(.proves(.Q59, .Q129)) func `Connecting to a peripheral that bluetoothd removed finds it again`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.advance(60_000)
        let link = stage.record(peripheral.connect())
        stage.advance(2_000)
        #expect(link.elements == [peripheral] && link.isLive)
        #expect(stage.methods.filter { $0 != "SetDiscoveryFilter" } == ["StartDiscovery", "Connect", "StopDiscovery"])
        link.dispose()
        stage.advance(5_000)
        stage.expectSettled()
    }

    @Test(.proves(.Q59)) func `A removed peripheral that is out of range fails at the connect deadline`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.setInRange(false, Sensor.text)
        stage.advance(60_000)
        let link = stage.record(peripheral.connect())
        stage.advance(29_999)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .peripheralGone)
        #expect(link.error?.description.contains("A scan did not find it either") == true)
        stage.advance(1_000)
        stage.expectSettled()
    }

    @Test(.proves(.Q59)) func `Disposing of a connection that searches for its peripheral stops the scan`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.setInRange(false, Sensor.text)
        stage.advance(60_000)
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        link.dispose()
        stage.advance(1_000)
        #expect(stage.count("StopDiscovery") == 1 && stage.count("Connect") == 0)
        stage.expectSettled()
    }
}
