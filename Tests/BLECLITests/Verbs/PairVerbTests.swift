import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// `pair` and `forget`.
struct PairVerbTests {
    private let address = "C0:FF:EE:00:00:07"

    private func bench(_ pairing: SimulatedPairing = SimulatedPairing()) -> Bench {
        Bench(
            around: SimulatedPeripheral("Lock\u{1B}", address: address) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock\u{1B}")
                pairing
                SimulatedService("fff0") {
                    SimulatedCharacteristic("fff1", .read([0x2A]), protection: .encryption)
                }
            })
    }

    @Test func `pairs, and what was protected is read`() throws {
        let bench = bench()
        let lock = Target.part("lock")
        let refused = bench.run(ReadVerb(target: lock, choice: .uuid(0xFFF1)))
        #expect(refused.code == .failed)
        #expect(
            refused.errors.first?.contains("the peripheral asks for pairing. Pair it first") == true)
        #expect(refused.errors.first?.contains("ble-cli") == true)
        let paired = bench.run(PairVerb(target: lock))
        #expect(paired.code == .done)
        #expect(paired.lines == ["C0:FF:EE:00:00:07 “Lock\\u{1B}” is paired."])
        #expect(bench.run(ReadVerb(target: lock, choice: .uuid(0xFFF1))).lines == ["2a  42"])
        let again = bench.run(PairVerb(target: lock), .asJSON)
        let object = try #require(ParsedJSON(again.lines.first ?? ""))
        #expect(object.keys == ["time", "adapter", "address", "name", "paired", "alreadyPaired"])
        #expect(object["alreadyPaired"]?.bool == true)
        #expect(bench.calls("Pair") == 1)
        #expect(object["paired"]?.bool == true)
    }

    @Test func `gives a passkey, and a wrong one fails`() {
        let bench = bench(SimulatedPairing(.passkeyShown(42), requiresAuthentication: true))
        let wrong = bench.run(PairVerb(target: .part("lock"), passkey: 41))
        #expect(wrong.code == .failed)
        #expect(wrong.errors.first?.contains("Check the passkey") == true)
        let none = bench.run(PairVerb(target: .part("lock")))
        #expect(none.code == .failed)
        #expect(none.errors.first?.contains("Check the passkey") == false)
        #expect(none.errors.first?.contains("give --passkey; if it wants one typed") == true)
        #expect(bench.run(PairVerb(target: .part("lock"), passkey: 42)).code == .done)
    }

    @Test func `a device that is not near is not found`() {
        let outcome = bench().run(PairVerb(target: .part("nobody")))
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.first?.contains("nobody") == true)
    }

    @Test func `Ctrl-C calls the pairing off`() {
        let bench = bench(SimulatedPairing(delay: .seconds(20)))
        let outcome = bench.run(PairVerb(target: .part("lock")), meanwhile: [(5_000, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(bench.calls("Pair") == 1)
        #expect(bench.calls("CancelPairing") == 1)
    }

    @Test func `forgets a device that is not near, and then does not know it`() throws {
        let bench = bench()
        bench.run(PairVerb(target: .part("lock")))
        bench.simulation.bluez.setInRange(false, address)
        bench.advance(120_000)
        let forgotten = bench.run(ForgetVerb(target: .part("lock")))
        #expect(forgotten.code == .done)
        #expect(forgotten.lines == ["C0:FF:EE:00:00:07 “Lock\\u{1B}” is forgotten."])
        let again = bench.run(ForgetVerb(target: .part("lock")))
        #expect(again.code == .notFound)
        #expect(again.errors.count == 1)
        #expect(bench.calls("RemoveDevice") == 1)
    }

    @Test func `A beacon that cannot be paired is not said to be paired perhaps`() {
        let outcome = Bench().run(PairVerb(target: .part("door")), .limited(.seconds(5)))
        #expect(outcome.code == .timedOut)
        #expect(outcome.errors.first?.contains("took effect") == false)
        #expect(outcome.errors.first?.contains("accepts connections") == true)
    }
}
