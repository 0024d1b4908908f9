import Glibc
import Testing

@testable import DBus

/// Sockets that keep packets apart.
struct PacketSocketTests {
    private func pair() throws -> Ends {
        var number: Int32 = -1
        let ours = try PacketSocket.pair { (theirs) throws(DBusError) in number = dup(theirs.number) }
        return Ends(ours: ours, theirs: PacketSocket(adopting: OwnedDescriptor(adopting: number)))
    }

    private struct Ends: ~Copyable {
        let ours: PacketSocket
        let theirs: PacketSocket

        /// Closes our end, and returns the other one.
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

    @Test func `Q100 what is longer than asked for is cut off`() throws {
        let ends = try pair()
        ends.ours.send([UInt8](repeating: 7, count: 600))
        #expect(ends.theirs.receive(upTo: 512) == .packet([UInt8](repeating: 7, count: 512)))
        #expect(ends.theirs.receive() == .nothing)
    }

    @Test func `Q107 the other end's end is told after its packets, and sending fails without a signal`() throws {
        let ours = try PacketSocket.pair { _ in }
        #expect(ours.receive() == .ended)
        let isSent = ours.send([1])
        #expect(!isSent)
    }

    @Test func `Q107 The other end sees the end although a copy of the descriptor is open`() throws {
        let ends = try pair()
        let copy = OwnedDescriptor(adopting: dup(ends.ours.number))
        ends.ours.send([1])
        let theirs = ends.closingOurs()
        #expect(theirs.receive() == .packet([1]))
        #expect(theirs.receive() == .ended)
        copy.close()
    }

    @Test func `Q106 a full socket loses what comes`() throws {
        let ends = try pair()
        var count = 0
        while ends.ours.send([0]), count < 1_000_000 { count += 1 }
        #expect((1..<1_000_000).contains(count))
    }

    @Test func `Q14 an end is closed where lending it fails`() throws {
        var number: Int32 = -1
        do throws(DBusError) {
            let ours = try PacketSocket.pair { (theirs) throws(DBusError) in
                number = dup(theirs.number)
                throw .noReply("no")
            }
            Issue.record("There is a socket \(ours.number).")
        } catch { #expect(error == .noReply("no")) }
        let theirs = PacketSocket(adopting: OwnedDescriptor(adopting: number))
        #expect(theirs.receive() == .ended)
    }
}
