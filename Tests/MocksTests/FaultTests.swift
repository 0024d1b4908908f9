import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of faults: rules that make calls fail or misbehave.
struct FaultTests {
    private static let failed = "org.bluez.Error.Failed"

    private func stage(_ faults: Fault...) -> Stage {
        var scenario = Scenario.everyday
        scenario.faults = faults
        let stage = Stage(scenario)
        stage.scan()
        stage.run(.milliseconds(500))
        stage.client.log.clear()
        return stage
    }

    @Test func `A rule fails the selected calls with its error`() {
        let stage = stage(
            Fault("Device1.Connect", at: "*_01", calls: .only(2), .error(Self.failed, "le-connection-refused")))
        #expect(stage.device(Stage.thermometer, "Connect") == "ok")
        #expect(stage.device(Stage.strap, "Connect") == "ok")
        #expect(stage.device(Stage.strap, "Connect") == "Failed: le-connection-refused")
        #expect(stage.device(Stage.strap, "Connect") == "ok")
    }

    @Test func `error prevents the effect of a call, errorAfterwards does not`() {
        let stage = stage(
            Fault("Connect", at: "*_01", .error(Self.failed)),
            Fault("Connect", at: "*_02", .errorAfterwards(Self.failed)))
        #expect(stage.device(Stage.strap, "Connect") == "Failed: ")
        #expect(stage.device(Stage.thermometer, "Connect") == "Failed: ")
        stage.run(.seconds(1))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "false")
        #expect(stage.property(Stage.thermometer, "Device1", "Connected") == "true")
    }

    @Test func `late delays the reply but not the effect`() {
        let stage = stage(Fault("StopDiscovery", .late(.seconds(3))))
        let answer = stage.client.call(Stage.hci, "org.bluez.Adapter1.StopDiscovery", [])
        stage.run(.milliseconds(2_990))
        #expect(answer.isOpen)
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "false")
        stage.run(.milliseconds(30))
        #expect(answer.line == "ok")
    }

    @Test(.proves(.Q8)) func `A call without a reply ends at the client's deadline`() {
        let stage = stage(Fault("Device1.Connect", .never), Fault("StopDiscovery", .lost))
        let connect = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [], timeout: .seconds(5))
        let stop = stage.client.call(Stage.hci, "org.bluez.Adapter1.StopDiscovery", [], timeout: .seconds(5))
        stage.run(.milliseconds(4_900))
        #expect(connect.isOpen && stop.isOpen)
        stage.run(.milliseconds(200))
        #expect(connect.error?.name == DBusError.Name.noReply)
        #expect(stop.error?.name == DBusError.Name.noReply)
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "true")
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
    }

    @Test func `swapped exchanges two replies`() {
        let stage = stage(Fault("Device1.Connect", .swapped))
        _ = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        stage.run(.seconds(1))
        let seen = stage.seen()
        #expect(!seen.contains("Connect -> ok"))
        _ = stage.client.call(Stage.plug, "org.bluez.Device1.Connect", [])
        stage.run(.milliseconds(500))
        let connected = stage.simulation.recorder.calls("Connect")
        #expect(connected.map(\.hasFailed) == [false, false])
        #expect(stage.seen().filter { $0 == "Connect -> ok" }.count == 2)
    }

    @Test func `swapped keeps each reply with its call`() {
        let stage = stage(Fault("ReadValue", .swapped))
        stage.device(Stage.strap, "Connect")
        stage.run(.seconds(1))
        stage.client.log.clear()
        let none = Value.properties([:])
        let read = "org.bluez.GattCharacteristic1.ReadValue"
        let first = stage.client.call(Stage.strap + "/service000a/char000b", read, [none])
        stage.run(.seconds(1))
        #expect(first.isOpen)
        let second = stage.client.call(Stage.strap + "/service000a/char000e", read, [none])
        stage.run(.seconds(1))
        #expect(stage.seen().filter { $0.hasPrefix("ReadValue") } == ["ReadValue -> ok <1>", "ReadValue -> ok <0 3d>"])
        #expect(first.line == "ok <0 3d>")
        #expect(second.line == "ok <1>")
    }

    @Test func `A second reply to a call is dropped`() {
        let stage = stage(Fault("StopDiscovery", .twice))
        #expect(stage.adapter("StopDiscovery") == "ok")
        stage.run(.seconds(1))
        #expect(stage.seen().filter { $0.hasPrefix("StopDiscovery") } == ["StopDiscovery -> ok"])
    }

    @Test func `The adapter loses power during a call`() {
        let stage = stage(Fault("Device1.Connect", .meanwhile(after: .milliseconds(50)) { $0.setPower(false) }))
        #expect(stage.device(Stage.strap, "Connect") == "Failed: le-connection-abort-by-local")
        #expect(stage.property(Stage.hci, "Adapter1", "Powered") == "false")
    }

    @Test func `The daemon crashes during a call and restarts`() {
        let stage = stage(
            Fault(
                "Device1.Connect", calls: .only(1),
                .meanwhile {
                    $0.crash()
                    $0.start()
                }))
        #expect(stage.device(Stage.strap, "Connect").hasPrefix("NoReply"))
        #expect(stage.objects() == ["hci0", "hci0/dev_C0_FF_EE_00_00_01"])
        stage.scan()
        stage.run(.milliseconds(500))
        #expect(stage.device(Stage.strap, "Connect") == "ok")
    }

    @Test func `The bus ends during a call`() {
        let stage = stage(Fault("Device1.Connect", .meanwhile { $0.loseBus() }))
        #expect(stage.device(Stage.strap, "Connect").hasPrefix("Disconnected"))
    }

    @Test func `The adapter is unplugged and returns under another number`() {
        let stage = stage()
        stage.simulation.bluez.removeAdapter()
        stage.simulation.bluez.addAdapter(as: 3)
        stage.run(.milliseconds(10))
        #expect(stage.objects() == ["hci3"])
    }

    @Test func `Rules can be added and removed during the simulation`() {
        let stage = stage()
        stage.simulation.bluez.add(Fault("StopDiscovery", .error("org.bluez.Error.NotReady", "Resource Not Ready")))
        #expect(stage.adapter("StopDiscovery") == "NotReady: Resource Not Ready")
        stage.simulation.bluez.removeFaults()
        #expect(stage.adapter("StopDiscovery") == "ok")
    }

    @Test func `A rule can select the property that is set`() {
        let stage = stage(Fault("Properties.Set", property: "Powered", .error("org.bluez.Error.Busy")))
        #expect(stage.set(Stage.hci, "Adapter1", "Alias", .string("a")) == "ok")
        #expect(stage.set(Stage.hci, "Adapter1", "Powered", .bool(false)) == "Busy: ")
    }

    @Test(arguments: MalformedSignal.allCases)
    func `A malformed signal reaches the client unchanged, and the daemon continues`(_ signal: MalformedSignal) {
        let stage = stage()
        stage.simulation.bluez.send(signal, about: "C0:FF:EE:00:00:01")
        stage.run(.milliseconds(1))
        let expected: [MalformedSignal: String] = [
            .wrongType: "RSSI: strong", .unknownProperty: "Flavour: sweet", .goneObject: "00_00_00_00_00_00",
            .unknownInterface: "RSSI: -50", .shortBody: "PropertiesChanged",
        ]
        #expect(stage.seen().contains { $0.contains(expected[signal] ?? "?") })
        #expect(stage.adapter("StopDiscovery") == "ok")
    }
}
