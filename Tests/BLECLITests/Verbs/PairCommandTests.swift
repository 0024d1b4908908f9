import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The verbs `pair` and `forget`.
struct PairCommandTests {
    private let address = "C0:FF:EE:00:00:07"

    private func harness(_ pairing: SimulatedPairing = SimulatedPairing()) -> CommandHarness {
        CommandHarness(
            around: SimulatedPeripheral("Lock\u{1B}", address: address) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock\u{1B}")
                pairing
                SimulatedService("fff0") {
                    SimulatedCharacteristic("fff1", .read([0x2A]), protection: .encryption)
                }
            })
    }

    @Test func `After pairing, a protected value can be read`() throws {
        let harness = harness()
        let lock = Target.part("lock")
        let refused = harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFF1)))
        #expect(refused.code == .failed)
        #expect(
            refused.errors.first?.contains("the peripheral requires pairing. Pair it first") == true)
        #expect(refused.errors.first?.contains("ble-cli") == true)
        let paired = harness.run(PairVerb(target: lock))
        #expect(paired.code == .done)
        #expect(paired.lines == ["C0:FF:EE:00:00:07 “Lock\\u{1B}” is paired."])
        #expect(harness.run(ReadVerb(target: lock, characteristic: .uuid(0xFFF1))).lines == ["2a  42"])
        let again = harness.run(PairVerb(target: lock), .asJSON)
        let object = try #require(ParsedJSON(again.lines.first ?? ""))
        #expect(object.keys == ["time", "adapter", "address", "name", "paired", "alreadyPaired", "bonded"])
        #expect(object["alreadyPaired"]?.bool == true)
        #expect(harness.calls("Pair") == 1)
        #expect(object["paired"]?.bool == true)
    }

    @Test func `The hint for a device that is paired already names the commands of a new bond`() {
        let harness = harness()
        #expect(harness.run(PairVerb(target: .part("lock"))).errors.isEmpty)
        let again = harness.run(PairVerb(target: .part("lock")))
        #expect(again.code == .done)
        #expect(again.errors.count == 1)
        #expect(again.errors.first?.contains("no longer has the bond") == true)
        #expect(again.errors.first?.contains("ble-cli forget, then ble-cli pair") == true)
    }

    @Test func `A device that makes no bond is paired until its link ends`() throws {
        let harness = harness(SimulatedPairing(makesBond: false))
        let paired = harness.run(PairVerb(target: .part("lock")), .asJSON)
        #expect(paired.code == .done)
        #expect(ParsedJSON(paired.lines.first ?? "")?["bonded"]?.bool == false)
        let again = harness.run(PairVerb(target: .part("lock")))
        #expect(again.lines == ["C0:FF:EE:00:00:07 “Lock\\u{1B}” is paired until the link ends."])
        #expect(again.errors.count == 1 && again.errors.first?.contains("makes no bond") == true, "\(again.errors)")
        let steps = try StepScript("connect Lock\npair\nread FFF1", name: "x")
        let outcome = harness.run(RunVerb(script: steps))
        #expect(outcome.lines.last == "2a  42", "\(outcome.errors)")
        #expect(harness.run(ReadVerb(target: .part("lock"), characteristic: .uuid(0xFFF1))).code == .failed)
    }

    @Test func `The error of a short encryption key names the key`() {
        let harness = CommandHarness(
            around: SimulatedPeripheral("Lock", address: address) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock")
                SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read { _ in .error(0x0C) }) }
            })
        let outcome = harness.run(ReadVerb(target: .part("lock"), characteristic: .uuid(0xFFF1)))
        #expect(outcome.code == .failed)
        #expect(outcome.errors.first?.contains("the encryption key is too short") == true)
        #expect(outcome.errors.first?.contains("short key, and pair it: ble-cli pair.") == true)
    }

    @Test func `Pairs with a passkey; a wrong one fails`() {
        let harness = harness(SimulatedPairing(.passkeyShown(42), requiresAuthentication: true))
        let wrong = harness.run(PairVerb(target: .part("lock"), passkey: 41))
        #expect(wrong.code == .failed)
        #expect(wrong.errors.first?.contains("Check the passkey") == true)
        let none = harness.run(PairVerb(target: .part("lock")))
        #expect(none.code == .failed)
        #expect(none.errors.first?.contains("Check the passkey") == false)
        #expect(none.errors.first?.contains("give --passkey; if a passkey must be typed") == true)
        #expect(harness.run(PairVerb(target: .part("lock"), passkey: 42)).code == .done)
    }

    @Test(arguments: [true, false], [42_017, 41_018] as [UInt32])
    func `With --verbose, pair prints no passkey`(json: Bool, passkey: UInt32) {
        let harness = harness(SimulatedPairing(.passkeyShown(42_017), requiresAuthentication: true))
        var options = CommandContext.Options()
        options.isVerbose = true
        options.json = json
        let outcome = harness.run(PairVerb(target: .part("lock"), passkey: passkey), options)
        let printed = (outcome.lines + outcome.errors).joined(separator: "\n")
        #expect(outcome.errors.count > 1, "nothing is logged")
        #expect(!printed.contains("42017") && !printed.contains("41018"), "\(printed)")
    }

    @Test(arguments: [true, false])
    func `With --verbose, a passkey that is typed is not printed again`(json: Bool) {
        let harness = harness(SimulatedPairing(.passkeyShown(42_017), requiresAuthentication: true))
        var options = CommandContext.Options()
        options.isVerbose = true
        options.json = json
        for typed in ["42017", "41018"] {
            let outcome = harness.run(PairVerb(target: .part("lock"), keyboard: ScriptedKeyboard(typed)), options)
            let printed = (outcome.lines + outcome.errors).joined(separator: "\n")
            #expect(!printed.contains(typed), "\(printed)")
        }
    }

    @Test func `A device that is out of range is not found`() {
        let outcome = harness().run(PairVerb(target: .part("absent")))
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.first?.contains("absent") == true)
    }

    @Test func `Ctrl-C cancels the pairing`() {
        let harness = harness(SimulatedPairing(delay: .seconds(20)))
        let outcome = harness.run(PairVerb(target: .part("lock")), meanwhile: [(5_000, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(harness.calls("Pair") == 1)
        #expect(harness.calls("CancelPairing") == 1)
    }

    @Test func `Forgets a device that is out of range; a second time, it is not found`() throws {
        let harness = harness()
        harness.run(PairVerb(target: .part("lock")))
        harness.simulation.bluez.setInRange(false, address)
        harness.advance(120_000)
        let forgotten = harness.run(ForgetVerb(target: .address("C0:FF:EE:00:00:07")))
        #expect(forgotten.code == .done)
        #expect(forgotten.lines == ["C0:FF:EE:00:00:07 “Lock\\u{1B}” is forgotten."])
        let again = harness.run(ForgetVerb(target: .address("C0:FF:EE:00:00:07")))
        #expect(again.code == .notFound)
        #expect(again.errors.count == 1)
        #expect(harness.calls("RemoveDevice") == 1)
    }

    @Test func `The error for a beacon that cannot be paired does not mention side effects`() {
        let outcome = CommandHarness().run(PairVerb(target: .part("door")), .limited(.seconds(5)))
        #expect(outcome.code == .timedOut)
        #expect(outcome.errors.first?.contains("took effect") == false)
        #expect(outcome.errors.first?.contains("accepts connections") == true)
    }

    @Test func `Reads a passkey from standard input or a file`() throws {
        let options = { (text: String) in
            var options = PasskeyOption()
            options.passkey = text
            return options
        }
        let read: (String?) throws(CLIError) -> [UInt8] = { path throws(CLIError) in
            Array((path == nil ? "000042\n" : path == "p.txt" ? " 123456\n" : "secret").utf8)
        }
        #expect(try options("-").parsed(read: read) == 42)
        #expect(try options("@p.txt").parsed(read: read) == 123_456)
        let error = #expect(throws: CLIError.self) { try options("@other").parsed(read: read) }
        #expect(error?.text == "The text of --passkey is not a passkey. Give 1 to 6 digits.")
        #expect(throws: CLIError.self) { try StepLanguage.parse("pair Lock --passkey -") }
    }
}
