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

    @Test func `Waiting packets are received together, up to a limit`() throws {
        let ends = try pair()
        for number in 0..<10 as Range<UInt8> { ends.theirs.send([number, number]) }
        var packets: [[UInt8]] = []
        let first = ends.ours.receiveWaiting(into: &packets, atMost: 4)
        #expect(first == .limitReached)
        #expect(packets == (0..<4 as Range<UInt8>).map { [$0, $0] })
        let second = ends.ours.receiveWaiting(into: &packets, atMost: 100, upTo: 1)
        #expect(second == .isEmpty)
        #expect(Array(packets.dropFirst(4)) == (4..<10 as Range<UInt8>).map { [$0] })
        let third = ends.ours.receiveWaiting(into: &packets, atMost: 100)
        #expect(third == .isEmpty)
        #expect(packets.count == 10)
        #expect(packets.allSatisfy { $0.capacity < 64 })
    }

    @Test(.proves(.Q107)) func `Packets without bytes are received, and the end follows the last packet`() throws {
        let ends = try pair()
        var number: Int32 = -1
        let other = try PacketSocket.pair { (theirs) throws(DBusError) in number = dup(theirs.number) }
        let ours = PacketSocket(adopting: OwnedDescriptor(adopting: number))
        for packet in [[1], [], [2], []] as [[UInt8]] {
            ends.theirs.send(packet)
            other.send(packet)
        }
        var packets: [[UInt8]] = []
        let open = ends.ours.receiveWaiting(into: &packets, atMost: 100)
        #expect(open == .isEmpty)
        #expect(packets == [[1], [], [2], []])
        // Only the sending direction of `other` ends, as if a program still received.
        shutdown(other.number, Int32(SHUT_WR))
        var last: [[UInt8]] = []
        let ended = ours.receiveWaiting(into: &last, atMost: 100)
        #expect(ended == .ended)
        #expect(last == [[1], [], [2]])
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
