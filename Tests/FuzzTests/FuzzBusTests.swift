import DBus
import Testing

@testable import fuzz

struct FuzzBusTests {
    /// Found by the campaign: whoever waited for the owner waited for ever.
    @Test(arguments: ["org.freedesktop.DBus.Error.LimitsExceeded", "org.freedesktop.DBus.Error.NameHasNoOwner"])
    func `Whatever error a bus answers, nobody is told of as the owner`(name: String) throws {
        let bus = FuzzBus([:])
        bus.held = ["GetNameOwner"]
        let told = Ledger()
        let task = bus.watchOwner(of: "org.bluez") { told.find($0 ?? "nobody") }
        bus.drain()
        let failure = try Corpus.Head.error(name).message([.string("no")])
        #expect(bus.answer("GetNameOwner", failure))
        #expect(told.tally.findings == ["nobody"])
        task.cancel()
    }

    @Test func `What the mutators make repeats, and another seed makes something else`() throws {
        let (first, second) = (try Campaign(seed: 3).run(0..<1_000), try Campaign(seed: 3).run(0..<1_000))
        #expect(first == second)
        #expect(try Campaign(seed: 4).run(0..<1_000) != first)
        // A case does not depend on those of the stretches before it.
        let whole = try Campaign(seed: 3).run(0..<2_000)
        var sum = first
        sum += try Campaign(seed: 3).run(1_000..<2_000)
        #expect(whole == sum)
    }
}
