import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Commands for a device that has changed its private address since bluetoothd received it.
struct ChangedAddressTests {
    private static let first = "4A:FF:EE:00:03:01"
    private static let present = "4B:FF:EE:00:04:02"
    private static let other = "5C:FF:EE:00:05:03"

    private static func device(
        _ name: String = "Tag", _ address: String = Self.first,
        _ connection: SimulatedConnection = SimulatedConnection(), every interval: Duration = .milliseconds(200),
        firstAfter first: Duration? = nil
    ) -> SimulatedPeripheral {
        SimulatedPeripheral(name, address: address) {
            SimulatedAdvertisement(every: interval, rssi: -50, name: name, firstAfter: first)
            connection
            SimulatedService("ffe0") {
                SimulatedCharacteristic("ffe1", .read([1]), .notify(every: .seconds(1)) { _ in [1] })
            }
        }
    }

    /// Returns a harness in which bluetoothd knows the device by its earlier address only.
    ///
    /// - Parameter other: A device that bluetoothd has not received yet.
    private static func harness(
        _ device: SimulatedPeripheral = Self.device(), to present: String = Self.present,
        other: SimulatedPeripheral? = nil
    ) -> CommandHarness {
        let harness = CommandHarness(Scenario(peripherals: [device] + (other.map { [$0] } ?? [])))
        if let other { harness.simulation.bluez.setInRange(false, other.address) }
        // This scan makes the device known; bluetoothd forgets the device after 30 s.
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.rotateAddress(of: device.address, to: present)
        if let other { harness.simulation.bluez.setInRange(true, other.address) }
        harness.simulation.bluez.forgetCalls()
        return harness
    }

    private static func read(_ target: Target = .part("Tag")) -> ReadVerb {
        ReadVerb(target: target, characteristic: .uuid(0xFFE1))
    }

    private static let verbs: [any Verb] = [
        read(), read(.part("ta")), ConnectVerb(target: .part("tag")),
        ConnectVerb(target: .part("Tag"), keepsLink: true),
        NotifyVerb(target: .part("Tag"), characteristic: .uuid(0xFFE1), count: 1),
        NotifyVerb(target: .part("Tag"), characteristic: .uuid(0xFFE1), count: 1, reconnects: true),
    ]

    @Test(arguments: verbs.indices)
    func `A command connects to the present address of a device with a name`(index: Int) {
        let harness = Self.harness()
        let outcome = harness.run(Self.verbs[index])
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(!outcome.lines.isEmpty && (outcome.time ?? 9) < 6, "\(outcome.time ?? 9)")
        #expect(harness.calls("StartDiscovery") == harness.calls("StopDiscovery"))
    }

    @Test func `A note names both addresses`() {
        let harness = Self.harness()
        let outcome = harness.run(Self.read())
        #expect(outcome.lines == ["01  1"] && outcome.errors.count == 1, "\(outcome.errors)")
        let note = outcome.errors.first ?? ""
        #expect(note.contains("\(Self.first) “Tag” is not connected yet") && note.contains(Self.present), "\(note)")
        #expect(harness.calls("Connect") == 2 && harness.calls("StartDiscovery") == 1)
    }

    @Test func `The step connect of a script uses the present address`() throws {
        let script = try StepScript("connect Tag\nread FFE1", name: "x.steps")
        let outcome = Self.harness().run(RunVerb(script: script))
        #expect(outcome.code == .done && outcome.lines == ["01  1"], "\(outcome.errors)")
    }

    @Test func `A short time limit leaves time to connect to the present address`() {
        let outcome = Self.harness().run(Self.read(), .limited(.seconds(3)))
        #expect(outcome.code == .done && outcome.lines == ["01  1"], "\(outcome.errors)")
    }

    @Test func `A device with a static address is not searched for again`() {
        let harness = Self.harness(Self.device("Tag", "C0:FF:EE:00:03:01"), to: "C0:FF:EE:00:04:02")
        let outcome = harness.run(Self.read())
        #expect(outcome.code == .timedOut && outcome.errors.count == 1, "\(outcome.errors)")
        #expect(harness.calls("Connect") == 1 && harness.calls("StartDiscovery") == 0)
    }

