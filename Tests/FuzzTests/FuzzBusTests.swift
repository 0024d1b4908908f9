import DBus
import Testing

@testable import fuzz

struct FuzzBusTests {
    /// Found by the campaign: whoever waited for the owner waited for ever.
    @Test(arguments: ["org.freedesktop.DBus.Error.LimitsExceeded", "org.freedesktop.DBus.Error.NameHasNoOwner"])
    func `Whatever error a bus answers, nobody is told of as the owner`(name: String) throws {
        let bus = FuzzBus([:])
        bus.held = ["GetNameOwner"]
        let told = TallyLog()
        let task = bus.watchOwner(of: "org.bluez") { told.find($0 ?? "nobody") }
        bus.drain()
        let failure = try Corpus.Head.error(name).message([.string("no")])
        #expect(bus.answer("GetNameOwner", failure))
        #expect(told.tally.findings == ["nobody"])
        task.cancel()
    }

    /// Found by the campaign, in case 7,000,000 and some: the reader had stepped past it.
    @Test func `A body that names a descriptor which the message does not bear is refused, and the reader stays`()
        throws
    {
        var bytes = try Corpus.Head.reply.message([.uint32(3), .byte(7)]).bytes
        // The signature in the header, "uy", becomes "hy".
        let place = try #require((0..<bytes.count - 3).first { Array(bytes[$0..<$0 + 4]) == [2, 0x75, 0x79, 0] })
        bytes[place + 1] = UInt8(ascii: "h")
        let message = try #require(Message(bytes: bytes))
        try message.read { (body) throws(DBusError) in
            #expect(throws: DBusError.self) { _ = try body.descriptor().number }
            #expect(body.type.rawValue == 0x68)
            body.skip()
            #expect(try body.byte() == 7)
        }
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
