import DBus
import Dispatch
import Glibc
import Synchronization
import Testing

/// Sockets can be watched even if the connection has no bus.
struct SocketWatchTests {
    private func pair() throws -> (SharedSocket, SharedSocket) {
        var number: Int32 = -1
        let ours = try PacketSocket.pair { (theirs) throws(DBusError) in number = dup(theirs.number) }
        return (SharedSocket(ours), SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: number))))
    }

    @Test func `A watch reports packets and the end in the bus's context, in order`() async throws {
        let connection = Connection.open(.address("unix:path=/nonexistent/bus"))
        let (ours, theirs) = try pair()
        let (packets, continuation) = AsyncStream<PacketSocket.ReceiveResult>.makeStream()
        let task = connection.watch(ours, for: .readable) {
            connection.preconditionInContext()
            while true {
                let received = ours.socket.receive()
                if received == .nothing { return }
                continuation.yield(received)
                if received == .ended { return continuation.finish() }
            }
        }
        #expect(theirs.socket.trySend([1]) == .sent)
        #expect(theirs.socket.trySend([2, 3]) == .sent)
        var results: [PacketSocket.ReceiveResult] = []
        for await packet in packets {
            results.append(packet)
            if results.count == 2 { #expect(shutdown(theirs.socket.number, Int32(SHUT_RDWR)) == 0) }
        }
        task.cancel()
        #expect(results == [.packet([1]), .packet([2, 3]), .ended])
        #expect(theirs.socket.trySend([4]) == .ended)
    }

    @Test func `A watch reports when a full socket is writable again, and stops when cancelled`() async throws {
        let connection = Connection.open(.address("unix:path=/nonexistent/bus"))
        let (ours, theirs) = try pair()
        var sent = 0
        while ours.socket.trySend([7]) == .sent { sent += 1 }
        #expect(sent > 10)
        let (ready, continuation) = AsyncStream<Void>.makeStream()
        let task = connection.watch(ours, for: .writable) { continuation.yield() }
        while case .packet = theirs.socket.receive() {}
        for await _ in ready { break }
        #expect(ours.socket.trySend([8]) == .sent)
        task.cancel()
        // After this round trip, the cancelled watch no longer uses the socket.
        await withCheckedContinuation { done in connection.perform { done.resume() } }
        let count = Mutex(0)
        let again = connection.watch(ours, for: .writable) { count.withLock { $0 += 1 } }
        again.cancel()
        await withCheckedContinuation { done in connection.perform { done.resume() } }
        // Calls before the cancellation are permitted. An active watch would be called in each turn: the socket is
        // writable.
        let before = count.withLock { $0 }
        for _ in 0..<10 { await withCheckedContinuation { done in connection.perform { done.resume() } } }
        #expect(count.withLock { $0 } == before)
    }

    @Test func `A watch that was cancelled before it started does not replace another one`() async throws {
        let connection = Connection.open(.address("unix:path=/nonexistent/bus"))
        let (ours, theirs) = try pair()
        let (isHeld, release) = (Promise<Bool>(), DispatchSemaphore(value: 0))
        let (first, second) = (Record<BusTask>(), Record<BusTask>())
        let ready = Record<String>()
        // Blocks the context, so that the first watch is cancelled before it starts.
        connection.perform {
            isHeld.fulfil(true)
            release.wait()
            for task in first.elements { task.cancel() }
            second.add(
                connection.watch(ours, for: .readable) {
                    if ours.socket.receive() != .nothing { ready.add("second") }
                })
        }
        _ = try await isHeld.value()
        first.add(connection.watch(ours, for: .readable) { ready.add("first") })
        release.signal()
        await withCheckedContinuation { done in connection.perform { done.resume() } }
        #expect(theirs.socket.trySend([1]) == .sent)
        #expect(try await ready.first(1) == ["second"])
        // A watch outlives the connection. A socket that the other side has closed is ready all the time.
        for task in second.elements { task.cancel() }
        connection.close()
    }
}
