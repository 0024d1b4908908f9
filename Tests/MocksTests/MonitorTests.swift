import Rx
import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of advertisement monitors.
struct MonitorTests {
    private static let strap = "C0:FF:EE:00:00:01"
    private static let flags: [Value] = [.byte(0), .byte(0x01), .bytes([0x06])]
    private static let beacon: [Value] = [.byte(0), .byte(0xFF), .bytes([0x4C, 0x00, 0x02, 0x15])]
    private static let manager = "org.bluez.AdvertisementMonitorManager1"

    private func register(_ stage: Stage, _ application: MonitorApplication, wait: Bool = true) -> String {
        let answer = stage.client.call(
            Stage.hci, Self.manager + ".RegisterMonitor", [.objectPath(MonitorApplication.root)])
        return stage.wait(for: answer, within: 100)
    }

    private func unregister(_ stage: Stage) -> String {
        stage.wait(
            for: stage.client.call(
                Stage.hci, Self.manager + ".UnregisterMonitor", [.objectPath(MonitorApplication.root)]))
    }

    @Test(.proves(.Q67)) func `A monitor is activated after the reply, and matches packets without a scan`() {
        let stage = Stage()
        let application = MonitorApplication(
            of: stage.client, [["Patterns": MonitorApplication.patterns([Self.beacon])]])
        #expect(register(stage, application) == "ok")
        stage.run(.milliseconds(1000))
        let told = application.log.take()
        #expect(told.first == "m0 Activate")
        #expect(Set(told.dropFirst()) == ["m0 DeviceFound hci0/dev_C0_FF_EE_00_00_03"])
        #expect(told.count == 5)
        #expect(stage.objects() == ["hci0", "hci0/dev_C0_FF_EE_00_00_03"])
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "false")
        #expect(register(stage, application) == "AlreadyExists: Already Exists")
        #expect(unregister(stage) == "ok")
        #expect(application.log.take().last == "m0 Release")
        stage.run(.seconds(1))
        #expect(application.log.take().isEmpty)
        #expect(unregister(stage) == "DoesNotExist: Does Not Exist")
    }

    @Test(
        .proves(.Q67),
        arguments: [
            ["Patterns": MonitorApplication.patterns([])],
            ["Patterns": MonitorApplication.patterns([[.byte(30), .byte(1), .bytes([1, 2])]])],
            ["Type": .string("and_patterns"), "Patterns": MonitorApplication.patterns([beacon])],
            ["RSSIHighThreshold": .int16(-90), "RSSILowThreshold": .int16(-50)],
            ["RSSILowTimeout": .uint16(301)],
        ])
    func `An invalid monitor is released at once`(_ properties: [String: Value]) {
        let stage = Stage()
        let application = MonitorApplication(of: stage.client, [properties])
        #expect(register(stage, application) == "ok")
        stage.run(.seconds(1))
        #expect(application.log.take() == ["m0 Release"])
    }

    @Test(.proves(.Q63)) func `A monitor receives packets that a scan ignores`() {
        var scenario = Scenario.everyday
        scenario.quirks = [.Q63]
        let stage = Stage(scenario)
        let application = MonitorApplication(
            of: stage.client, [["Patterns": MonitorApplication.patterns([Self.beacon])]])
        #expect(register(stage, application) == "ok")
        stage.run(.seconds(1))
        #expect(stage.objects() == ["hci0", "hci0/dev_C0_FF_EE_00_00_03"])
    }

    @Test func `RSSI thresholds and timeouts decide DeviceFound and DeviceLost`() {
        let stage = Stage()
        let application = MonitorApplication(
            of: stage.client,
            [
                [
                    "Patterns": MonitorApplication.patterns([Self.beacon]), "RSSIHighThreshold": .int16(-75),
                    "RSSIHighTimeout": .uint16(2), "RSSILowThreshold": .int16(-90), "RSSILowTimeout": .uint16(3),
                ]
            ])
        #expect(register(stage, application) == "ok")
        stage.run(.milliseconds(1900))
        #expect(application.log.take() == ["m0 Activate"])
        stage.run(.milliseconds(900))
        #expect(application.log.take() == ["m0 DeviceFound hci0/dev_C0_FF_EE_00_00_03"])
        stage.simulation.bluez.advertise(nil, from: "C0:FF:EE:00:00:03")
        stage.run(.milliseconds(2600))
        #expect(application.log.take().isEmpty)
        stage.run(.milliseconds(600))
        #expect(application.log.take() == ["m0 DeviceLost hci0/dev_C0_FF_EE_00_00_03"])
    }

    @Test(.proves(.Q67)) func `Monitors added after the registration count too`() {
        let stage = Stage()
        let application = MonitorApplication(of: stage.client, [])
        #expect(register(stage, application) == "ok")
        application.add(["Patterns": MonitorApplication.patterns([Self.flags])])
        stage.run(.milliseconds(500))
        #expect(application.log.take().contains("m0 DeviceFound hci0/dev_C0_FF_EE_00_00_01"))
    }

    @Test func `The monitor manager is on the adapter's object`() {
        let stage = Stage()
        #expect(stage.property(Stage.hci, "AdvertisementMonitorManager1", "SupportedMonitorTypes") == "[or_patterns]")
        #expect(stage.property(Stage.hci, "AdvertisementMonitorManager1", "SupportedFeatures") == "[]")
    }
}

/// A client's application with monitors. It logs the calls that the daemon makes to the monitors.
final class MonitorApplication: Sendable {
    static let root: ObjectPath = "/test/monitors"
    let log = Log()
    private let client: Client
    private let monitors: Guarded<[[String: Value]]>

    static func patterns(_ patterns: [[Value]]) -> Value {
        .array(of: "(yyay)", patterns.map(Value.structure))
    }

    init(of client: Client, _ monitors: [[String: Value]]) {
        self.client = client
        self.monitors = Guarded(monitors)
        _ = client.bus.export(at: Self.root, includingChildren: true) { [self] call in answer(call) }
    }

    func add(_ monitor: [String: Value]) {
        let place = monitors.withLock { monitors in
            monitors.append(monitor)
            return monitors.count - 1
        }
        let signal = try? Message.signal(
            path: Self.root, interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded"
        ) { (body) throws(DBusError) in
            try body.value(.objectPath(Self.path(place)))
            try body.value(Self.interfaces(monitor))
        }
        if let signal { client.bus.send(signal) }
    }

    private static func path(_ place: Int) -> ObjectPath { root.appending("m\(place)") ?? root }

    private static func interfaces(_ monitor: [String: Value]) -> Value {
        let whole = ["Type": Value.string("or_patterns")].merging(monitor) { $1 }
        return .dictionary(
            key: "s", value: "a{sv}",
            [Value.Entry(.string("org.bluez.AdvertisementMonitor1"), .properties(whole))])
    }

    private func answer(_ call: IncomingCall) {
        if call.message.member == "GetManagedObjects" {
            let all = monitors.withLock { $0 }
            let objects = all.enumerated().map {
                Value.Entry(.objectPath(Self.path($0.offset)), Self.interfaces($0.element))
            }
            return call.reply { (body) throws(DBusError) in
                try body.value(.dictionary(key: "o", value: "a{sa{sv}}", objects))
            }
        }
        let arguments = (try? call.message.read { (body) throws(DBusError) in try body.values() }) ?? []
        let place = call.message.path?.description.split(separator: "/").last ?? ""
        log.write(([String(place), call.message.member ?? ""] + arguments.map(\.line)).joined(separator: " "))
        call.reply()
    }
}
