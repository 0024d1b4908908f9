import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Two programs that connect to one peripheral at once (Q119).
struct CompetingConnectTests {
    @Test(.proves(.Q76, .Q119)) func `The later of two programs shares the link, and leaves it open`() {
        let (stage, peripheral) = Stage.withSensor()
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(139)
        #expect(link.elements.isEmpty && link.isLive)
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        let value = stage.record(stage.characteristic(Sensor.value, of: peripheral).readValue())
        stage.advance(100)
        #expect(value.elements == [[1]])
        link.dispose()
        stage.advance(10_000)
        #expect(stage.count("Disconnect") == 0)
        #expect(stage.isLinked())
        stage.expectSettled()
        rival.leave()
    }

    @Test(.proves(.Q119)) func `The link is there as soon as another program has made it`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(20)))
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        stage.advance(1_000)
        let link = stage.record(peripheral.connect())
        stage.advance(18_999)
        #expect(link.elements.isEmpty && link.isLive)
        stage.advance(1)
        #expect(link.elements == [peripheral])
        rival.leave()
    }

    @Test(.proves(.Q119)) func `If the other program's attempt fails, ours follows and its link is ours`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(3), failures: 1))
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(10_000)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(10_000)
        #expect(stage.count("Disconnect") == 1)
        #expect(!stage.isLinked())
        rival.leave()
    }

    @Test(.proves(.Q119)) func `If the other program gives its attempt up, ours follows`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(3)))
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        rival.disconnect(Sensor.text)
        stage.advance(10_000)
        #expect(link.elements == [peripheral])
        rival.leave()
    }

    @Test(.proves(.Q119)) func `At the deadline the other program's attempt is left alone`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(35)))
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(29_999)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .timedOut)
        #expect(link.error?.description.contains("nother program") == true)
        #expect(link.error?.description.contains("nearer") == false)
        stage.advance(10_000)
        #expect(stage.isLinked())
        #expect(stage.count("Disconnect") == 0)
        stage.expectSettled()
        rival.leave()
    }

    @Test(.proves(.Q119)) func `Disposing while another program connects sends nothing more`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(3)))
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(1_100)
        link.dispose()
        stage.simulation.bluez.forgetCalls()
        stage.advance(10_000)
        #expect(stage.methods.filter { $0 != "Get" }.isEmpty)
        #expect(stage.isLinked())
        stage.expectSettled()
        rival.leave()
    }

    @Test(
        .proves(.Q76, .Q119),
        arguments: [
            ("org.bluez.Error.InProgress", "Operation already in progress"),
            ("org.bluez.Error.InProgress", "In Progress"),
            ("org.bluez.Error.InProgress", "br-connection-busy"),
            ("org.bluez.Error.Failed", "Operation already in progress"),
        ])
    func `However bluetoothd says that an attempt is under way, ours follows it`(name: String, text: String) {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(Fault("Device1.Connect", calls: .first(3), .error(name, text)))
        let link = stage.record(peripheral.connect())
        stage.advance(5_000)
        #expect(link.elements == [peripheral])
        #expect(stage.count("Connect") == 4)
        link.dispose()
        stage.advance(5_000)
        #expect(stage.count("Disconnect") == 1)
    }

    @Test(.proves(.Q119)) func `Another program's link that drops while we share it ends ours with a reason`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(dropsAfter: .seconds(2)))
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(5_000)
        #expect(link.elements == [peripheral])
        #expect(link.kind == .disconnected(.unknown))
        rival.leave()
    }

    @Test(.proves(.Q119)) func `A link that is taken over is closed, also if another program made it meanwhile`() {
        let (stage, peripheral) = Stage.withSensor()
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: .takeOver)))
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(5_000)
        #expect(!stage.isLinked())
        rival.leave()
    }

    // MARK: In the pause between two attempts of ours

    /// Our first attempt is given up, and another program's link comes up before the second.
    private func inPause(_ options: ConnectOptions = ConnectOptions()) -> (
        Stage, CompetingClient, Recording<Peripheral>, Peripheral
    ) {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", calls: .first(1), .error("org.bluez.Error.Failed", "le-connection-abort-by-local"))
        )
        let link = stage.record(peripheral.connect(options: options))
        stage.advance(10)
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        return (stage, rival, link, peripheral)
    }

    @Test(.proves(.Q74, .Q77)) func `A link that another program makes in our pause is shared at once, and left open`()
    {
        let (stage, rival, link, peripheral) = inPause()
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        // Two of ours, and the other program's.
        #expect(stage.count("Connect") == 3)
        link.dispose()
        stage.advance(10_000)
        #expect(stage.count("Disconnect") == 0)
        #expect(stage.isLinked())
        stage.expectSettled()
        rival.leave()
    }

    @Test(.proves(.Q74, .Q77)) func `Disposing in our pause leaves another program's link open`() {
        let (stage, rival, link, _) = inPause()
        stage.advance(150)
        #expect(stage.isLinked())
        link.dispose()
        stage.advance(10_000)
        #expect(stage.count("Disconnect") == 0)
        #expect(stage.isLinked())
        stage.expectSettled()
        rival.leave()
    }

    @Test(.proves(.Q77))
    func `After another program's link in our pause has ended, the link of our next attempt is ours`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
        stage.advance(100)
        daemon.deviceChanges(["Connected": .bool(true)])
        stage.advance(0)
        #expect(daemon.count("Connect") == 2)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(100)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(0)
        #expect(daemon.count("Disconnect") == 1)
    }

    @Test(.proves(.Q77)) func `A link that another program makes in our pause is closed if it is taken over`() {
        let (stage, rival, link, peripheral) = inPause(ConnectOptions(existingLink: .takeOver))
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(10_000)
        #expect(stage.count("Disconnect") == 1)
        #expect(!stage.isLinked())
        rival.leave()
    }
}
