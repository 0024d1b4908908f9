import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Links on which bluetoothd executes no more operations after a refused pairing.
struct StalledLinkTests {
    private static func device(lastIsProtected: Bool = false) -> SimulatedPeripheral {
        SimulatedPeripheral("Lock", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock")
            SimulatedService("ffd0") {
                SimulatedCharacteristic("ffd1", .read([1]), .write)
                SimulatedCharacteristic("ffd2", .read([2]), .write, protection: .encryption)
                SimulatedCharacteristic("ffd3", .read([3]), protection: lastIsProtected ? .encryption : .none)
            }
        }
    }

    private let lock = Target.part("Lock")
    private let note = "The kept link to C0:FF:EE:00:00:09 “Lock” is closed"

    @Test func `A clone over a kept link connects again, and leaves the link open`() {
        let harness = CommandHarness(around: Self.device())
        harness.run(ConnectVerb(target: lock, keepsLink: true))
        harness.advance(5_000)
        let outcome = harness.run(CloneVerb(target: lock))
        #expect(outcome.code == .done)
        #expect(outcome.errors.contains { $0.contains("Connecting again") }, "\(outcome.errors)")
        #expect(!outcome.lines.contains { $0.contains("executes no more") }, "\(outcome.lines)")
        harness.advance(5_000)
        #expect(harness.run(InfoVerb(target: lock)).lines.contains("  Connected         yes"))
        let read = harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFD1)))
        #expect(read.lines == ["01  1"] && (read.time ?? 9) < 1.2)
    }

    private static let refused: [any Verb] = [true, false].flatMap { keeps -> [any Verb] in
        let lock = Target.part("Lock")
        return [
            ReadVerb(target: lock, characteristic: .uuid(0xFFD2), keepsLink: keeps),
            WriteVerb(
                target: lock, request: WriteRequest(characteristic: .uuid(0xFFD2), value: [1]), keepsLink: keeps),
        ]
    }

    @Test(arguments: refused.indices)
    func `A refused pairing closes a kept link with a note, and the next command works`(index: Int) {
        let harness = CommandHarness(around: Self.device())
        harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFD1), keepsLink: true))
        let outcome = harness.run(Self.refused[index])
        #expect(outcome.code == .failed && outcome.errors.count == 2, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains(note) == true)
        #expect(outcome.errors.last?.contains("ble-cli pair") == true)
        let next = harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFD1), keepsLink: true))
        #expect(next.lines == ["01  1"], "\(next.errors)")
        // A refused pairing ends the link by removing the device, because bluetoothd loses the operation (Q126).
        #expect(harness.calls("RemoveDevice") == 1 && harness.calls("Disconnect") == 0)
    }

    @Test func `A kept link that the last value has stalled is closed with a note`() {
        let harness = CommandHarness(around: Self.device(lastIsProtected: true))
        let outcome = harness.run(ConnectVerb(target: lock, keepsLink: true))
        #expect(outcome.code == .done)
        #expect(outcome.errors.last?.contains(note) == true, "\(outcome.errors)")
        #expect(harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFD1))).lines == ["01  1"])
    }

    @Test func `No note announces another link if the link of another program stays open`() {
        let harness = CommandHarness(around: Self.device())
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.competingClient().connect("C0:FF:EE:00:00:09")
        harness.advance(1_000)
        let outcome = harness.run(ConnectVerb(target: lock))
        #expect(outcome.code == .done && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(harness.calls("Disconnect") == 0)
    }

    @Test func `A command that names a device with a kept link uses it after 1 s`() {
        let harness = CommandHarness(around: Self.device())
        harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFD1), keepsLink: true))
        harness.advance(60_000)
        let outcome = harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFD1)))
        #expect(outcome.lines == ["01  1"] && (outcome.time ?? 9) < 1.2, "\(outcome.time ?? 9)")
        #expect(harness.calls("Disconnect") == 0)
    }

    @Test(arguments: [false, true])
    func `After services with protected values, other steps can use the device`(
        lastIsProtected: Bool
    ) throws {
        let harness = CommandHarness(around: Self.device(lastIsProtected: lastIsProtected))
        let script = try StepScript("connect Lock\nservices\nread FFD1", name: "x")
        let outcome = harness.run(RunVerb(script: script))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.errors.count == 1)
        #expect(outcome.lines.count { $0.contains("FFD2") && $0.contains("ble-cli pair") } == 1)
        #expect(outcome.lines.contains { $0.contains("FFD3") && $0.contains("= 03") } != lastIsProtected)
        #expect(outcome.lines.last == "01  1")
        #expect(harness.calls("Connect") == harness.calls("Disconnect") + harness.calls("RemoveDevice"))
    }

    @Test func `A step that is refused closes a kept link`() throws {
        let harness = CommandHarness(around: Self.device())
        harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFD1), keepsLink: true))
        let outcome = harness.run(RunVerb(script: try StepScript("connect Lock\nread FFD2", name: "x")))
        #expect(outcome.code == .failed && outcome.errors.first?.contains(note) == true, "\(outcome.errors)")
        #expect(harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFD1))).lines == ["01  1"])
    }
}
