import DBus
import RxBluetooth
import RxBluetoothMocks
import Testing

/// GATT operations on a link after the agent has refused a pairing, with a scripted bluetoothd.
struct RefusedPairingTests {
    let stage: Stage
    let daemon: ScriptedDaemon
    let peripheral: Peripheral
    let link: Recording<Peripheral>
    let value: Characteristic

    init() {
        (stage, daemon, peripheral) = Stage.scripted()
        link = stage.connect(peripheral, daemon)
        value = stage.characteristic(0x2A37, of: peripheral)
    }

    /// Sends a pairing request of bluetoothd to the agent. The agent's policy refuses the request.
    private func refuse() {
        let reply = daemon.ask(
            "RequestAuthorization", .objectPath(ObjectPath(ScriptedDaemon.Objects.devicePath) ?? .root))
        stage.advance(0)
        #expect(reply.text == "org.bluez.Error.Rejected")
    }

    @Test func `The reply to the operation that needed pairing ends the refusal`() {
        let read = stage.record(value.readValue())
        stage.advance(0)
        refuse()
        stage.advance(250)
        #expect(read.kind == .needsPairing)
        #expect(stage.record(value.writeValue([1])).outcome(stage) == .connectionStalled)
        #expect(daemon.methods == ["Connect", "ReadValue"])
        // The first read gets its reply late, because another program has paired meanwhile.
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        let again = stage.record(value.readValue())
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([2]) }
        stage.advance(0)
        #expect(again.elements == [[2]])
        #expect(link.isLive)
    }

    @Test func `An operation that gets a reply despite a refused pairing has its value`() {
        let read = stage.record(value.readValue())
        let write = stage.record(value.writeValue([1]))
        stage.advance(0)
        // Here the peripheral has started the pairing, so the read does not depend on it and can still get its reply.
        refuse()
        stage.advance(100)
        #expect(read.isLive)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(1_000)
        #expect(read.elements == [[1]])
        #expect(write.isLive)
        daemon.take("WriteValue").reply()
        stage.advance(0)
        #expect(write.isCompleted)
    }

    @Test func `A pairing refused while no operation runs has no effect`() {
        refuse()
        stage.advance(1_000)
        let read = stage.record(value.readValue())
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        #expect(read.elements == [[1]])
    }

    @Test func `After a refused pairing that bluetoothd began, a missing reply names it`() {
        refuse()
        let read = stage.record(value.readValue())
        stage.advance(5_000)
        #expect(read.isLive)
        stage.advance(40_000)
        #expect(read.kind == .needsPairing)
        #expect(read.error?.summary.contains("for a service that bluetoothd uses by itself") == true)
        #expect(read.error?.advice == "Pair it first.")
    }

    @Test func `After a refused pairing that bluetoothd began, a lost link names it`() {
        refuse()
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(2_000)
        #expect(link.kind == .disconnected(.unknown) && link.error?.isPairingSuspected == true)
        #expect(link.error?.summary.contains("a pairing was refused that no operation had started") == true)
        #expect(link.error?.advice?.contains("pair it") == true)
    }

    @Test func `A refused pairing that bluetoothd began names each missing reply`() {
        refuse()
        for _ in 1...2 {
            let read = stage.record(value.readValue())
            stage.advance(65_000)
            #expect(read.kind == .needsPairing, "\(String(describing: read.error))")
        }
    }

    @Test(arguments: [29, 31])
    func `A refused pairing explains the end of the link for 30 s`(seconds: Int) {
        refuse()
        stage.advance(seconds * 1_000)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(2_000)
        #expect(link.kind == .disconnected(.unknown))
        #expect(link.error?.isPairingSuspected == (seconds < 30))
    }

    @Test func `A refusal outlasts the operation deadline and ends with the link`() {
        let read = stage.record(value.readValue())
        stage.advance(0)
        refuse()
        stage.advance(45_000)
        #expect(read.kind == .needsPairing)
        #expect(stage.record(value.writeValue([1])).outcome(stage) == .connectionStalled)
        #expect(daemon.count("WriteValue") == 0)
        link.dispose()
        stage.advance(0)
        // bluetoothd does not remove the device, and answers the read at the end of the link, as 5.66 does.
        daemon.take("RemoveDevice").fail("org.bluez.Error.NotReady")
        stage.advance(0)
        daemon.take("ReadValue").fail("org.bluez.Error.Failed")
        daemon.take("Disconnect").reply()
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(0)
        let next = stage.connect(peripheral, daemon)
        let again = stage.record(stage.characteristic(0x2A37, of: peripheral).writeValue([1]))
        stage.advance(0)
        #expect(daemon.count("WriteValue") == 1)
        #expect(again.isLive && next.isLive)
    }

    @Test(arguments: ["Paired", "Bonded"])
    func `A pairing by another program ends the refusal`(property: String) {
        let read = stage.record(value.readValue())
        stage.advance(0)
        refuse()
        stage.advance(60_000)
        #expect(read.kind == .needsPairing)
        #expect(stage.record(value.writeValue([1])).outcome(stage) == .connectionStalled)
        daemon.deviceChanges([property: .bool(true)])
        // The reply to the first read arrives, although its subscription has already failed.
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        let again = stage.record(value.readValue())
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([2]) }
        stage.advance(0)
        #expect(again.elements == [[2]])
        #expect(link.isLive)
    }

    @Test func `After another program pairs, operations wait for the one that needed it`() {
        let read = stage.record(value.readValue())
        stage.advance(0)
        refuse()
        stage.advance(250)
        #expect(read.kind == .needsPairing)
        daemon.deviceChanges(["Paired": .bool(true), "Bonded": .bool(true)])
        stage.advance(0)
        let again = stage.record(value.writeValue([1]))
        stage.advance(10)
        #expect(again.isLive && daemon.count("WriteValue") == 0)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        daemon.take("WriteValue").reply()
        stage.advance(0)
        #expect(again.isCompleted)
    }

    @Test func `A pairing by another program after our refusal lets the operation finish`() {
        let read = stage.record(value.readValue())
        stage.advance(0)
        refuse()
        stage.advance(100)
        daemon.deviceChanges(["Paired": .bool(true), "Bonded": .bool(true)])
        stage.advance(5_000)
        #expect(read.isLive)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        #expect(read.elements == [[1]])
    }

    @Test func `The end of a bond does not end a refusal`() {
        daemon.deviceChanges(["Paired": .bool(true), "Bonded": .bool(true)])
        let read = stage.record(value.readValue())
        stage.advance(0)
        refuse()
        stage.advance(60_000)
        #expect(read.kind == .needsPairing)
        daemon.deviceChanges(["Paired": .bool(false), "Bonded": .bool(false)])
        #expect(stage.record(value.writeValue([1])).outcome(stage) == .connectionStalled)
    }

    @Test func `Notifications turned on after the refusal are turned off again`() {
        let values = stage.record(value.observeValueUpdates())
        stage.advance(0)
        refuse()
        stage.advance(250)
        #expect(values.kind == .needsPairing)
        daemon.take("StartNotify").reply()
        stage.advance(0)
        #expect(daemon.count("StopNotify") == 1)
    }
}
