import Rx
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The questions that `pair` prints on a terminal, and the answers of the user.
struct PairingQuestionsTests {
    private let lock = Target.part("lock")

    private func harness(_ method: SimulatedPairing.Method, requiresAuthentication: Bool = true) -> CommandHarness {
        CommandHarness(
            around: SimulatedPeripheral("Lock\u{1B}", address: "C0:FF:EE:00:00:07") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock\u{1B}")
                SimulatedPairing(method, requiresAuthentication: requiresAuthentication)
                SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([0x2A]), protection: .authentication) }
            })
    }

    @Test func `Prompts for the passkey that the device shows`() {
        let harness = harness(.passkeyShown(42))
        let outcome = harness.run(PairVerb(target: lock, keyboard: ScriptedKeyboard("42")))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["C0:FF:EE:00:00:07 “Lock\\u{1B}” is paired."])
        #expect(
            outcome.errors == [
                "ble-cli: Type the passkey of C0:FF:EE:00:00:07 “Lock\\u{1B}”, and press Enter:"
            ])
        #expect(harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFF1))).lines == ["2a  42"])
    }

    @Test func `Prompts again after an invalid passkey`() {
        let outcome = harness(.passkeyShown(42)).run(
            PairVerb(target: lock, keyboard: ScriptedKeyboard("x", "1234567", "42")))
        #expect(outcome.code == .done)
        #expect(outcome.errors.count == 3)
    }

    @Test func `A wrong passkey fails the pairing`() {
        let outcome = harness(.passkeyShown(42)).run(PairVerb(target: lock, keyboard: ScriptedKeyboard("41")))
        #expect(outcome.code == .failed)
        #expect(outcome.errors.last?.contains("check the passkey or PIN that you typed") == true)
    }

    @Test(arguments: [["no"], [""], []])
    func `Typing no, nothing, or ending the input declines the pairing`(lines: [String]) {
        let outcome = harness(.numericComparison(123_456)).run(
            PairVerb(target: lock, keyboard: ScriptedKeyboard(list: lines)))
        #expect(outcome.code == .failed)
        #expect(outcome.errors.last?.contains("You declined the pairing.") == true)
    }

    @Test func `Shows the passkey to type on the device once`() {
        let outcome = harness(.passkeyEntered(42)).run(PairVerb(target: lock, keyboard: ScriptedKeyboard()))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.errors == ["ble-cli: Type 000042 on C0:FF:EE:00:00:07 “Lock\\u{1B}”."])
    }

    @Test func `Prompts whether both show the same number`() {
        let outcome = harness(.numericComparison(123_456)).run(
            PairVerb(target: lock, keyboard: ScriptedKeyboard("yes")))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains("show 123456? Type yes or no") == true)
    }

    @Test func `A device that needs no passkey is paired without a prompt`() {
        let outcome = harness(.justWorks, requiresAuthentication: false).run(
            PairVerb(target: lock, keyboard: ScriptedKeyboard()))
        #expect(outcome.code == .done)
        #expect(outcome.errors.isEmpty)
    }

    @Test func `A device that is already paired is reported and not paired again`() {
        let harness = harness(.justWorks, requiresAuthentication: false)
        #expect(harness.run(PairVerb(target: lock)).code == .done)
        let again = harness.run(PairVerb(target: lock, passkey: 42))
        #expect(again.code == .done)
        #expect(again.lines == ["C0:FF:EE:00:00:07 “Lock\\u{1B}” is paired already."])
        #expect(again.errors.first?.contains("The passkey was not needed") == true)
        #expect(harness.calls("Pair") == 1)
    }
}

/// A keyboard that types one given line for each prompt, and then ends the input.
final class ScriptedKeyboard: Keyboard {
    private let lines: Guarded<[String]>

    convenience init(_ lines: String...) { self.init(list: lines) }

    init(list lines: [String]) { self.lines = Guarded(lines) }

    func line() -> Single<String?> {
        Single.deferred { [self] in .just(lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }) }
    }
}
