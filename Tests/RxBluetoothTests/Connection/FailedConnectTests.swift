import DBus
import RxBluetooth
import RxBluetoothMocks
import Testing

/// Attempts that fail although bluetoothd shows the device as connected, and links that come up late.
struct FailedConnectTests {
    private static let abort = "le-connection-abort-by-local"

    private static func afterwards(_ text: String, calls: Fault.Calls = .all) -> Fault {
        Fault("Device1.Connect", calls: calls, .errorAfterwards("org.bluez.Error.Failed", text))
    }

    /// Checks that one `Disconnect` closes the link, that teardown waits, and that we can connect again.
    private func expectClosed(_ stage: Stage, _ peripheral: Peripheral, _ location: SourceLocation = #_sourceLocation) {
        #expect(stage.isLinked(), sourceLocation: location)
        stage.simulation.bluez.removeFaults()
        let settled = stage.record(stage.manager.settled())
        let next = stage.record(peripheral.connect())
        stage.advance(1)
        #expect(settled.isLive, sourceLocation: location)
        #expect(stage.count("Disconnect") == 1, sourceLocation: location)
        stage.advance(2_000)
        #expect(!stage.isLinked(), sourceLocation: location)
        stage.advance(2_000)
        #expect(settled.isCompleted, sourceLocation: location)
        #expect(next.elements == [peripheral], sourceLocation: location)
        next.dispose()
        stage.advance(5_000)
        #expect(stage.count("Disconnect") == 2, sourceLocation: location)
        #expect(!stage.isLinked(), sourceLocation: location)
        stage.expectSettled(location)
    }

    @Test(arguments: ["le-connection-unknown", "le-connection-refused", "br-connection-canceled-by-nobody"])
    func `A failed Connect closes the link if the device is connected`(text: String) {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(Self.afterwards(text, calls: .only(1)))
        let link = stage.record(peripheral.connect())
        stage.advance(200)
        #expect(link.kind == .connectFailed(text))
        expectClosed(stage, peripheral)
    }

    @Test func `Disposing between attempts closes a link that came up`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(Self.afterwards(Self.abort))
        let link = stage.record(peripheral.connect())
        stage.advance(200)
        #expect(link.isLive)
        link.dispose()
        stage.advance(1)
        expectClosed(stage, peripheral)
    }

    @Test func `Closing the manager between attempts closes a link that came up`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(Self.afterwards(Self.abort))
        let link = stage.record(peripheral.connect())
        stage.advance(200)
        let closed = stage.record(stage.manager.close())
        stage.advance(1)
        #expect(link.kind == .closed)
        #expect(closed.isLive)
        stage.advance(2_000)
        #expect(closed.isCompleted)
        #expect(stage.methods == ["Connect", "Disconnect"])
        #expect(!stage.isLinked())
    }

    @Test func `The deadline between attempts closes a link that came up`() {
        var deadlines = Deadlines.prompt
        deadlines.connect = .milliseconds(200)
        let (stage, peripheral) = Stage.withSensor(deadlines: deadlines)
        stage.simulation.bluez.add(Self.afterwards(Self.abort))
        let link = stage.record(peripheral.connect())
        stage.advance(200)
        #expect(link.kind == .timedOut)
        expectClosed(stage, peripheral)
    }

    @Test func `The last failed repetition closes its link`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        for attempt in 1...9 {
            stage.advance(250)
            daemon.deviceChanges(["Connected": .bool(true)])
            daemon.take("Connect").fail("org.bluez.Error.Failed", Self.abort)
            stage.advance(0)
            if attempt < 9 { daemon.deviceChanges(["Connected": .bool(false)]) }
        }
        #expect(link.kind == .connectFailed(Self.abort))
        #expect(daemon.methods.suffix(2) == ["Connect", "Disconnect"])
        let settled = stage.record(stage.manager.settled())
        daemon.take("Disconnect").reply()
        stage.advance(0)
        #expect(settled.isLive)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        #expect(settled.isCompleted)
        stage.expectNoTimers()
    }

    @Test func `A lost bond closes a link that bluetoothd leaves up`() {
        let bonded = ScriptedDaemon.Objects.oneKnownDevice.setting(
            ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Paired": .bool(true), "Bonded": .bool(true)])
        let (stage, daemon, peripheral) = Stage.scripted(bonded)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").fail("org.bluez.Error.Failed", "br-connection-canceled")
        stage.advance(0)
        #expect(link.kind == .bondLost)
        #expect(daemon.methods == ["Connect", "Disconnect"])
    }

    @Test func `A failed Connect without a link sends no Disconnect`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", calls: .only(1), .error("org.bluez.Error.Failed", "le-connection-unknown")))
        let link = stage.record(peripheral.connect())
        stage.advance(10_000)
        #expect(link.kind == .connectFailed("le-connection-unknown"))
        #expect(stage.methods == ["Connect"])
        stage.expectSettled()
    }

    // MARK: Links that come up late

    @Test func `Closing the manager closes a link that comes up meanwhile and waits for that`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        let closed = stage.record(stage.manager.close())
        stage.advance(0)
        #expect(link.kind == .closed)
        #expect(daemon.methods == ["Connect", "Disconnect"])
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        daemon.take("Disconnect").reply()
        stage.advance(0)
        #expect(closed.isLive)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        #expect(closed.isCompleted)
    }

    @Test func `A link that comes up after the answer to Disconnect is closed`() {
        for isDisposed in [true, false] {
            let (stage, daemon, peripheral) = Stage.scripted()
            let link = stage.record(peripheral.connect())
            stage.advance(0)
            if isDisposed { link.dispose() } else { stage.advance(30_000) }
            stage.advance(0)
            daemon.take("Disconnect").reply()
            stage.advance(100)
            let settled = stage.record(stage.manager.settled())
            stage.advance(0)
            #expect(settled.isLive)
            daemon.deviceChanges(["Connected": .bool(true)])
            daemon.take("Connect").reply()
            stage.advance(0)
            #expect(daemon.methods == ["Connect", "Disconnect", "Disconnect"])
            daemon.take("Disconnect").reply()
            stage.advance(0)
            #expect(settled.isLive)
            daemon.deviceChanges(["Connected": .bool(false)])
            stage.advance(0)
            #expect(settled.isCompleted)
            stage.expectNoTimers()
        }
    }

    @Test func `An unanswered Connect delays teardown by at most one more deadline`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        link.dispose()
        stage.advance(0)
        daemon.take("Disconnect").reply()
        stage.advance(4_999)
        let settled = stage.record(stage.manager.settled())
        stage.advance(0)
        #expect(settled.isLive)
        stage.advance(1)
        #expect(settled.isCompleted)
        #expect(daemon.methods == ["Connect", "Disconnect"])
        stage.expectNoTimers()
    }

    @Test func `A confirmation of the link after close began is ignored`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        let states = stage.record(peripheral.connectionState)
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        let closed = stage.record(stage.manager.close())
        stage.advance(0)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        stage.advance(0)
        #expect(link.elements.isEmpty)
        #expect(link.kind == .closed)
        #expect(daemon.methods == ["Connect", "Get", "Disconnect"])
        daemon.take("Disconnect").reply()
        stage.advance(0)
        #expect(closed.isCompleted)
        #expect(!states.elements.contains(.connected))
    }
}
