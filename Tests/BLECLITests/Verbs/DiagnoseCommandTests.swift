import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

struct DiagnoseCommandTests {
    @Test func `Prints in sentences that Bluetooth can be used`() {
        let outcome = CommandHarness().run(DiagnoseVerb())
        #expect(outcome.code == .done && outcome.errors.isEmpty)
        #expect(outcome.lines.first == "Bluetooth can be used, and this program neither scans nor connects now.")
        #expect(outcome.lines.contains("The adapter hci0 (00:1A:7D:DA:71:01) is on."))
        #expect(outcome.lines.allSatisfy { $0.hasSuffix(".") })
    }

    @Test func `Prints the obstacle, and ends with its exit code`() throws {
        let off = CommandHarness(Scenario(adapters: [SimulatedAdapter(powered: false)], peripherals: [])).run(
            DiagnoseVerb())
        #expect(off.code == .unavailable)
        #expect(
            off.lines.first
                == "The adapter hci0 (00:1A:7D:DA:71:01) is off. Switch it on: ble-cli power on.")
        #expect(off.errors == ["ble-cli: Bluetooth cannot be used (powered-off)."])
        let stopped = CommandHarness(starting: false).run(DiagnoseVerb())
        #expect(stopped.code == .unavailable)
        #expect(stopped.lines.first == "bluetoothd is not running. Start it: sudo systemctl start bluetooth.")
        var options = CommandContext.Options()
        options.adapter = try AdapterSelection(parsing: "hci7")
        let missing = CommandHarness().run(DiagnoseVerb(), options)
        #expect(missing.code == .notFound)
        #expect(missing.lines.first?.hasPrefix("There is no adapter “hci7”; available adapters: hci0") == true)
    }

    @Test(arguments: [
        (
            "An AppArmor", "docker-default (enforce)", "AppArmor does not allow this process to use bluetoothd",
            "Allow messages to org.bluez in the AppArmor profile “docker-default”"
        ),
        (
            "An SELinux", "system_u:system_r:container_t:s0",
            "SELinux does not allow this process to use bluetoothd", "sudo ausearch -m USER_AVC"
        ),
    ])
    func `Diagnose and scan print the mechanism that refuses, and its remedy`(
        start: String, label: String, cause: String, remedy: String
    ) {
        let message =
            start + " policy prevents this sender from sending this message to this recipient; "
            + #"type="method_call", sender=":1.8" (uid=0 pid=40 comm="ble-cli" label="\#(label)") "#
            + #"interface="org.freedesktop.DBus.ObjectManager" destination="org.bluez""#
        let scenario = Scenario {
            SimulatedAdapter()
            Fault("ObjectManager.GetManagedObjects", .error("org.freedesktop.DBus.Error.AccessDenied", message))
        }
        let diagnosis = CommandHarness(scenario).run(DiagnoseVerb())
        let scan = CommandHarness(scenario).run(ScanVerb(), .limited(.seconds(5)))
        #expect(diagnosis.code == .unavailable && scan.code == .unavailable)
        for text in [diagnosis.lines.joined(separator: " "), scan.errors.joined(separator: " ")] {
            #expect(text.contains(cause) && text.contains(remedy), "\(text)")
            #expect(!text.contains("group"), "\(text)")
        }
    }

    /// A simulation with an obstacle, and the adapter of `--adapter`.
    private static func setup(_ cause: Diagnosis.Cause) -> (harness: CommandHarness, adapter: AdapterSelection) {
        let list = "ObjectManager.GetManagedObjects"
        let apparmor = "An AppArmor policy prevents this sender from sending this message to this recipient"
        switch cause {
        case .busUnavailable:
            let harness = CommandHarness()
            harness.simulation.bus.shutDown()
            return (harness, .automatic)
        case .unauthorized:
            return (failing(Fault(list, .error("org.freedesktop.DBus.Error.AccessDenied", apparmor))), .automatic)
        case .daemonUnavailable: return (CommandHarness(starting: false), .automatic)
        case .daemonSilent: return (failing(Fault(list, .lost)), .automatic)
        case .daemonRefuses: return (failing(Fault(list, .error("org.bluez.Error.Failed"))), .automatic)
        case .noAdapter: return (CommandHarness(Scenario(adapters: [], peripherals: [])), .automatic)
        case .blocked: return (with(SimulatedAdapter(blocked: true)), .automatic)
        case .poweredOff: return (with(SimulatedAdapter(powered: false)), .automatic)
        default: return (CommandHarness(), .named("hci7"))
        }
    }

    private static func failing(_ fault: Fault) -> CommandHarness {
        var scenario = Scenario(peripherals: [])
        scenario.faults = [fault]
        return CommandHarness(scenario)
    }

    private static func with(_ adapter: SimulatedAdapter) -> CommandHarness {
        CommandHarness(Scenario(adapters: [adapter], peripherals: []))
    }

    @Test(
        arguments: [
            .busUnavailable, .unauthorized, .daemonUnavailable, .daemonSilent, .daemonRefuses, .noAdapter,
            .otherAdapters, .blocked, .poweredOff,
        ] as [Diagnosis.Cause])
    func `Diagnose and the error of scan name the same remedy`(cause: Diagnosis.Cause) throws {
        let (harness, adapter) = Self.setup(cause)
        var options = CommandContext.Options()
        options.adapter = adapter
        let scan = harness.run(ScanVerb(), options)
        let lines = harness.run(DiagnoseVerb(), options)
        options.json = true
        let object = try #require(harness.run(DiagnoseVerb(), options).lines.first.flatMap { ParsedJSON($0) })
        #expect(object["cause"]?.string == cause.rawValue)
        let remedy = try #require(object["findings"]?.items.first?["advice"]?.string)
        #expect(lines.lines.first?.hasSuffix(" " + remedy) == true, "\(lines.lines)")
        #expect(scan.errors.count == 1 && scan.errors.first?.hasSuffix(" " + remedy) == true, "\(scan.errors)")
        #expect(scan.code == lines.code && !remedy.contains("bluetoothctl"))
    }

    @Test func `Works without a bus`() {
        let harness = CommandHarness()
        harness.simulation.bus.shutDown()
        let outcome = harness.run(DiagnoseVerb())
        #expect(outcome.code == .unavailable)
        #expect(outcome.lines.first?.hasPrefix("The system bus is unavailable.") == true)
        #expect((outcome.time ?? 99) < 1)
    }

    @Test func `Ends after 2 s or the time limit if bluetoothd hangs`() {
        let scenario = Scenario {
            SimulatedAdapter()
            Fault("ObjectManager.GetManagedObjects", .lost)
        }
        let outcome = CommandHarness(scenario).run(DiagnoseVerb())
        #expect(outcome.code == .unavailable)
        #expect(outcome.lines.first?.contains("does not answer. Restart it") == true)
        #expect((outcome.time ?? 99) < 2.1)
        let quick = CommandHarness(scenario).run(DiagnoseVerb(), .limited(.milliseconds(500)))
        #expect((quick.time ?? 99) < 0.6)
    }

    @Test func `Prints one JSON object with the same keys for all findings`() throws {
        for harness in [CommandHarness(), CommandHarness(starting: false)] {
            let outcome = harness.run(DiagnoseVerb(), .asJSON)
            #expect(outcome.lines.count == 1)
            let object = try #require(outcome.lines.first.flatMap { ParsedJSON($0) })
            #expect(object["usable"]?.bool == (outcome.code == .done))
            #expect(object["cause"]?.string == (outcome.code == .done ? "idle" : "daemon-unavailable"))
            for key in ["\"bus\":", "\"daemon\":{", "\"adapters\":[", "\"findings\":[{", "\"switches\":["] {
                #expect(outcome.lines.first?.contains(key) == true)
            }
        }
    }

    @Test(arguments: SimulatedBlueZ.Version.allCases)
    func `Names the version of bluetoothd and its known problems, which are no obstacle`(
        version: SimulatedBlueZ.Version
    ) throws {
        var scenario = Scenario.everyday
        scenario.bluez = version
        let outcome = CommandHarness(scenario).run(DiagnoseVerb())
        #expect(outcome.code == .done)
        #expect(outcome.lines.first == "Bluetooth can be used, and this program neither scans nor connects now.")
        #expect(outcome.lines.contains { $0.hasPrefix("bluetoothd \(version) runs as ") })
        let crash = outcome.lines.contains {
            $0.hasPrefix("bluetoothd 5.87 may crash when a program scans with a filter")
        }
        #expect(crash == (version == .v5_87))
        // The reader of this text has a shell, not the library's API.
        #expect(outcome.lines.allSatisfy { !$0.contains("ScanOptions") && !$0.contains(" .") }, "\(outcome.lines)")
        let json = CommandHarness(scenario).run(DiagnoseVerb(), .asJSON)
        let object = try #require(json.lines.first.flatMap { ParsedJSON($0) })
        #expect(object["daemonVersion"]?.string == version.description && object["cause"]?.string == "idle")
        #expect(json.lines.first?.contains("\"cause\":\"known-problem\"") == true)
    }
}