    @Test func `A static address is not the present address of a device with a private one`() {
        let harness = Self.harness(to: "C0:FF:EE:00:04:02")
        let outcome = harness.run(Self.read())
        #expect(outcome.code == .timedOut && harness.calls("Connect") == 1, "\(outcome.errors)")
    }

    @Test(arguments: [first, "4a:ff"])
    func `A device that is given by its address is not searched for by its name`(target: String) throws {
        let harness = Self.harness()
        let outcome = harness.run(Self.read(try Target(parsing: target)))
        #expect(outcome.code == .timedOut && outcome.lines.isEmpty, "\(outcome.errors)")
        #expect(harness.calls("Connect") == 1)
    }

    @Test func `Two present devices with the name are ambiguous`() {
        let harness = Self.harness(other: Self.device("Tag", Self.other))
        let outcome = harness.run(Self.read())
        #expect(outcome.code == .usage && outcome.errors.count == 1)
        let text = outcome.errors.first ?? ""
        #expect(text.contains("matches 2 devices") && !text.contains(Self.first), "\(text)")
        #expect(text.contains(Self.present) && text.contains(Self.other), "\(text)")
        #expect(harness.calls("StartDiscovery") == harness.calls("StopDiscovery"))
    }

    @Test func `A device with another name is not connected instead`() {
        let harness = Self.harness(Self.device("Tag 7F"), other: Self.device("Tag 9", Self.other))
        harness.simulation.bluez.setInRange(false, Self.first)
        let outcome = harness.run(Self.read())
        #expect(outcome.code == .timedOut && outcome.lines.isEmpty, "\(outcome.errors)")
        #expect(harness.calls("Connect") == 1)
    }

    @Test func `A device that advertises but refuses the link is not searched for again`() {
        let harness = CommandHarness(around: Self.device("Tag", Self.first, SimulatedConnection(failures: 99)))
        // This scan makes the device known, so the command does not scan before it connects.
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let outcome = harness.run(Self.read())
        #expect(outcome.code == .failed && outcome.errors.count == 1, "\(outcome.errors)")
        #expect((outcome.time ?? 9) < 6, "\(outcome.time ?? 9)")
    }

    @Test(arguments: [true, false])
    func `A heard device that connects slowly is not replaced by one of its name`(connects: Bool) {
        let delay = Duration.milliseconds(connects ? 4_500 : 60_000)
        // A scan of a second, which hears the other device, does not hear this one.
        let slow = Self.device(
            "Tag", Self.first, SimulatedConnection(delay: delay), every: .seconds(2), firstAfter: .milliseconds(1_500))
        let harness = CommandHarness(Scenario(peripherals: [slow, Self.device("Tag", Self.other)]))
        let simulation = harness.simulation
        simulation.bluez.setInRange(false, Self.other)
        let outcome = harness.run(
            Self.read(), .limited(.seconds(12)),
            meanwhile: [(2_000, { _ in simulation.bluez.setInRange(true, Self.other) })])
        #expect(outcome.code == (connects ? .done : .timedOut), "\(outcome.errors)")
        #expect(outcome.lines == (connects ? ["01  1"] : []))
        #expect(outcome.errors.count == (connects ? 0 : 1) && harness.calls("Connect") == 1, "\(outcome.errors)")
    }

    @Test(arguments: [true, false])
    func `After an error of Connect, the search lasts until the time limit`(returns: Bool) {
        let harness = Self.harness()
        let simulation = harness.simulation
        simulation.bluez.setInRange(false, Self.first)
        simulation.bluez.add(
            Fault("Device1.Connect", calls: .first(1), .error("org.bluez.Error.Failed", "le-connection-refused")))
        let outcome = harness.run(
            Self.read(), .limited(.seconds(8)),
            meanwhile: [(4_000, { _ in if returns { simulation.bluez.setInRange(true, Self.first) } })])
        #expect(outcome.code == (returns ? .done : .failed), "\(outcome.errors)")
        #expect(outcome.lines == (returns ? ["01  1"] : []))
        // Without another device, the error is that of the attempt.
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("le-connection-refused") == !returns, "\(outcome.errors)")
        #expect(harness.calls("Connect") == (returns ? 2 : 1))
        #expect((returns ? 4.0...7.0 : 8.0...9.0).contains(outcome.time ?? 0), "\(outcome.time ?? 0)")
    }
}
