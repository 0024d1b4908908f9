import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Commands that name a device, which bluetoothd knows, by a part of a word of its name. All times are virtual.
struct KnownPartTests {
    private static let first = "C0:FF:EE:00:01:01"
    private static let second = "C0:FF:EE:00:01:02"

    private static func device(_ name: String, _ address: String, _ value: UInt8) -> SimulatedPeripheral {
        SimulatedPeripheral(name, address: address) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: name)
            SimulatedService("180f") { SimulatedCharacteristic("2a19", .read([value])) }
        }
    }

    /// Returns a harness in which bluetoothd knows “Thermometer” only, and “Thermostat” has come near since then.
    private static func harness() -> CommandHarness {
        let harness = CommandHarness(
            Scenario(peripherals: [device("Thermometer", first, 1), device("Thermostat", second, 2)]))
        harness.simulation.bluez.setInRange(false, second)
        // This scan makes the device known; bluetoothd forgets the device after 30 s.
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.setInRange(true, second)
        return harness
    }

    private static func read(_ part: String) -> ReadVerb {
        ReadVerb(target: .part(part), characteristic: .uuid(0x2A19))
    }

    @Test(arguments: ["trap", "eart ra", "Thermo"])
    func `A known device is read by a part of a word within 0.6 s, also again`(part: String) {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        for _ in 0..<5 {
            let outcome = harness.run(Self.read(part), for: 1)
            #expect(outcome.code == .done, "\(outcome.errors)")
            #expect((outcome.time ?? 9) <= 0.6, "\(outcome.time ?? 9)")
        }
        // The last commands have connected again, because the link of the first ones was closed after 2 s.
        #expect(harness.calls("Disconnect") > 1)
    }

    @Test func `The link of another program is shared without a scan`() {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.competingClient().connect("C0:FF:EE:00:00:01")
        harness.advance(1_000)
        harness.simulation.bluez.forgetCalls()
        let outcome = harness.run(Self.read("trap"))
        #expect(outcome.code == .done && (outcome.time ?? 9) <= 0.6, "\(outcome.time ?? 9) \(outcome.errors)")
        #expect(harness.calls("StartDiscovery") == 0 && harness.calls("Disconnect") == 0)
    }

    @Test func `A kept link is used after a second of listening`() {
        let harness = CommandHarness()
        harness.run(ConnectVerb(target: .part("Heart rate strap"), keepsLink: true), for: 3)
        let outcome = harness.run(Self.read("trap"))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect((1...1.6).contains(outcome.time ?? 9), "\(outcome.time ?? 9)")
    }

    @Test func `A part of the names of several known devices is ambiguous`() {
        let harness = Self.harness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.forgetCalls()
        let outcome = harness.run(Self.read("hermo"))
        #expect(outcome.code == .usage && outcome.errors.count == 1)
        #expect(
            outcome.errors.first?.contains(
                "“hermo” matches 2 devices: \(Self.first) “Thermometer”, \(Self.second) “Thermostat”") == true,
            "\(outcome.errors)")
        #expect(harness.calls("Connect") == 0)
    }

    @Test(arguments: [0, 600])
    func `A part of the names of a known and of another device is ambiguous`(delay: Int) {
        let harness = Self.harness()
        let simulation = harness.simulation
        // With a delay, the other device is heard before the known one.
        simulation.bluez.setInRange(delay == 0, Self.first)
        simulation.bluez.forgetCalls()
        let appears: @Sendable (CommandRunner) -> Void = { _ in simulation.bluez.setInRange(true, Self.first) }
        let outcome = harness.run(Self.read("hermo"), meanwhile: [(delay, appears)])
        #expect(outcome.code == .usage, "\(outcome.lines)")
        #expect(outcome.errors.first?.contains("“hermo” matches 2 devices") == true, "\(outcome.errors)")
        #expect(harness.calls("Connect") == 0)
    }

    @Test func `An unknown device is used if the known one does not advertise`() {
        let harness = Self.harness()
        harness.simulation.bluez.setInRange(false, Self.first)
        let outcome = harness.run(Self.read("hermo"))
        #expect(outcome.code == .done && outcome.lines == ["02  2 %"], "\(outcome.lines) \(outcome.errors)")
        // An unknown device may not be the only one with this part, so others are awaited for a second.
        #expect((1...1.6).contains(outcome.time ?? 9), "\(outcome.time ?? 9)")
    }

    @Test func `A device with exactly the name takes precedence over a known part`() {
        let harness = CommandHarness(
            Scenario(peripherals: [Self.device("Probemeter", Self.first, 1), Self.device("Probe", Self.second, 2)]))
        let bluez = harness.simulation.bluez
        bluez.setInRange(false, Self.second)
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        bluez.setInRange(true, Self.second)
        // The known device is heard first, and the other one within 0.1 s.
        let outcome = harness.run(Self.read("Probe"))
        #expect(outcome.code == .done && outcome.lines == ["02  2 %"], "\(outcome.lines) \(outcome.errors)")
    }
}
