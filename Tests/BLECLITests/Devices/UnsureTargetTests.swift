import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Targets that a known device has, but also another one, which advertises each second. All times are virtual.
struct UnsureTargetTests {
    private static let mouse = "C0:FF:EE:00:5F:01"
    private static let lamp = "C0:FF:EE:00:01:5F"
    private static let value = CharacteristicArgument.uuid(0xFFE1)

    private static func device(_ name: String, _ address: String, after first: Duration) -> SimulatedPeripheral {
        SimulatedPeripheral(name, address: address) {
            SimulatedAdvertisement(every: .seconds(1), rssi: -50, name: name, firstAfter: first)
            SimulatedService("ffe0") { SimulatedCharacteristic("ffe1", .read([1]), .write) }
        }
    }

    /// Returns a harness in which bluetoothd knows the mouse only, and the lamp has come near since then.
    ///
    /// A scan hears the mouse after 0.05 s, unless it is connected, and the lamp after 0.8 s.
    private static func harness(isConnected: Bool, hasLamp: Bool = true) -> CommandHarness {
        let harness = CommandHarness(
            Scenario(peripherals: [
                device("Desk mouse", mouse, after: .milliseconds(50)),
                device("House lamp", lamp, after: .milliseconds(800)),
            ]))
        let bluez = harness.simulation.bluez
        bluez.setInRange(false, lamp)
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        if isConnected {
            bluez.competingClient().connect(mouse)
            harness.advance(1_000)
        }
        bluez.setInRange(hasLamp, lamp)
        bluez.forgetCalls()
        return harness
    }

    private static func read(_ part: String, keepsLink: Bool = false) -> ReadVerb {
        ReadVerb(target: .part(part), characteristic: value, keepsLink: keepsLink)
    }

    private static func write(_ part: String, keepsLink: Bool = false) -> WriteVerb {
        WriteVerb(
            target: .part(part), request: WriteRequest(characteristic: value, value: [1]), keepsLink: keepsLink)
    }

    /// Commands with a part of both addresses, and commands that change the device with a part of both names.
    private static let unsure: [any Verb] = [
        read("5F"), read("5f", keepsLink: true), write("5F"), write("5F", keepsLink: true),
        PairVerb(target: .part("5F")), write("ous"), write("ous", keepsLink: true), PairVerb(target: .part("ous")),
    ]

    @Test(arguments: unsure.indices, [false, true])
    func `A part that another device has, too, is ambiguous`(index: Int, isConnected: Bool) {
        let harness = Self.harness(isConnected: isConnected)
        let outcome = harness.run(Self.unsure[index])
        #expect(outcome.code == .usage && outcome.errors.count == 1, "\(outcome.lines) \(outcome.errors)")
        #expect(outcome.errors.first?.contains("matches 2 devices") == true, "\(outcome.errors)")
        #expect(harness.calls("Connect", "ReadValue", "WriteValue", "Pair") == 0)
    }

    @Test(arguments: [false, true])
    func `A part of a word is enough to read the known device`(isConnected: Bool) {
        let harness = Self.harness(isConnected: isConnected)
        let outcome = harness.run(Self.read("ous"))
        #expect(outcome.code == .done && (outcome.time ?? 9) <= 0.6, "\(outcome.time ?? 9) \(outcome.errors)")
    }

    @Test(arguments: [false, true])
    func `A whole word is enough to write to the known device`(isConnected: Bool) {
        let harness = Self.harness(isConnected: isConnected)
        let outcome = harness.run(Self.write("mouse"))
        #expect(outcome.code == .done && (outcome.time ?? 9) <= 0.6, "\(outcome.time ?? 9) \(outcome.errors)")
        #expect(harness.calls("StartDiscovery") == 0)
    }

    @Test func `A write over a kept link does not prefer the connected one of two devices`() {
        let harness = CommandHarness(
            Scenario(peripherals: [
                Self.device("Hall lamp", Self.mouse, after: .milliseconds(50)),
                Self.device("House lamp", Self.lamp, after: .milliseconds(50)),
            ]))
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.competingClient().connect(Self.mouse)
        harness.advance(1_000)
        let outcome = harness.run(Self.write("lamp", keepsLink: true))
        #expect(outcome.code == .usage && harness.calls("WriteValue") == 0, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains("matches 2 devices") == true, "\(outcome.errors)")
    }

    @Test(arguments: [("ous", false), ("ous", true), ("5F", false)])
    func `A write by a part listens for a second, and uses the only match`(part: String, isConnected: Bool) {
        let harness = Self.harness(isConnected: isConnected, hasLamp: false)
        let outcome = harness.run(Self.write(part))
        #expect(outcome.code == .done && harness.calls("WriteValue") == 1, "\(outcome.errors)")
        #expect((1...1.6).contains(outcome.time ?? 9), "\(outcome.time ?? 9)")
    }

    @Test func `A connected device is used by a part of its address after 3 s`() {
        let harness = Self.harness(isConnected: true, hasLamp: false)
        let outcome = harness.run(Self.read("5F"))
        #expect(outcome.code == .done && (3...3.6).contains(outcome.time ?? 9), "\(outcome.errors)")
    }
}
