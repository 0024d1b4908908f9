import DBus
import Glibc
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// The findings of ``BluetoothManager/diagnose()``.
struct DiagnosisTests {
    /// Returns the diagnosis of a manager, and checks that it completes within `time` milliseconds.
    private func ask(
        _ stage: Stage, _ manager: BluetoothManager? = nil, within time: Int = 100,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Diagnosis {
        let asked = stage.record((manager ?? stage.manager).diagnose())
        stage.advance(time)
        #expect(asked.isCompleted, sourceLocation: location)
        return try #require(asked.elements.first, sourceLocation: location)
    }

    @Test func `A diagnosis of an idle manager describes bus, bluetoothd and adapter`() throws {
        let stage = Stage(Scenario(peripherals: []))
        let diagnosis = try ask(stage)
        #expect(diagnosis.cause == .idle && !diagnosis.cause.isObstacle)
        #expect(diagnosis.state == .poweredOn && diagnosis.bus == .reachable)
        guard case .answers(let name) = diagnosis.daemon else {
            Issue.record("\(diagnosis.daemon)")
            return
        }
        let version = try #require(diagnosis.daemonVersion)
        let known = diagnosis.findings.filter { $0.cause == .knownProblem }.map { "\($0.text) \($0.advice ?? "")" }
        var lines = ["Bluetooth can be used, and this program neither scans nor connects now."] + known
        lines += [
            "The system bus is reachable.", "bluetoothd \(version) runs as \(name) and answers.",
            "The adapter hci0 (00:1A:7D:DA:71:01) is on.", "hci0 is chosen: it is on and can be a central.",
        ]
        if Ground.usesPackets {
            lines.append(
                "Advertisements are received from the kernel's management socket: this process has the permission to use it."
            )
        }
        #expect(diagnosis.description.split(separator: "\n").map(String.init) == lines)
    }

    @Test(
        .proves(.S1), .covers(.diagnosis),
        arguments: [
            (BluetoothState.poweredOff, Diagnosis.Cause.poweredOff), (.blocked, .blocked),
            (.noAdapter, .noAdapter),
            (.daemonUnavailable, .daemonUnavailable),
        ])
    func `A diagnosis lists the obstacle first, with its advice`(
        state: BluetoothState, cause: Diagnosis.Cause
    ) throws {
        let stage = Stage(Scenario(peripherals: []))
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        stage.bringAbout(state)
        stage.advance(1_000)
        #expect(states.elements.last == state)
        let diagnosis = try ask(stage)
        #expect(diagnosis.cause == cause && diagnosis.cause.isObstacle)
        #expect(diagnosis.state == state)
        let first = try #require(diagnosis.findings.first)
        #expect(first.text.hasSuffix(".") && first.advice?.hasSuffix(".") == true)
        #expect(diagnosis.description.hasPrefix(first.text + " " + (first.advice ?? "")))
    }

    @Test(.proves(.Q28)) func `A diagnosis of a missing adapter lists the present adapters`() throws {
        let stage = Stage(Scenario(peripherals: []), adapter: .named("hci7"))
        let diagnosis = try ask(stage)
        #expect(diagnosis.cause == .otherAdapters)
        #expect(
            diagnosis.findings.first?.text
                == "There is no adapter “hci7”; available adapters: hci0 (00:1A:7D:DA:71:01).")
        #expect(diagnosis.choice == "No adapter is chosen: “hci7” was requested.")
    }

    @Test func `A diagnosis reports a silent bluetoothd after 2 s`() throws {
        let scenario = Scenario {
            SimulatedAdapter()
            Fault("ObjectManager.GetManagedObjects", .lost)
        }
        let fresh = Stage(scenario)
        let asked = fresh.record(fresh.manager.diagnose())
        fresh.advance(1_999)
        #expect(asked.elements.isEmpty && asked.isLive)
        fresh.advance(1)
        #expect(asked.elements.first?.cause == .daemonSilent && asked.isCompleted)
        #expect(asked.elements.first?.state == nil)
        let stage = Stage(Scenario(peripherals: []))
        #expect(try ask(stage).cause == .idle)
        stage.simulation.bluez.add(Fault("Properties.Get", .lost))
        let diagnosis = try ask(stage, within: 2_000)
        #expect(diagnosis.cause == .daemonSilent)
        #expect(diagnosis.findings.first?.advice == "Restart it: sudo systemctl restart bluetooth.")
    }

    @Test(.proves(.Q15)) func `A diagnosis reports calls that the bus forbids`() throws {
        let denied = "org.freedesktop.DBus.Error.AccessDenied"
        for method in ["ObjectManager.GetManagedObjects", "Properties.Get"] {
            let stage = Stage(
                Scenario {
                    SimulatedAdapter()
                    Fault(method, .error(denied))
                })
            let diagnosis = try ask(stage)
            #expect(diagnosis.cause == .unauthorized)
            // Root needs no group.
            let access: AccessControl = geteuid() == 0 ? .rootPolicy : .busPolicy
            #expect(diagnosis.findings.first?.advice == access.advice)
        }
    }

