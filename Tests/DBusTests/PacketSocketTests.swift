import Glibc
import TestTraits
import Testing

@testable import DBus

struct PacketSocketTests {
    private func pair() throws -> Ends {
        var number: Int32 = -1
        let ours = try PacketSocket.pair { (theirs) throws(DBusError) in number = dup(theirs.number) }
        return Ends(ours: ours, theirs: PacketSocket(adopting: OwnedDescriptor(adopting: number)))
    }

    private struct Ends: ~Copyable {
        let ours: PacketSocket
        let theirs: PacketSocket

        /// Closes our end of the socket pair, and returns the other end.
        consuming func closingOurs() -> PacketSocket { theirs }
    }

    @Test func `Packets stay apart both ways, and nothing blocks`() throws {
        let ends = try pair()
        #expect(ends.ours.receive() == .nothing)
        let sent = [ends.ours.send([1, 2]), ends.ours.send([3]), ends.theirs.send([4])]
        #expect(sent == [true, true, true])
        #expect(ends.theirs.receive() == .packet([1, 2]))
        #expect(ends.theirs.receive(upTo: 1) == .packet([3]))
        #expect(ends.ours.receive() == .packet([4]))
        #expect(fcntl(ends.ours.number, F_GETFD) == FD_CLOEXEC)
    }

    @Test(.proves(.Q100)) func `A packet is truncated to the requested length`() throws {
        let ends = try pair()
        ends.ours.send([UInt8](repeating: 7, count: 600))
        #expect(ends.theirs.receive(upTo: 512) == .packet([UInt8](repeating: 7, count: 512)))
        #expect(ends.theirs.receive() == .nothing)
    }

    @Test(.proves(.Q107)) func `A closed other end ends receiving, and sending fails without a signal`() throws {
        let ours = try PacketSocket.pair { _ in }
        #expect(ours.receive() == .ended)
        let isSent = ours.send([1])
        #expect(!isSent)
    }

    @Test(.proves(.Q107)) func `The other end is ended although a copy of the descriptor is open`() throws {
        let ends = try pair()
        let copy = OwnedDescriptor(adopting: dup(ends.ours.number))
        ends.ours.send([1])
        let theirs = ends.closingOurs()
        #expect(theirs.receive() == .packet([1]))
        #expect(theirs.receive() == .ended)
        copy.close()
    }

    @Test(.proves(.Q106)) func `A full socket loses packets`() throws {
        let ends = try pair()
        var count = 0
        while ends.ours.send([0]), count < 1_000_000 { count += 1 }
        #expect((1..<1_000_000).contains(count))
    }

    @Test(.proves(.Q14)) func `Both ends are closed if the closure throws`() throws {
        var number: Int32 = -1
        do throws(DBusError) {
            let ours = try PacketSocket.pair { (theirs) throws(DBusError) in
                number = dup(theirs.number)
                throw .noReply("no")
            }
            Issue.record("The pair was made, with socket \(ours.number).")
        } catch { #expect(error == .noReply("no")) }
        let theirs = PacketSocket(adopting: OwnedDescriptor(adopting: number))
        #expect(theirs.receive() == .ended)
    }
}
