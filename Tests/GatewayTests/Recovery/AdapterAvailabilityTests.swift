import DBus
import Glibc
import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@testable import Gateway

/// A gateway whose bus, bluetoothd or adapters are absent at first, in virtual time.
@Suite struct AdapterAvailabilityTests {
    @Test func `Without a bus at start, the gateway says so once and receives when there is one`() throws {
        let stage = OutageStage()
        stage.run(for: .seconds(100))
        let text = "the gateway cannot receive: the system bus is not available; check that dbus runs"
        #expect(stage.warnings == [text])
        #expect(try stage.status("obstacle") == .string("no-bus"))
        #expect(stage.metric("ble_gateway_obstacle{obstacle=\"no-bus\"}") == "1")
        stage.startBus()
        stage.time.advance(by: .seconds(30))
        #expect(stage.names == ["hci0", "hci1"] && stage.isReceiving, "\(stage.texts)")
        #expect(stage.warnings == [text] && stage.infos("Bluetooth can be used again") == 1)
        #expect(try stage.status("obstacle") == .null)
        #expect(stage.metric("ble_gateway_obstacle{obstacle=\"no-bus\"}") == "0")
        stage.close()
    }

    @Test func `Two adapters receive after a restart of the bus, and so does a new one`() throws {
        let stage = OutageStage()
        stage.startBus()
        stage.run(for: .seconds(60))
        #expect(stage.names == ["hci0", "hci1"] && stage.warnings.isEmpty, "\(stage.texts)")
        stage.endBus()
        stage.time.advance(by: .seconds(60))
        #expect(try stage.status("obstacle") == .string("no-bus"))
        let reason = "cannot receive: the system bus is not available; check that dbus runs"
        let texts = ["hci0 \(reason)", "hci1 \(reason)"]
        #expect(stage.warnings.sorted() == texts)
        stage.startBus(adapters: 3)
        stage.time.advance(by: .seconds(60))
        #expect(stage.names == ["hci0", "hci1", "hci2"], "\(stage.texts)")
        #expect(stage.isReceiving && stage.warnings.sorted() == texts, "\(stage.texts)")
        #expect(stage.infos("hci0 can receive again") == 1)
        stage.close()
    }

    @Test func `A bus that restarts again and again is opened again each time`() throws {
        let stage = OutageStage()
        for _ in 0..<5 {
            stage.startBus()
            stage.run(for: .seconds(40))
            #expect(stage.isReceiving, "\(stage.texts)")
            stage.endBus()
            stage.time.advance(by: .seconds(300))
        }
        #expect(stage.warnings.count == 5 * 2, "\(stage.texts)")
        stage.close()
    }

    @Test func `A bus without bluetoothd is reported, and bluetoothd is used when it starts`() throws {
        let stage = OutageStage()
        let simulation = stage.startBus(starting: false)
        stage.run(for: .seconds(60))
        let text =
            "the gateway cannot receive: bluetoothd does not run or does not answer; "
            + "start it: systemctl start bluetooth"
        #expect(stage.warnings == [text], "\(stage.texts)")
        #expect(try stage.status("obstacle") == .string("no-daemon"))
        simulation.bluez.start()
        stage.time.advance(by: .seconds(30))
        #expect(stage.isReceiving && stage.warnings == [text], "\(stage.texts)")
        stage.close()
    }

    @Test func `A bus that denies access is reported, and used when it permits access`() throws {
        let stage = OutageStage()
        let simulation = stage.startBus(
            faults: [
                Fault(
                    "ObjectManager.GetManagedObjects",
                    .error("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message"))
            ])
        stage.run(for: .seconds(120))
        // Root needs no group.
        let advice =
            geteuid() == 0 ? ". \(AccessControl.rootPolicy.advice)" : "; add its user to the group bluetooth"
        let text = "the gateway cannot receive: the gateway may not use Bluetooth\(advice)"
        #expect(stage.warnings == [text], "\(stage.texts)")
        #expect(try stage.status("obstacle") == .string("unauthorized"))
        #expect(stage.metric("ble_gateway_obstacle{obstacle=\"unauthorized\"}") == "1")
        simulation.bluez.removeFaults()
        stage.time.advance(by: .seconds(60))
        #expect(stage.isReceiving && stage.warnings == [text], "\(stage.texts)")
        stage.close()
    }

