import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Connecting by address, without a scan of the program.
struct DirectConnectionTests {
    private static let missing = Fault(
        "Adapter1.ConnectDevice",
        .error(
            "org.freedesktop.DBus.Error.UnknownMethod",
            "Method \"ConnectDevice\" with signature \"a{sv}\" on interface \"org.bluez.Adapter1\" doesn't exist"))

    /// Makes a stage with the sensor in range, which bluetoothd does not know.
    private static func stage(
        _ connection: SimulatedConnection = SimulatedConnection(), offersConnectDevice: Bool = true,
        deadlines: Deadlines = .prompt
    ) -> Stage {
        var scenario = Scenario(peripherals: [Sensor.make(Sensor.text, connection), Sensor.other])
        if !offersConnectDevice { scenario.faults = [missing] }
        return Stage(scenario, deadlines: deadlines)
    }

    private func connect(
        _ stage: Stage, _ kind: BluetoothAddress.Kind = .random, options: ConnectOptions = ConnectOptions()
    ) -> Recording<Peripheral> {
        stage.record(stage.manager.connect(to: Sensor.address, kind: kind, options: options))
    }

    @Test(.proves(.S112), .covers(.connectionByAddress))
    func `An unknown address is connected by ConnectDevice, without a scan`() throws {
        let stage = Self.stage()
        let link = connect(stage)
        stage.advance(500)
        let peripheral = try #require(link.elements.first)
        #expect(link.elements.count == 1 && link.isLive)
        #expect(peripheral.address == Sensor.address)
        #expect(peripheral.addressKind == .random)
        #expect(stage.methods == ["ConnectDevice"])
        // The connection is as any other.
        let value = stage.record(stage.characteristic(Sensor.value, of: peripheral).readValue())
        stage.advance(100)
        #expect(value.elements == [[1]])
        link.dispose()
        stage.advance(5_000)
        #expect(!stage.isLinked())
        #expect(stage.count("Disconnect") == 1)
        #expect(stage.count("StartDiscovery") == 0)
        stage.expectSettled()
    }

