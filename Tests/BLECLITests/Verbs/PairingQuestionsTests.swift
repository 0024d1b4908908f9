import Rx
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// `pair` on a terminal.
struct PairingQuestionsTests {
    private let lock = Target.part("lock")

    private func bench(_ method: SimulatedPairing.Method, requiresAuthentication: Bool = true) -> Bench {
        Bench(
            around: SimulatedPeripheral("Lock\u{1B}", address: "C0:FF:EE:00:00:07") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock\u{1B}")
                SimulatedPairing(method, requiresAuthentication: requiresAuthentication)
                SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([0x2A]), protection: .authentication) }
            })
    }

    @Test func `Asks for the passkey that the device shows`() {
        let bench = bench(.passkeyShown(42))
        let outcome = bench.run(PairVerb(target: lock, keyboard: Typist("42")))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["C0:FF:EE:00:00:07 “Lock\\u{1B}” is paired."])
        #expect(
            outcome.errors == [
                "ble-cli: Type the passkey of C0:FF:EE:00:00:07 “Lock\\u{1B}”, and press Enter:"
            ])
        #expect(bench.run(ReadVerb(target: lock, choice: .uuid(0xFFF1))).lines == ["2a  42"])
    }

    @Test func `Asks again if what was typed is no passkey`() {
        let outcome = bench(.passkeyShown(42)).run(PairVerb(target: lock, keyboard: Typist("x", "1234567", "42")))
        #expect(outcome.code == .done)
        #expect(outcome.errors.count == 3)
    }

    @Test func `A wrong passkey fails`() {
        let outcome = bench(.passkeyShown(42)).run(PairVerb(target: lock, keyboard: Typist("41")))
        #expect(outcome.code == .failed)
        #expect(outcome.errors.last?.contains("check what was typed") == true)
    }

    @Test(arguments: [["no"], [""], []])
    func `Saying no, nothing or ending the input declines`(lines: [String]) {
        let outcome = bench(.numericComparison(123_456)).run(PairVerb(target: lock, keyboard: Typist(list: lines)))
        #expect(outcome.code == .failed)
        #expect(outcome.errors.last?.contains("not confirmed here") == true)
    }

    @Test func `Shows the passkey that is typed on the device, once`() {
        let outcome = bench(.passkeyEntered(42)).run(PairVerb(target: lock, keyboard: Typist()))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.errors == ["ble-cli: Type 000042 on C0:FF:EE:00:00:07 “Lock\\u{1B}”."])
    }

    @Test func `Asks whether both show the same number`() {
        let outcome = bench(.numericComparison(123_456)).run(PairVerb(target: lock, keyboard: Typist("yes")))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains("show 123456? Type yes or no") == true)
    }

    @Test func `A device that wants no passkey is paired without a question`() {
        let outcome = bench(.justWorks, requiresAuthentication: false).run(PairVerb(target: lock, keyboard: Typist()))
        #expect(outcome.code == .done)
        #expect(outcome.errors.isEmpty)
    }

    @Test func `Says that a device is paired already, and asks bluetoothd for no pairing`() {
        let bench = bench(.justWorks, requiresAuthentication: false)
        #expect(bench.run(PairVerb(target: lock)).code == .done)
        let again = bench.run(PairVerb(target: lock, passkey: 42))
        #expect(again.code == .done)
        #expect(again.lines == ["C0:FF:EE:00:00:07 “Lock\\u{1B}” is paired already."])
        #expect(again.errors.first?.contains("The passkey was not needed") == true)
        #expect(bench.calls("Pair") == 1)
    }
}

/// A person who types these lines, one for each question, and then ends the input.
final class Typist: Keyboard {
    private let lines: Guarded<[String]>

    convenience init(_ lines: String...) { self.init(list: lines) }

    init(list lines: [String]) { self.lines = Guarded(lines) }

    func line() -> Single<String?> {
        Single.deferred { [self] in .just(lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }) }
    }
}
