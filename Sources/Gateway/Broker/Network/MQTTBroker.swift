public import Dispatch

/// A connection to an MQTT broker with MQTT 5 or 3.1.1, and TLS.
///
/// Its socket is watched in the queue of the gateway. Only name resolution and the connection of TCP, which block, run
/// on another queue.
public final class MQTTBroker: Broker {
    public var handler: ((BrokerEvent) -> Void)?

    private var client: BrokerClient
    private let loop: GatewayLoop
    private let queue: DispatchQueue
    // Serial: an attempt waits for an earlier one that was given up and still blocks.
    private let connecting = DispatchQueue(label: "rxbluetooth.gateway.connect")
    private var connection: BrokerConnection?
    /// The certificates of the attempt.
    private var context: TLSContext?
    private var suspects = ClosingSuspects()
    /// Counts attempts, so that the result of one that was given up is ignored.
    private var attempt = 0
    private var isConnecting = false
    private var willRetention = WillRetention()

    /// Creates a broker without connection.
    ///
    /// - Parameters:
    ///   - loop: The context of the gateway, which was created from `queue`.
    ///   - queue: The serial queue of the context.
    public init(_ client: BrokerClient, loop: GatewayLoop, queue: DispatchQueue) {
        self.client = client
        self.loop = loop
        self.queue = queue
    }

    public func connect() {
        precondition(connection == nil && !isConnecting, "MQTTBroker: connect() while a connection exists")
        isConnecting = true
        attempt += 1
        let attempt = attempt
        let bound = loop.bound(WeakReference(self))
        let loop = loop
        let (host, port) = (client.settings.host, client.settings.effectivePort)
        do throws(BrokerFailure) {
            if let tls = client.settings.tls { context = try TLSContext(tls) }
        } catch {
            return loop.perform { bound.value.object?.finish(attempt, error) }
        }
        connecting.async {
            let result: Result<StreamSocket, HostConnector.Problem>
            do throws(HostConnector.Problem) {
                result = .success(try HostConnector.connect(to: host, port: port))
            } catch { result = .failure(error) }
            loop.perform { bound.value.object?.attach(result, attempt) }
        }
    }

    public func subscribe(to filters: [String]) { connection?.subscribe(to: filters) }

    public func unsubscribe(from filters: [String]) { connection?.unsubscribe(from: filters) }

    public func publish(_ publication: Publication, token: UInt64) { connection?.publish(publication, token: token) }

    public func useIdentifier(_ identifier: String) { client.identifier = identifier }

    public func disconnect() {
        if let connection { return connection.disconnect() }
        guard isConnecting else { return }
        let bound = loop.bound(WeakReference(self))
        let attempt = attempt
        loop.perform {
            bound.value.object?.finish(attempt, BrokerFailure(.requested, "the connection was closed on request"))
        }
    }

    private func attach(_ result: Result<StreamSocket, HostConnector.Problem>, _ attempt: Int) {
        guard isConnecting, attempt == self.attempt else { return }
        do throws(BrokerFailure) {
            let connection = try connection(result)
            self.connection = connection
            isConnecting = false
            connection.handler = { [weak self, weak connection] event in
                if case .closed = event, let self, let connection { release(connection) }
                self?.handler?(event)
            }
            connection.start()
        } catch { finish(attempt, error) }
    }

    private func connection(
        _ result: Result<StreamSocket, HostConnector.Problem>
    ) throws(BrokerFailure) -> BrokerConnection {
        let failure = BrokerConnectionFailure(settings: client.settings)
        let socket: StreamSocket
        switch result {
        case .success(let connected): socket = connected
        case .failure(let problem): throw failure.connecting(problem)
        }
        var filter: TLSFilter?
        if let context {
            self.context = nil
            do throws(TLSFilter.Problem) {
                filter = try TLSFilter(context, host: client.settings.host)
            } catch { throw failure.failed(error, isAccepted: false) }
        }
        var client = client
        if willRetention.isRefused { client.will?.isRetained = false }
        return BrokerConnection(client, socket: socket, tls: filter, suspects: suspects, loop: loop, queue: queue)
    }

    /// Keeps what the connection has found out.
    private func release(_ connection: BrokerConnection) {
        suspects = connection.suspects
        willRetention.closed(isWillRefused: connection.isWillRefused, keepsRetained: connection.keepsRetained)
        // A session belongs to its identifier.
        if client.identifier.isEmpty, let identifier = connection.assignedIdentifier { client.identifier = identifier }
        self.connection = nil
    }

    /// Ends an attempt without connection.
    private func finish(_ attempt: Int, _ failure: BrokerFailure) {
        guard isConnecting, attempt == self.attempt else { return }
        isConnecting = false
        handler?(.closed(failure))
    }
}