    @Test(.proves(.S112), arguments: [BluetoothAddress.Kind.random, .public])
    func `ConnectDevice receives the address and its kind`(kind: BluetoothAddress.Kind) throws {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        let link = connect(stage, kind)
        stage.advance(0)
        let call = try #require(daemon.take("ConnectDevice").call)
        let properties = try call.message.read { (body) throws(DBusError) in try body.value() }
        #expect(
            properties == .properties(["Address": .string(Sensor.text), "AddressType": .string(kind.rawValue)]))
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S112)) func `With reconnection, the first attempt waits until Bluetooth can be used`() {
        let stage = Self.stage()
        stage.bringAbout(.poweredOff)
        stage.advance(100)
        let link = connect(stage, options: .reconnect())
        let single = connect(stage)
        stage.advance(5_000)
        #expect(single.error?.kind == .poweredOff)
        #expect(link.isLive && link.elements.isEmpty)
        stage.simulation.bluez.setPower(true)
        stage.advance(2_000)
        #expect(link.elements.map(\.address) == [Sensor.address] && link.isLive)
    }

    @Test(.proves(.S112)) func `A known device is connected by Connect`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = connect(stage)
        stage.advance(500)
        #expect(link.elements == [peripheral])
        #expect(stage.methods == ["Connect"])
    }

    @Test(.proves(.S112)) func `Without ConnectDevice, a scan ends at the first sight of the device`() throws {
        let stage = Self.stage(offersConnectDevice: false)
        let isScanning = stage.record(stage.manager.isScanning)
        let link = connect(stage)
        stage.advance(3_000)
        #expect(link.elements.count == 1)
        #expect(!stage.isDiscovering())
        #expect(isScanning.elements == [false, true, false])
        #expect(
            stage.methods.filter { $0 != "Set" && $0 != "Get" } == [
                "ConnectDevice", "SetDiscoveryFilter", "StartDiscovery", "Connect", "StopDiscovery",
                "SetDiscoveryFilter",
            ])
        link.dispose()
        stage.advance(5_000)
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.proves(.S112)) func `A failure of ConnectDevice without a reason falls back to the scan`() {
        for name in ["org.bluez.Failed", "org.bluez.Error.InProgress"] {
            var scenario = Scenario(peripherals: [Sensor.peripheral])
            scenario.faults = [Fault("Adapter1.ConnectDevice", .error(name))]
            let stage = Stage(scenario)
            let link = connect(stage)
            stage.advance(3_000)
            #expect(link.elements.count == 1)
            #expect(stage.count("StartDiscovery") == 1)
        }
    }

    @Test(.proves(.S112), arguments: [true, false])
    func `An absent peripheral times out at the deadline of connecting`(offersConnectDevice: Bool) {
        var deadlines = Deadlines.prompt
        deadlines.connect = .seconds(10)
        let stage = Self.stage(offersConnectDevice: offersConnectDevice, deadlines: deadlines)
        stage.simulation.bluez.setInRange(false, Sensor.text)
        let link = connect(stage)
        stage.advance(9_999)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .timedOut)
        #expect(link.error?.operation == .connect && link.error?.target == Sensor.text)
        #expect(link.error?.description.contains("not found by scanning") == !offersConnectDevice)
        stage.advance(10_000)
        #expect(!stage.isDiscovering())
        #expect(link.times.count == 1)
        stage.expectSettled()
    }

    @Test(
        .proves(.S112),
        arguments: [
            ("org.bluez.Error.NotReady", BluetoothError.Kind.poweredOff),
            ("org.freedesktop.DBus.Error.AccessDenied", .unauthorized),
            ("org.bluez.Error.InvalidArguments", .invalidArgument),
        ])
    func `Another error of ConnectDevice fails the connection at once`(name: String, kind: BluetoothError.Kind) {
        var scenario = Scenario(peripherals: [Sensor.peripheral])
        scenario.faults = [Fault("Adapter1.ConnectDevice", .error(name, "No"))]
        let stage = Stage(scenario)
        let link = connect(stage)
        stage.advance(10)
        #expect(link.kind == kind)
        #expect(link.error?.dbusName == name)
        #expect(stage.count("StartDiscovery") == 0)
        stage.expectSettled()
    }

    @Test(.proves(.S112)) func `An address of the other kind is refused if bluetoothd has the device`() {
        let (stage, _) = Stage.withSensor()
        let link = connect(stage, .public)
        stage.advance(10)
        #expect(link.kind == .invalidArgument)
        #expect(link.error?.description.contains("random address") == true)
        #expect(stage.methods.isEmpty)
    }

    @Test(.proves(.S112)) func `A found device with an address of the other kind is not connected`() {
        var deadlines = Deadlines.prompt
        deadlines.connect = .seconds(5)
        let stage = Self.stage(offersConnectDevice: false, deadlines: deadlines)
        let link = connect(stage, .public)
        stage.advance(5_000)
        #expect(link.kind == .timedOut)
        #expect(stage.count("Connect") == 0)
        stage.advance(1_000)
        #expect(!stage.isDiscovering())
    }

    @Test(
        .proves(.S112),
        arguments: [
            ("org.bluez.Error.AlreadyExists", "Already Exists"), ("org.freedesktop.DBus.Error.UnknownMethod", "No"),
            ("org.bluez.Error.Failed", "le-connection-abort-by-local"),
        ])
    func `A device that appears during ConnectDevice is connected by Connect`(name: String, text: String) {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        let link = stage.record(stage.manager.connect(to: "C0:FF:EE:00:00:01", kind: .random))
        stage.advance(0)
        daemon.add(ScriptedDaemon.Objects.device)
        daemon.take("ConnectDevice").fail(name, text)
        stage.advance(0)
        #expect(daemon.count("StartDiscovery") == 0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements.count == 1)
    }

    @Test(.proves(.S112)) func `A device that another program connects meanwhile is shared and left open`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        let link = stage.record(stage.manager.connect(to: "C0:FF:EE:00:00:01", kind: .random))
        stage.advance(0)
        daemon.add(
            ScriptedDaemon.Objects.device.setting(
                ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Connected": .bool(true)]))
        daemon.take("ConnectDevice").fail("org.bluez.Error.AlreadyExists", "Already Exists")
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        #expect(link.elements.count == 1)
        link.dispose()
        stage.advance(1_000)
        #expect(daemon.count("Disconnect") == 0)
    }

    @Test(.proves(.S112)) func `Reconnection finds the device again after bluetoothd has removed it`() {
        for offersConnectDevice in [true, false] {
            let stage = Self.stage(offersConnectDevice: offersConnectDevice)
            let link = connect(stage, options: .reconnect(Reconnection(jitter: 0)))
            stage.advance(3_000)
            #expect(link.elements.count == 1)
            stage.simulation.bluez.competingClient().remove(Sensor.text)
            stage.advance(20_000)
            #expect(stage.isLinked())
            #expect(link.isLive && link.elements.count == 1)
            #expect(stage.count("ConnectDevice") > 1)
            link.dispose()
            stage.advance(5_000)
            #expect(!stage.isLinked())
        }
    }

    @Test(.proves(.S112), arguments: [Duration.zero, .seconds(-1)])
    func `A deadline of zero or less has passed at once`(deadline: Duration) {
        var deadlines = Deadlines.prompt
        deadlines.connect = deadline
        let stage = Self.stage(deadlines: deadlines)
        let link = connect(stage)
        stage.advance(10)
        #expect(link.kind == .timedOut)
        stage.advance(10_000)
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.proves(.S1, .S112), arguments: [BluetoothState.poweredOff, .blocked, .noAdapter, .daemonUnavailable])
    func `Without Bluetooth, nothing is sent`(state: BluetoothState) {
        let stage = Self.stage()
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        stage.bringAbout(state)
        stage.advance(100)
        stage.simulation.bluez.forgetCalls()
        let link = connect(stage)
        stage.advance(10)
        #expect(link.error != nil && link.error?.operation == .connect)
        #expect(states.elements.last == state)
        #expect(stage.methods.isEmpty)
    }

    // MARK: The end

    @Test(.proves(.S113)) func `Disposing during ConnectDevice closes the link that comes up within 5 s`() {
        let stage = Self.stage(SimulatedConnection(delay: .seconds(2)))
        let link = connect(stage)
        stage.advance(100)
        link.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(1_800)
        #expect(!settled.isCompleted)
        stage.advance(5_000)
        #expect(stage.count("Disconnect") == 1)
        #expect(!stage.isLinked())
        #expect(settled.isCompleted)
    }

    @Test(.proves(.S113)) func `A link that comes up long after the end is closed`() {
        let stage = Self.stage(SimulatedConnection(delay: .seconds(12)))
        let link = connect(stage)
        stage.advance(100)
        link.dispose()
        stage.advance(6_000)
        stage.expectSettled()
        stage.advance(6_000)
        #expect(stage.isLinked())
        #expect(stage.count("Disconnect") == 1)
        stage.advance(5_000)
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.proves(.S113)) func `A second connection waits for the end of the first one, and then works`() {
        let stage = Self.stage(SimulatedConnection(delay: .seconds(2)))
        let first = connect(stage)
        stage.advance(100)
        first.dispose()
        let second = connect(stage)
        stage.advance(15_000)
        #expect(second.elements.count == 1 && second.isLive)
        #expect(stage.isLinked())
    }

    @Test(.proves(.S113)) func `A late link stays open if there is another connection by then`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        let address: BluetoothAddress = "C0:FF:EE:00:00:01"
        let first = stage.record(stage.manager.connect(to: address, kind: .random))
        stage.advance(0)
        let call = daemon.take("ConnectDevice")
        first.dispose()
        stage.advance(6_000)
        let second = stage.record(stage.manager.connect(to: address, kind: .random))
        stage.advance(0)
        daemon.add(ScriptedDaemon.Objects.device)
        daemon.deviceChanges(["Connected": .bool(true)])
        call.reply { (body) throws(DBusError) in try body.value(.objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01")) }
        stage.advance(0)
        #expect(daemon.count("ConnectDevice") == 2 && daemon.count("Disconnect") == 0 && second.isLive)
    }

    @Test(.proves(.S113)) func `Disposing during the scan stops it`() {
        let stage = Self.stage(offersConnectDevice: false)
        stage.simulation.bluez.setInRange(false, Sensor.text)
        let link = connect(stage)
        stage.advance(2_000)
        #expect(stage.isDiscovering())
        link.dispose()
        stage.advance(1_000)
        #expect(!stage.isDiscovering())
        #expect(stage.count("Connect") == 0 && stage.count("Disconnect") == 0)
        stage.expectSettled()
    }

    @Test(.proves(.S34, .S113), arguments: [true, false])
    func `Losing the adapter fails the attempt with that reason`(offersConnectDevice: Bool) {
        let stage = Self.stage(SimulatedConnection(delay: .seconds(5)), offersConnectDevice: offersConnectDevice)
        stage.simulation.bluez.setInRange(false, Sensor.text)
        let link = connect(stage)
        stage.advance(1_000)
        stage.simulation.bluez.removeAdapter()
        stage.advance(10)
        #expect(link.kind == .disconnected(.adapter))
        stage.expectSettled()
    }

    @Test(.proves(.S113)) func `Closing the manager during ConnectDevice fails the connection and ends`() {
        let stage = Self.stage(SimulatedConnection(delay: .seconds(60)))
        let link = connect(stage)
        stage.advance(100)
        let closed = stage.record(stage.manager.close())
        stage.advance(6_000)
        #expect(link.kind == .closed)
        #expect(closed.isCompleted)
    }
}
