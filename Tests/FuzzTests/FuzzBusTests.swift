import DBus
import Testing

@testable import fuzz

struct FuzzBusTests {
    // The fuzzing campaign found this defect: after these errors, the handler was never called.
    @Test(arguments: ["org.freedesktop.DBus.Error.LimitsExceeded", "org.freedesktop.DBus.Error.NameHasNoOwner"])
    func `watchOwner reports no owner after any error of the bus`(name: String) throws {
        let bus = FuzzBus([:])
        bus.held = ["GetNameOwner"]
        let owners = TallyLog()
        let task = bus.watchOwner(of: "org.bluez") { owners.find($0 ?? "none") }
        bus.drain()
        let failure = try Corpus.Head.error(name).message([.string("no")])
        #expect(bus.answer("GetNameOwner", failure))
        #expect(owners.tally.findings == ["none"])
        task.cancel()
    }

    // The fuzzing campaign found this defect after 7,000,000 cases: the reader moved past the value.
    @Test func `Reading a descriptor that the message does not contain throws and does not move`() throws {
        var bytes = try Corpus.Head.reply.message([.uint32(3), .byte(7)]).bytes
        // This turns the signature in the header from "uy" into "hy": a descriptor instead of a number.
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

    @Test func `A campaign repeats with the same seed, and differs with another seed`() throws {
        let (first, second) = (try Campaign(seed: 3).run(0..<1_000), try Campaign(seed: 3).run(0..<1_000))
        #expect(first == second)
        #expect(try Campaign(seed: 4).run(0..<1_000) != first)
        // Two runs of 1,000 cases add up to one run of 2,000, because a case does not depend on earlier batches.
        let whole = try Campaign(seed: 3).run(0..<2_000)
        var sum = first
        sum += try Campaign(seed: 3).run(1_000..<2_000)
        #expect(whole == sum)
    }
}