    @Test func `A diagnosis reports a lost bus at once and a silent bus after 2.5 s`() throws {
        let stage = Stage()
        stage.simulation.bus.shutDown()
        #expect(try ask(stage).cause == .busUnavailable)
        let silent = BluetoothManager(configuration: .init(scheduler: stage.scheduler), bus: SilentBus())
        let asked = stage.record(silent.diagnose())
        stage.advance(2_499)
        #expect(asked.elements.isEmpty)
        stage.advance(1)
        #expect(asked.elements.first?.cause == .busSilent && asked.isCompleted)
    }

    @Test func `A diagnosis of a closed manager fails as closed`() {
        let stage = Stage()
        let close = stage.record(stage.manager.close())
        stage.advance(10)
        let asked = stage.record(stage.manager.diagnose())
        stage.advance(10)
        #expect(close.isCompleted && asked.error?.kind == .closed)
    }

    @Test(.proves(.Q40, .Q42)) func `A diagnosis lists scans, their last advertisement and foreign scans`() throws {
        let stage = Stage(with: [Sensor.peripheral])
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        stage.advance(3_000)
        let busy = try ask(stage)
        #expect(busy.cause == .working)
        #expect(busy.scans.first?.subscribers == 1 && busy.scans.first?.step == .active)
        #expect((busy.scans.first?.sinceAdvertisement ?? .seconds(9)) < .seconds(1))
        stage.simulation.bluez.advertise(nil, from: Sensor.text)
        stage.advance(10_000)
        let silent = try ask(stage)
        #expect(silent.cause == .nothingHeard)
        #expect(silent.findings.first?.text == "The scan with hci0 has received no advertisement for 10 s.")
        #expect(silent.foreignScans.isEmpty)
        scan.dispose()
        stage.advance(1_000)
        #expect(try ask(stage).scans.isEmpty)
        let other = BluetoothManager(configuration: .init(scheduler: stage.scheduler), bus: stage.simulation.connect())
        let foreign = stage.record(other.scanForPeripherals())
        stage.advance(4_000)
        let diagnosis = try ask(stage)
        #expect(diagnosis.foreignScans.map(\.adapter) == ["hci0"] && foreign.isLive)
        #expect(diagnosis.description.contains("Another program has been scanning with hci0 for "))
    }

    @Test(.proves(.Q38)) func `A diagnosis counts how often bluetoothd refused a scan`() throws {
        let stage = Stage(
            Scenario {
                SimulatedAdapter()
                Fault("Adapter1.StartDiscovery", .error("org.bluez.Error.InProgress"))
            })
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(2_000)
        let refusals = stage.count("StartDiscovery")
        let diagnosis = try ask(stage)
        #expect(diagnosis.cause == .scanNotStarted && scan.isLive && refusals > 2)
        #expect(diagnosis.findings.first?.text.contains("bluetoothd has refused it \(refusals) times") == true)
    }

