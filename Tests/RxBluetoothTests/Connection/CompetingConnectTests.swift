import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Another program connects to the same peripheral at the same time.
struct CompetingConnectTests {
    @Test(.proves(.Q76, .Q119)) func `The later of two programs shares the link and leaves it open`() {
        let (stage, peripheral) = Stage.withSensor()
        let competitor = stage.simulation.bluez.competingClient()
        competitor.connect(Sensor.text)
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
        competitor.leave()
    }

    @Test(.proves(.Q119)) func `An attempt succeeds as soon as another program's link is up`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(20)))
        let competitor = stage.simulation.bluez.competingClient()
        competitor.connect(Sensor.text)
        stage.advance(1_000)
        let link = stage.record(peripheral.connect())
        stage.advance(18_999)
        #expect(link.elements.isEmpty && link.isLive)
        stage.advance(1)
        #expect(link.elements == [peripheral])
        competitor.leave()
    }

    @Test(.proves(.Q128)) func `An attempt that 5.82 refuses as in progress shares the other link`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").fail("org.bluez.Error.InProgress", "In Progress")
        stage.advance(0)
        #expect(link.isLive)
        daemon.deviceChanges(["Connected": .bool(true)])
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(100)
        #expect(daemon.count("Disconnect") == 0)
    }

    @Test(.proves(.Q119)) func `Our attempt follows another program's failed attempt and owns its link`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(3), failures: 1))
        let competitor = stage.simulation.bluez.competingClient()
        competitor.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(10_000)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(10_000)
        #expect(stage.count("Disconnect") == 1)
        #expect(!stage.isLinked())
        competitor.leave()
    }

    @Test(.proves(.Q119)) func `Our attempt follows another program's cancelled attempt`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(3)))
        let competitor = stage.simulation.bluez.competingClient()
        competitor.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        competitor.disconnect(Sensor.text)
        stage.advance(10_000)
        #expect(link.elements == [peripheral])
        competitor.leave()
    }

    @Test(.proves(.Q119)) func `A time-out leaves another program's attempt running`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(35)))
        let competitor = stage.simulation.bluez.competingClient()
        competitor.connect(Sensor.text)
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
        competitor.leave()
    }

    @Test(.proves(.Q119)) func `Disposing during another program's attempt sends nothing more`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(3)))
        let competitor = stage.simulation.bluez.competingClient()
        competitor.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(1_100)
        link.dispose()
        stage.simulation.bluez.forgetCalls()
        stage.advance(10_000)
        #expect(stage.methods.filter { $0 != "Get" }.isEmpty)
        #expect(stage.isLinked())
        stage.expectSettled()
        competitor.leave()
    }

    @Test(
        .proves(.Q76, .Q119),
        arguments: [
            ("org.bluez.Error.InProgress", "Operation already in progress"),
            ("org.bluez.Error.InProgress", "In Progress"),
            ("org.bluez.Error.InProgress", "br-connection-busy"),
            ("org.bluez.Error.Failed", "Operation already in progress"),
        ])
    func `Every error for an attempt in progress repeats our Connect`(name: String, text: String) {
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

    @Test(.proves(.Q119)) func `A shared link that drops fails our connection with a reason`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(dropsAfter: .seconds(2)))
        let competitor = stage.simulation.bluez.competingClient()
        competitor.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(5_000)
        #expect(link.elements == [peripheral])
        #expect(link.kind == .linkLost(.remote))
        competitor.leave()
    }

    @Test(.proves(.Q119)) func `Taking over closes a link that another program's concurrent attempt made`() {
        let (stage, peripheral) = Stage.withSensor()
        let competitor = stage.simulation.bluez.competingClient()
        competitor.connect(Sensor.text)
        stage.advance(10)
        let link = stage.record(peripheral.connect(options: ConnectOptions(existingLink: .takeOver)))
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(5_000)
        #expect(!stage.isLinked())
        competitor.leave()
    }

    // MARK: Another program's link between two of our attempts

    /// Makes the controller abort our first attempt, and another program connect before our second attempt.
    private func betweenAttempts(_ options: ConnectOptions = ConnectOptions()) -> (
        Stage, CompetingClient, Recording<Peripheral>, Peripheral
    ) {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", calls: .first(1), .error("org.bluez.Error.Failed", "le-connection-abort-by-local"))
        )
        let link = stage.record(peripheral.connect(options: options))
        stage.advance(10)
        let competitor = stage.simulation.bluez.competingClient()
        competitor.connect(Sensor.text)
        return (stage, competitor, link, peripheral)
    }

    @Test(.proves(.Q74, .Q77)) func `A link that another program makes between our attempts is shared and left open`() {
        let (stage, competitor, link, peripheral) = betweenAttempts()
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        // Our client has made two of these calls, and the other program one.
        #expect(stage.count("Connect") == 3)
        link.dispose()
        stage.advance(10_000)
        #expect(stage.count("Disconnect") == 0)
        #expect(stage.isLinked())
        stage.expectSettled()
        competitor.leave()
    }

    @Test(.proves(.Q74, .Q77)) func `Disposing between our attempts leaves another program's link open`() {
        let (stage, competitor, link, _) = betweenAttempts()
        stage.advance(150)
        #expect(stage.isLinked())
        link.dispose()
        stage.advance(10_000)
        #expect(stage.count("Disconnect") == 0)
        #expect(stage.isLinked())
        stage.expectSettled()
        competitor.leave()
    }

    @Test(.proves(.Q77)) func `Our next attempt owns its link after another program's link has ended`() {
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

    @Test(.proves(.Q77)) func `Taking over closes a link that another program made between our attempts`() {
        let (stage, competitor, link, peripheral) = betweenAttempts(ConnectOptions(existingLink: .takeOver))
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(10_000)
        #expect(stage.count("Disconnect") == 1)
        #expect(!stage.isLinked())
        competitor.leave()
    }
}
