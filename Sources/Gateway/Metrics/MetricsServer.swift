public import Dispatch
import Glibc
import Rx

/// A server that answers `GET /metrics` on the loopback interface, for Prometheus.
///
/// It belongs to the context of a gateway, and needs no thread of its own. It accepts requests of bounded size and a
/// bounded number of connections, and closes each connection after a deadline.
public final class MetricsServer {
    /// The most connections at a time. A further one closes the oldest, so that slow clients do not block the others.
    static let mostConnections = 8
    /// How long a connection may take.
    static let deadline = Duration.seconds(5)

    /// The port on which the server listens.
    public let port: UInt16
    /// The number of connections that were accepted.
    private(set) var acceptedConnections = 0
    /// The number of connections that were closed because of the limit.
    private(set) var displacedConnections = 0

    /// The number of open connections.
    var connectionCount: Int { connections.count }

    private let loop: GatewayLoop
    private let queue: DispatchQueue
    private let content: () -> String
    private let source: any DispatchSourceRead
    private let descriptor: Int32
    private var connections: [Int32: MetricsConnection] = [:]
    /// The open connections, the oldest first.
    private var order: [Int32] = []
    private var pause: (any Disposable)?
    private var isStopped = false

    /// Listens on a port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - loop: The context of the gateway.
    ///   - queue: The queue of that context.
    ///   - content: Returns the metrics, in the context of the gateway.
    /// - Throws: ``MetricsFailure`` if the port cannot be used.
    public init(
        port: UInt16, loop: GatewayLoop, queue: DispatchQueue, content: @escaping () -> String
    ) throws(MetricsFailure) {
        (descriptor, self.port) = try LoopbackSocket.listen(on: port)
        self.loop = loop
        self.queue = queue
        self.content = content
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let server = loop.bound(WeakServer(server: self))
        let descriptor = descriptor
        source.setEventHandler { server.value.server?.accept() }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    private struct WeakServer {
        weak let server: MetricsServer?
    }

    /// Closes the port and all connections. May be called more than once.
    public func stop() {
        guard !isStopped else { return }
        isStopped = true
        pause?.dispose()
        // A suspended source is not cancelled before it is resumed.
        if pause != nil { source.resume() }
        source.cancel()
        for connection in connections.values { connection.close() }
        connections = [:]
        order = []
    }

    private func accept() {
        while !isStopped {
            switch LoopbackSocket.accept(descriptor) {
            case .none: return
            case .failed: return pauseAccepting()
            case .connected(let client):
                acceptedConnections += 1
                if order.count >= Self.mostConnections {
                    displacedConnections += 1
                    connections[order[0]]?.close()
                }
                serve(client)
            }
        }
    }

    private func serve(_ client: Int32) {
        let server = loop.bound(WeakServer(server: self))
        let connection = MetricsConnection(client, loop: loop, queue: queue) { outcome in
            guard let server = server.value.server else { return HTTPResponse(status: .notFound) }
            return HTTPResponse.to(outcome, metrics: server.content)
        } onClose: {
            server.value.server?.connections[client] = nil
            server.value.server?.order.removeAll { $0 == client }
        }
        connections[client] = connection
        order.append(client)
        connection.start(deadline: Self.deadline)
    }

    /// Stops accepting for a second, because there are no free descriptors: the source would fire again at once.
    private func pauseAccepting() {
        source.suspend()
        let server = loop.bound(WeakServer(server: self))
        pause = loop.schedule(after: .seconds(1)) {
            guard let server = server.value.server, !server.isStopped else { return }
            server.pause = nil
            server.source.resume()
        }
    }
}

/// Why the metrics cannot be served.
public struct MetricsFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, the cause, and what to do, in one line.
    public let description: String
}