    @Test func `A diagnosis names the running operation, its age and the queue length`() throws {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let silent = stage.characteristic(Sensor.silent, of: peripheral)
        let reads = (1...3).map { _ in stage.record(silent.readValue()) }
        stage.advance(7_000)
        let diagnosis = try ask(stage)
        let connection = try #require(diagnosis.connections.first)
        #expect(connection.peripheral === peripheral && connection.step == .connected && connection.waiting == 2)
        #expect(connection.running?.operation == .read && connection.runningFor == .seconds(7))
        #expect(diagnosis.cause == .operationRuns && reads.count == 3 && link.isLive)
        #expect(
            diagnosis.findings.first?.text
                == "The operation “Reading FFF3 of C0:FF:EE:00:00:21” has had no answer for 7 s, and 2 more operations "
                + "wait behind it.")
        #expect(
            diagnosis.facts.contains {
                $0.contains(
                    "; the operation “Reading FFF3 of C0:FF:EE:00:00:21” has run for 7 s, and 2 more operations ")
            })
    }

    @Test(arguments: [(1, "has had no answer for 7 s."), (2, "7 s, and 1 more operation waits behind it.")])
    func `A diagnosis counts waiting operations in correct English`(_ count: Int, _ end: String) throws {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let silent = stage.characteristic(Sensor.silent, of: peripheral)
        let reads = (1...count).map { _ in stage.record(silent.readValue()) }
        stage.advance(7_000)
        let text = try ask(stage).findings.first?.text
        #expect(text?.hasSuffix(end) == true && link.isLive && reads.allSatisfy(\.isLive))
    }

    @Test(arguments: [(1, "refused it once."), (2, "refused it 2 times.")])
    func `A diagnosis counts refused scans in correct English`(_ refusals: Int, _ end: String) throws {
        let stage = Stage(
            Scenario {
                SimulatedAdapter()
                Fault("Adapter1.StartDiscovery", .error("org.bluez.Error.InProgress"))
            })
        let scan = stage.record(stage.manager.scanForPeripherals())
        while stage.count("StartDiscovery") < refusals { stage.advance(10) }
        let text = try ask(stage).findings.first?.text
        #expect(text?.hasSuffix(end) == true && scan.isLive)
    }

    @Test(.proves(.S38)) func `A diagnosis reports a connection attempt that takes long`() throws {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.setInRange(false, Sensor.text)
        let link = stage.record(peripheral.connect())
        stage.advance(6_000)
        let diagnosis = try ask(stage)
        #expect(diagnosis.cause == .connecting && link.isLive)
        #expect(diagnosis.connections.first?.step == .connecting)
    }

    @Test func `A diagnosis reports how long a reconnecting link has been lost`() throws {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(2_000)
        stage.simulation.bluez.crash()
        stage.advance(9_000)
        let away = try ask(stage)
        #expect(away.cause == .daemonUnavailable)
        #expect(away.connections.first?.step == .waiting && away.connections.first?.disconnectedFor == .seconds(9))
        #expect(away.connections.first?.cause?.kind == .disconnected(.daemon))
        stage.simulation.bluez.setInRange(false, Sensor.text)
        stage.simulation.bluez.start()
        stage.advance(5_000)
        let alone = try ask(stage)
        #expect(alone.findings.contains { $0.cause == .connecting && $0.text.contains("has been lost for 14 s") })
        stage.simulation.bluez.setInRange(true, Sensor.text)
        stage.advance(60_000)
        let back = try ask(stage)
        #expect(
            back.connections.first?.step == .connected && back.connections.first?.disconnectedFor == nil && link.isLive)
    }

    @Test(arguments: [
        ("replaced", "waits for its adapter 00:1A:7D:DA:71:01, which is absent."),
        ("off", "waits for its adapter hci0 (00:1A:7D:DA:71:01), which is off."),
    ])
    func `A diagnosis names the adapter that a lost link waits for`(event: String, end: String) throws {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(2_000)
        stage.simulation.bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:09"), as: 1)
        stage.advance(1_000)
        if event == "off" {
            stage.simulation.bluez.setPower(false)
        } else {
            stage.simulation.bluez.removeAdapter(0)
        }
        stage.advance(20_000)
        let diagnosis = try ask(stage)
        #expect(diagnosis.cause == .connecting && link.isLive)
        #expect(diagnosis.findings.contains { $0.text.hasSuffix(end) }, "\(diagnosis.findings)")
    }

    @Test func `A diagnosis reports a pairing in progress`() throws {
        let (stage, peripheral) = Stage.withLock()
        stage.simulation.bluez.add(Fault("Device1.Pair", .late(.seconds(20))))
        let paired = stage.record(peripheral.pair())
        stage.advance(8_000)
        let diagnosis = try ask(stage)
        #expect(diagnosis.cause == .pairing && diagnosis.pairings.first?.step == .pairing && !paired.isCompleted)
        #expect(diagnosis.findings.first?.text.hasPrefix("A pairing with \(Lock.text) has been under way for ") == true)
    }

    @Test(.proves(.Q30)) func `A diagnosis gives advice for the rfkill switch that blocks the adapter`() throws {
        for (isHard, advice) in [(false, "Unblock it: rfkill unblock bluetooth."), (true, "Turn on the hardware ")] {
            let stage = Stage(
                Scenario(adapters: [SimulatedAdapter(blocked: true)], peripherals: []),
                controller: Switches(all: [
                    RadioSwitch(name: "keyboard", isSoftBlocked: false, isHardBlocked: false),
                    RadioSwitch(name: "hci0", isSoftBlocked: !isHard, isHardBlocked: isHard),
                ]))
            let diagnosis = try ask(stage)
            #expect(diagnosis.cause == .blocked && diagnosis.switches.count == 2)
            #expect(diagnosis.findings.first?.advice?.hasPrefix(advice) == true)
        }
    }

    @Test func `A diagnosis reads one property and does not disturb a scan`() throws {
        let stage = Stage(with: [Sensor.peripheral])
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        stage.simulation.bluez.forgetCalls()
        _ = try ask(stage)
        #expect(stage.methods == ["Get"] && scan.isLive)
        let asked = stage.record(stage.manager.diagnose())
        asked.dispose()
        stage.advance(5_000)
        #expect(asked.elements.isEmpty)
    }
}

/// A controller that only lists radio switches (rfkill).
private struct Switches: HostController {
    let all: [RadioSwitch]

    func readRSSI(
        of address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
    ) {}

    func radioSwitches() -> [RadioSwitch] { all }
}

/// A bus that never runs any work that is passed to it.
private final class SilentBus: Bus {
    let clock = BusClock.monotonic

    func perform(_ work: @escaping @Sendable () -> Void) {}
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask { BusTask {} }
    func preconditionInContext() {}
    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask { BusTask {} }
    func send(_ message: Message) {}
    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask { BusTask {} }
    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask { BusTask {} }
    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {}
    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask { BusTask {} }
    func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask { BusTask {} }
    func close() {}
}
