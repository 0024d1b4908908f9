import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Operations that bluetoothd refuses because of a lost link before it reports the loss.
struct LateLossTests {
    private static let read = ReadVerb(target: .address("C0:FF:EE:00:00:01"), characteristic: .uuid(0x2A19))

    /// Runs a verb whose operation is refused, and returns its messages.
    ///
    /// - Parameter isLost: Whether the link ends a second after the operation.
    private func messages(of verb: any Verb, isLost: Bool) -> [String] {
        var scenario = Scenario.everyday
        scenario.bluez = .v5_82
        let harness = CommandHarness(scenario)
        let bluez = harness.simulation.bluez
        bluez.add(Fault("ReadValue", .error("org.bluez.Error.Failed", "Not connected")))
        if isLost {
            bluez.add(Fault("ReadValue", .meanwhile(after: .seconds(1)) { $0.dropLink(to: "C0:FF:EE:00:00:01") }))
        }
        let outcome = harness.run(verb)
        #expect(outcome.code == .failed)
        return outcome.errors
    }

    @Test func `The error has the reason of the loss, which arrives later`() throws {
        let steps = RunVerb(script: try StepScript("connect Heart\nread 2A19", name: "x"))
        for verb in [Self.read, steps] as [any Verb] {
            let texts = messages(of: verb, isLost: true)
            #expect(!texts.isEmpty && texts.allSatisfy { $0.contains("the link was lost") }, "\(texts)")
            #expect(texts.allSatisfy { !$0.contains("not connected") }, "\(texts)")
        }
    }

    @Test func `Without a loss, the error blames no other program`() {
        let texts = messages(of: Self.read, isLost: false)
        #expect(texts.count == 1)
        #expect(texts.first?.contains("The link has ended, and its cause is not known. Run the command") == true)
        #expect(texts.first?.contains("nother program") == false)
    }
}
