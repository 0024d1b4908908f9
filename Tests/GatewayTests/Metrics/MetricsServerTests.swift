import Dispatch
import Testing

@testable import Gateway

/// The limits of the server for metrics, on real sockets. Only its deadlines are in virtual time.
@Suite struct MetricsServerTests {
    /// A server with its queue.
    private final class Setup {
        let time = VirtualLoop()
        let queue = DispatchQueue(label: "metrics")
        let server: MetricsServer

        init(_ content: @escaping () -> String = { "x 1\n" }) throws {
            server = try MetricsServer(port: 0, loop: time.loop, queue: queue, content: content)
        }

        deinit { queue.sync { server.stop() } }

        func client() throws -> MetricsClient { try #require(MetricsClient(server.port)) }

        func advance(by duration: Duration) { queue.sync { time.advance(by: duration) } }

        var connectionCount: Int { queue.sync { server.connectionCount } }
        var displacedCount: Int { queue.sync { server.displacedConnections } }

        /// Waits until the server has this number of connections. Returns whether that happened.
        func waitForConnections(_ count: Int) -> Bool { wait { $0.connectionCount == count } }

        /// Waits until a condition is true. Returns whether that happened.
        func wait(_ condition: (MetricsServer) -> Bool) -> Bool {
            let end = ContinuousClock.now + .seconds(120)
            while !queue.sync(execute: { condition(server) }) {
                if ContinuousClock.now > end { return false }
            }
            return true
        }
    }

    private let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func `A request is answered, and the connection is closed`() throws {
        let setup = try Setup()
        for _ in 0..<20 {
            let client = try setup.client()
            #expect(client.send(request))
            client.endSending()
            let answer = try #require(client.receive())
            #expect(answer.hasPrefix("HTTP/1.0 200 OK\r\n") && answer.hasSuffix("\r\n\r\nx 1\n"))
        }
        #expect(setup.waitForConnections(0))
    }

    @Test func `A slow request ends at the deadline`() throws {
        let setup = try Setup()
        let client = try setup.client()
        #expect(client.send("GET /metrics HT") && setup.waitForConnections(1))
        setup.advance(by: .milliseconds(4_990))
        #expect(client.isWaiting)
        client.send("TP/1.1\r\n")
        setup.advance(by: .milliseconds(20))
        #expect(client.receive() == "")
        #expect(setup.connectionCount == 0)
    }

    @Test func `A client that does not read its answer is closed at the deadline`() throws {
        let body = String(repeating: "x 1\n", count: 3_000_000)
        let setup = try Setup { body }
        let client = try setup.client()
        #expect(client.send(request) && setup.waitForConnections(1))
        setup.advance(by: .seconds(6))
        #expect(setup.connectionCount == 0)
        #expect(try #require(client.receive()).utf8.count < body.utf8.count)
    }

    @Test(arguments: [
        "GET /metrics HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 200_000),
        "GET /" + String(repeating: "a", count: 1_000_000), String(repeating: "\u{0}", count: 1_000_000),
    ])
    func `A huge head is refused, and the server continues`(head: String) throws {
        let setup = try Setup()
        let client = try setup.client()
        client.send(head)
        let answer = try #require(client.receive())
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.0 4"))
        let next = try setup.client()
        #expect(next.send(request) && next.receive()?.hasPrefix("HTTP/1.0 200") == true)
        #expect(setup.waitForConnections(0))
    }

    @Test func `A connection beyond the limit closes the oldest, so that slow clients block none`() throws {
        let setup = try Setup()
        let clients = try (0..<MetricsServer.mostConnections).map { _ in try setup.client() }
        #expect(setup.waitForConnections(MetricsServer.mostConnections))
        let next = try setup.client()
        #expect(next.send(request) && next.receive()?.hasPrefix("HTTP/1.0 200") == true)
        #expect(setup.displacedCount == 1 && clients[0].receive() == "")
        #expect(clients.dropFirst().allSatisfy { $0.isWaiting })
        #expect(setup.waitForConnections(MetricsServer.mostConnections - 1))
        let more = try (0..<20).map { _ in try setup.client() }
        #expect(setup.wait { $0.acceptedConnections == MetricsServer.mostConnections + 21 })
        #expect(setup.connectionCount == MetricsServer.mostConnections && setup.displacedCount == 20)
        #expect(more.suffix(8).allSatisfy { $0.isWaiting })
        setup.advance(by: .seconds(6))
        #expect(setup.connectionCount == 0)
    }

    @Test func `Clients that leave at any time leave nothing behind`() throws {
        let setup = try Setup()
        for number in 0..<200 {
            let client = try setup.client()
            if number % 2 == 0 { client.send(String(request.prefix(number % 40))) }
            if number % 3 == 0 { client.send(request) }
            // Clients that are not accepted yet would count for the limit later.
            #expect(setup.wait { $0.acceptedConnections == number + 1 })
        }
        #expect(setup.waitForConnections(0))
        let client = try setup.client()
        #expect(client.send(request) && client.receive()?.hasPrefix("HTTP/1.0 200") == true)
    }

    @Test func `A stop closes the port and all connections`() throws {
        let setup = try Setup()
        let client = try setup.client()
        #expect(setup.waitForConnections(1))
        setup.queue.sync { setup.server.stop() }
        #expect(client.receive() == "")
        setup.queue.sync {}
        #expect(MetricsClient(setup.server.port) == nil)
    }

    @Test func `A port in use is reported with what to do`() throws {
        let setup = try Setup()
        let failure = #expect(throws: MetricsFailure.self) {
            try MetricsServer(port: setup.server.port, loop: setup.time.loop, queue: setup.queue) { "" }
        }
        #expect(failure?.description.contains("127.0.0.1:\(setup.server.port): Address already in use.") == true)
    }
}
