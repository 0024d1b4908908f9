import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

struct ReconnectionTests {
    /// A reconnection policy without jitter, so that the lengths of its pauses are known.
    static let plain = Reconnection(jitter: 0)

    @Test(.covers(.reconnection)) func `A lost link is restored, and the connection emits once`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect(Self.plain)))
        let states = stage.record(peripheral.connectionState)
        stage.advance(20_000)
        #expect(link.elements == [peripheral])
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(249)
        #expect(states.elements == [.disconnected(nil), .connecting, .connected, .lost(.linkLost(.remote))])
        stage.advance(1_000)
        #expect(Array(states.elements.suffix(2)) == [.connecting, .connected])
        #expect(link.elements == [peripheral])
        #expect(link.isLive)
        #expect(stage.count("Connect") == 2)
        link.dispose()
        stage.advance(5_000)
        #expect(!stage.isLinked())
        #expect(stage.count("Disconnect") == 1)
        stage.expectSettled()
    }

    @Test func `A reconnecting connection emits after its services are resolved`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(discovery: .seconds(2)))
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(2_000)
        #expect(link.elements.isEmpty)
        stage.advance(200)
        #expect(link.elements == [peripheral])
    }

    @Test(.proves(.Q73)) func `A link without resolved services is closed and tried again`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(discovery: .seconds(1_000)))
        let link = stage.record(peripheral.connect(options: .reconnect(Self.plain)))
        stage.advance(31_000)
        #expect(stage.methods == ["Connect", "Disconnect"])
        stage.simulation.bluez.setConnection(SimulatedConnection(), of: Sensor.text)
        stage.advance(5_000)
        #expect(link.elements == [peripheral])
        #expect(stage.count("Connect") == 2)
    }

    @Test func `Reconnection delays double up to the maximum`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        var policy = Self.plain
        policy.maximumDelay = .seconds(2)
        let link = stage.record(peripheral.connect(options: .reconnect(policy)))
        let attempts = stage.record(stage.manager.connectionChanges.filter { $0.state == .connecting })
        stage.advance(8_000)
        let times = attempts.times.map { $0 - attempts.times[0] }
        #expect(times == [0, 250, 750, 1_750, 3_750, 5_750, 7_750])
        #expect(link.isLive)
    }

    @Test func `Jitter is reproducible from its seed and stays within bounds`() {
        func times(_ seed: UInt64) -> [Int] {
            let (stage, peripheral) = Stage.withSensor()
            stage.simulation.bluez.add(
                Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
            let policy = Reconnection(initialDelay: .seconds(1), maximumDelay: .seconds(1), jitter: 0.5, seed: seed)
            let link = stage.record(peripheral.connect(options: .reconnect(policy)))
            let attempts = stage.record(stage.manager.connectionChanges.filter { $0.state == .connecting })
            stage.advance(50_000)
            link.dispose()
            return attempts.times
        }
        let one = times(1)
        #expect(one == times(1))
        #expect(one != times(2))
        let pauses = zip(one, one.dropFirst()).map { $1 - $0 }
        #expect(pauses.count > 30)
        #expect(pauses.allSatisfy { (500...1_000).contains($0) })
        #expect(Set(pauses).count > 10)
    }

    @Test func `Links that drop early make the reconnection delays grow`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(dropsAfter: .milliseconds(1_500)))
        let link = stage.record(peripheral.connect(options: .reconnect(Self.plain)))
        stage.advance(60_000)
        // If the pauses did not grow, there would be about thirty attempts.
        #expect((5...8).contains(stage.count("Connect")))
        #expect(link.isLive)
    }

    @Test func `After a stable link, reconnection makes its full number of attempts`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0, attempts: 3))))
        stage.advance(15_000)
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(60_000)
        #expect(link.kind == .connectFailed("le-connection-refused"))
        #expect(link.error?.operation == .connect)
        #expect(stage.count("Connect") == 4)
        stage.expectSettled()
        stage.simulation.bluez.removeFaults()
        // After the failed reconnection, a new connection to the peripheral works.
        #expect(stage.connect(stage.find(Sensor.address)).isLive)
    }

    @Test(arguments: [-1, 0, 1])
    func `An attempt limit below one counts as one, and an outage is no attempt`(attempts: Int) {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0, attempts: attempts))))
        stage.advance(5_000)
        stage.simulation.bluez.setPower(false)
        stage.advance(20_000)
        #expect(link.isLive)
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        stage.simulation.bluez.setPower(true)
        stage.advance(20_000)
        #expect(link.kind == .connectFailed("le-connection-refused"))
        #expect(stage.count("Connect") == 2)
    }

    @Test func `Reconnection ends after its time limit, even while the adapter is off`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect(within: .seconds(20))))
        stage.advance(60_000)
        #expect(link.isLive)
        stage.simulation.bluez.setPower(false)
        stage.advance(19_900)
        #expect(link.isLive)
        stage.advance(200)
        #expect(link.kind == .disconnected(.adapter))
        stage.simulation.bluez.setPower(true)
        stage.advance(60_000)
        #expect(stage.count("Connect") == 1)
        #expect(link.times.count == 2)
    }

    @Test func `Final errors end a reconnection, and a policy can define more`() {
        for kind in ["Rejected", "Failed"] {
            let (stage, peripheral) = Stage.withSensor()
            stage.simulation.bluez.add(
                Fault("Device1.Connect", .error("org.bluez.Error.Authentication\(kind)", "no")))
            let link = stage.record(peripheral.connect(options: .reconnect()))
            stage.advance(1_000)
            #expect(link.kind == .pairingFailed("Authentication\(kind)"))
            #expect(stage.count("Connect") == 1)
        }
        let (stage, peripheral) = Stage.withSensor()
        let strict = Reconnection(shouldGiveUp: { $0.kind == .linkLost(.remote) })
        let link = stage.record(peripheral.connect(options: .reconnect(strict)))
        stage.advance(1_000)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1_000)
        #expect(link.kind == .linkLost(.remote))
    }

    @Test(.proves(.Q32, .Q61)) func `A device that bluetoothd removes is searched for and reconnected`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        let states = stage.record(peripheral.connectionState)
        stage.advance(1_000)
        let other = stage.simulation.connect()
        guard let device = ObjectPath(Sensor.path),
            let message = try? Message.call(
                to: "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.Adapter1", member: "RemoveDevice",
                { (body) throws(DBusError) in try body.objectPath(device) })
        else { return }
        other.call(message, timeout: .seconds(10)) { _ in }
        stage.advance(10_000)
        // The reconnection starts a scan, because the removed device must be found again.
        #expect(stage.count("StartDiscovery") == 1)
        #expect(!Reconnection.isFinal(BluetoothError(.disconnected(.removed))))
        #expect(states.elements.last == .connected)
        #expect(link.elements == [peripheral])
        #expect(link.isLive)
    }

    @Test(
        .proves(.Q86),
        arguments: [
            (SimulatedDisconnectReason.remote, BluetoothError.DisconnectReason.remote), (.timeout, .timeout),
            (.local, .local),
            (.suspend, .suspend), (.unknown, .unknown), (.authentication, .authentication),
        ])
    func `The disconnect reason of bluetoothd is used, and authentication is final`(
        told: SimulatedDisconnectReason, reason: BluetoothError.DisconnectReason
    ) {
        var scenario = Scenario(peripherals: [Sensor.peripheral])
        scenario.features = [.disconnectedSignal]
        let stage = Stage(scenario)
        let peripheral = stage.find(Sensor.address)
        let plain = stage.connect(peripheral)
        stage.simulation.bluez.dropLink(to: Sensor.text, reason: told)
        stage.advance(10)
        #expect(plain.kind == .disconnected(reason))
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        stage.simulation.bluez.dropLink(to: Sensor.text, reason: told)
        stage.advance(5_000)
        // Only a loss of authentication ends the reconnection: the bond stays invalid in each further attempt (Q87).
        #expect(link.isLive == (reason != .authentication))
    }

    @Test(.proves(.S32)) func `A reconnecting peripheral refuses a second connect, even without a link`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        stage.simulation.bluez.crash()
        stage.advance(1_000)
        let plain = stage.record(peripheral.connect())
        let second = stage.record(peripheral.connect(options: .reconnect()))
        let invalid = stage.record(peripheral.connect(options: .reconnect(Reconnection(limit: .zero))))
        // Errors are delivered on the manager's scheduler.
        #expect(second.isLive && invalid.isLive)
        stage.advance(1_000)
        #expect(invalid.kind == .invalidArgument)
        #expect(plain.kind == .alreadyConnected)
        #expect(second.kind == .alreadyConnected)
        #expect(link.isLive)
        link.dispose()
        stage.simulation.bluez.start()
        stage.advance(1_000)
        let found = stage.find(Sensor.address)
        #expect(stage.connect(found).isLive)
    }

    @Test func `Disconnecting ends a reconnection with and without a link`() {
        for isUp in [true, false] {
            let (stage, peripheral) = Stage.withSensor()
            let link = stage.record(peripheral.connect(options: .reconnect()))
            stage.advance(1_000)
            if !isUp { stage.simulation.bluez.setPower(false) }
            stage.advance(1_000)
            let end = stage.record(peripheral.disconnect())
            stage.advance(5_000)
            #expect(end.isCompleted)
            #expect(link.kind == .disconnected(.requested))
            stage.simulation.bluez.setPower(true)
            stage.advance(20_000)
            #expect(stage.count("Connect") == 1)
            #expect(!stage.isLinked())
        }
    }

    @Test(.proves(.S91)) func `After disposal at any moment, a reconnection emits and sends nothing`() {
        for moment in stride(from: 0, through: 2_000, by: 25) {
            let (stage, peripheral) = Stage.withSensor()
            let link = stage.record(peripheral.connect(options: .reconnect(Self.plain)))
            stage.scheduler.scheduleAt(stage.scheduler.clock + 600) { stage.simulation.bluez.crash() }
            stage.scheduler.scheduleAt(stage.scheduler.clock + 900) { stage.simulation.bluez.start() }
            stage.advance(moment)
            link.dispose()
            let told = link.times.count
            stage.advance(5_000)
            stage.simulation.bluez.forgetCalls()
            stage.advance(60_000)
            #expect(link.times.count == told)
            #expect(stage.methods.isEmpty)
            #expect(!stage.isLinked())
            stage.expectSettled()
        }
    }

    @Test func `Closing the manager ends a reconnection during a pause`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        let policy = Reconnection(initialDelay: .seconds(100), maximumDelay: .seconds(100))
        let link = stage.record(peripheral.connect(options: .reconnect(policy)))
        stage.advance(10_000)
        let closing = stage.record(stage.manager.close())
        stage.advance(10)
        #expect(closing.isCompleted)
        #expect(link.kind == .closed)
        #expect(link.times.count == 1)
    }
}
