import DBus
import Dispatch
import Glibc
import Synchronization
import Testing

/// A connection's thread hears of sockets, whether its bus is there or not.
struct SocketWatchTests {
    private func pair() throws -> (SharedSocket, SharedSocket) {
        var number: Int32 = -1
        let ours = try PacketSocket.pair { (theirs) throws(DBusError) in number = dup(theirs.number) }
        return (SharedSocket(ours), SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: number))))
    }

    @Test func `Packets and the end are heard in the bus's context, in order`() async throws {
        let connection = Connection.open(.address("unix:path=/nonexistent/bus"))
        let (ours, theirs) = try pair()
        let (packets, told) = AsyncStream<PacketSocket.ReceiveResult>.makeStream()
        let task = connection.watch(ours, for: .readable) {
            connection.preconditionInContext()
            while true {
                let received = ours.socket.receive()
                if received == .nothing { return }
                told.yield(received)
                if received == .ended { return told.finish() }
            }
        }
        #expect(theirs.socket.trySend([1]) == .sent)
        #expect(theirs.socket.trySend([2, 3]) == .sent)
        var heard: [PacketSocket.ReceiveResult] = []
        for await packet in packets {
            heard.append(packet)
            if heard.count == 2 { #expect(shutdown(theirs.socket.number, Int32(SHUT_RDWR)) == 0) }
        }
        task.cancel()
        #expect(heard == [.packet([1]), .packet([2, 3]), .ended])
        #expect(theirs.socket.trySend([4]) == .ended)
    }

    @Test func `A full socket is heard when it takes packets again, and not after cancelling`() async throws {
        let connection = Connection.open(.address("unix:path=/nonexistent/bus"))
        let (ours, theirs) = try pair()
        var sent = 0
        while ours.socket.trySend([7]) == .sent { sent += 1 }
        #expect(sent > 10)
        let (ready, told) = AsyncStream<Void>.makeStream()
        let task = connection.watch(ours, for: .writable) { told.yield() }
        while case .packet = theirs.socket.receive() {}
        for await _ in ready { break }
        #expect(ours.socket.trySend([8]) == .sent)
        task.cancel()
        // What the thread does after this, it does without the socket.
        await withCheckedContinuation { done in connection.perform { done.resume() } }
        let count = Mutex(0)
        let again = connection.watch(ours, for: .writable) { count.withLock { $0 += 1 } }
        again.cancel()
        await withCheckedContinuation { done in connection.perform { done.resume() } }
        // What the thread heard before it was told counts; the socket still takes packets, at each of its turns.
        let before = count.withLock { $0 }
        for _ in 0..<10 { await withCheckedContinuation { done in connection.perform { done.resume() } } }
        #expect(count.withLock { $0 } == before)
    }

    @Test func `A watch that was cancelled before it started does not take the place of another`() async throws {
        let connection = Connection.open(.address("unix:path=/nonexistent/bus"))
        let (ours, theirs) = try pair()
        let (isHeld, release) = (Promise<Bool>(), DispatchSemaphore(value: 0))
        let first = Record<BusTask>()
        let ready = Record<String>()
        // Holds the context, so that the start of the first watch waits behind this work.
        connection.perform {
            isHeld.fulfil(true)
            release.wait()
            for task in first.elements { task.cancel() }
            _ = connection.watch(ours, for: .readable) {
                if ours.socket.receive() != .nothing { ready.add("second") }
            }
        }
        _ = try await isHeld.value()
        first.add(connection.watch(ours, for: .readable) { ready.add("first") })
        release.signal()
        await withCheckedContinuation { done in connection.perform { done.resume() } }
        #expect(theirs.socket.trySend([1]) == .sent)
        #expect(try await ready.first(1) == ["second"])
        connection.close()
    }
}