    private static let prevents = "policy prevents this sender from sending this message to this recipient"

    @Test(
        arguments: [
            (
                "An AppArmor \(prevents)", #"uid=0 pid=40 comm="ble-gateway" label="docker-default (enforce)""#,
                .appArmor
            ),
            (
                "An SELinux \(prevents), 0 matched rules",
                #"uid=0 pid=40 comm="ble-gateway" label="system_u:system_r:container_t:s0""#, .seLinux
            ),
            (
                "An AppArmor \(prevents)", #"uid=0 pid=40 comm="ble-gateway" label="snap.meter.daemon (enforce)""#,
                .snap
            ),
            ("Rejected send message, 2 matched rules", #"uid=0 pid=40 comm="ble-gateway""#, .rootPolicy),
            ("Rejected send message, 2 matched rules", #"uid=1000 pid=40 comm="ble-gateway""#, .busPolicy),
        ] as [(sentence: String, sender: String, access: AccessControl)])
    func `A refusal is reported once, with the remedy for its mechanism`(
        sentence: String, sender: String, access: AccessControl
    ) throws {
        let stage = OutageStage()
        let refusal =
            #"\#(sentence); type="method_call", sender=":1.8" (\#(sender)) "#
            + #"interface="org.freedesktop.DBus.ObjectManager" destination="org.bluez""#
        _ = stage.startBus(
            faults: [
                Fault("ObjectManager.GetManagedObjects", .error("org.freedesktop.DBus.Error.AccessDenied", refusal))
            ])
        stage.run(for: .seconds(60))
        let advice = access == .busPolicy ? "; add its user to the group bluetooth" : ". \(access.advice)"
        let text = "the gateway cannot receive: the gateway may not use Bluetooth\(advice)"
        #expect(stage.warnings == [text], "\(stage.texts)")
        #expect(stage.warnings.contains { $0.contains("group") } == (access == .busPolicy))
        #expect(try stage.status("obstacle") == .string("unauthorized"))
        #expect(stage.metric("ble_gateway_obstacle{obstacle=\"unauthorized\"}") == "1")
        stage.close()
    }

    @Test func `A machine without adapters is reported after 10 s, and a plugged one is used`() throws {
        let stage = OutageStage()
        let simulation = stage.startBus(adapters: 0)
        stage.run(for: .seconds(9))
        #expect(stage.warnings.isEmpty)
        stage.time.advance(by: .seconds(60))
        #expect(stage.warnings.count == 1 && stage.warnings[0].contains("no Bluetooth adapter"), "\(stage.texts)")
        #expect(try stage.status("obstacle") == .string("no-adapter"))
        simulation.bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:01"))
        stage.time.advance(by: .seconds(30))
        #expect(stage.isReceiving && stage.warnings.count == 1, "\(stage.texts)")
        stage.close()
    }

    @Test func `A selected adapter that does not exist is reported after 10 s, until it does`() throws {
        let stage = OutageStage(["hci0", "hci7"])
        let simulation = stage.startBus()
        stage.run(for: .seconds(9))
        #expect(stage.warnings.isEmpty)
        stage.time.advance(by: .seconds(120))
        let text =
            "hci7 cannot receive: there is no such adapter; plug it in, or correct adapters in the configuration"
        #expect(stage.warnings == [text], "\(stage.texts)")
        #expect(try stage.status("missing_adapters") == .array([.string("hci7")]))
        #expect(stage.metric("ble_gateway_adapter_missing{adapter=\"hci7\"}") == "1")
        #expect(stage.isReceiving && stage.names == ["hci0"])
        simulation.bluez.crash()
        stage.time.advance(by: .seconds(10))
        simulation.bluez.start()
        stage.time.advance(by: .seconds(30))
        #expect(stage.warnings.filter { $0 == text }.count == 1, "a restart of bluetoothd does not repeat it")
        simulation.bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:07"), as: 7)
        stage.time.advance(by: .seconds(30))
        #expect(stage.names == ["hci0", "hci7"] && stage.infos("the adapter hci7 exists now") == 1, "\(stage.texts)")
        #expect(try stage.status("missing_adapters") == .array([]))
        #expect(stage.metric("ble_gateway_adapter_missing{adapter=\"hci7\"}") == nil)
        stage.close()
    }
}

/// A gateway on a bus that ends and starts again, with a simulated broker.
private final class OutageStage {
    let time = VirtualLoop()
    let server: SimulatedBrokerServer
    let gateway: Gateway
    private let bus: ReplaceableBus
    private var events: [GatewayEvent] = []

    init(_ selected: [String] = []) {
        var configuration = GatewayConfiguration()
        configuration.name = "attic"
        configuration.adapters = selected
        let (scheduler, bus) = (time.scheduler, ReplaceableBus(time.scheduler))
        self.bus = bus
        server = SimulatedBrokerServer(loop: time.loop)
        gateway = Gateway(
            configuration, loop: time.loop, broker: server.client(Gateway.client(of: configuration)),
            store: SimulatedStore(identity: "s")
        ) { adapter in
            BluetoothManager(configuration: .init(adapter: adapter, scheduler: scheduler), openingBus: bus.connect)
        }
        gateway.onEvent = { [unowned self] in events.append($0) }
    }

    /// Starts the gateway, and runs it for a time.
    func run(for duration: Duration) {
        gateway.start()
        time.advance(by: duration)
    }

    @discardableResult
    func startBus(adapters: Int = 2, faults: [Fault] = [], starting: Bool = true) -> Simulation {
        var scenario = Scenario(
            adapters: (0..<adapters).map { SimulatedAdapter(address: "00:1A:7D:DA:71:0\($0 + 1)") },
            peripherals: [
                SimulatedPeripheral("Sensor", address: "C0:FF:EE:00:00:10") {
                    SimulatedAdvertisement(every: .seconds(1), rssi: -50, manufacturerData: [1: [1]])
                }
            ])
        scenario.faults = faults
        let started = Simulation(scenario, scheduler: time.scheduler, starting: starting)
        bus.replace(by: started)
        return started
    }

    func endBus() { bus.replace(by: nil) }

    var texts: [String] { events.map(\.description) }
    var warnings: [String] { events.filter { $0.level >= .warning }.map(\.description) }
    var names: [String] { gateway.status().adapters.map(\.name).sorted() }

    func infos(_ text: String) -> Int { events.filter { $0.level == .info && $0.description == text }.count }

    /// Whether all adapters receive in the next seconds.
    var isReceiving: Bool {
        let before = gateway.adapters.supervisors.map(\.status.advertisements)
        time.advance(by: .seconds(5))
        let after = gateway.adapters.supervisors.map(\.status.advertisements)
        return !after.isEmpty && before.count == after.count && zip(before, after).allSatisfy(<)
    }

    /// A member of the published status.
    func status(_ key: String) throws -> ParsedJSON? {
        try server.retained["home/attic/status"].map { try ParsedJSON($0.payload) }?[key]
    }

    /// The value of a metric.
    func metric(_ name: String) -> String? {
        gateway.metrics().split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    func close() {
        var isStopped = false
        gateway.stop { isStopped = true }
        time.advance(by: .seconds(20))
        #expect(isStopped)
    }
}

/// The bus of a machine, which ends and starts again. Connections to an absent bus fail.
private final class ReplaceableBus: Sendable {
    private let present = Guarded<Simulation?>(nil)
    private let absent: Simulation

    init(_ scheduler: TestScheduler) {
        absent = Simulation(Scenario(peripherals: []), scheduler: scheduler, starting: false)
        absent.bus.shutDown()
    }

    /// Ends the present bus, and uses another one from now on.
    func replace(by other: Simulation?) {
        let former = present.withLock { present in
            defer { present = other }
            return present
        }
        former?.bus.shutDown()
    }

    func connect() -> any Bus { (present.withLock { $0 } ?? absent).connect() }
}
