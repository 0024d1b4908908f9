public import Dispatch
import Glibc

/// A connection to an MQTT broker by libmosquitto, with MQTT 5 or 3.1.1, and TLS.
///
/// Its socket is watched in the queue of the gateway. Only name resolution and the connection of TCP, which block in
/// libmosquitto, run on another queue.
public final class MosquittoBroker: Broker {
    public var handler: ((BrokerEvent) -> Void)?

    private let client: BrokerClient
    private let loop: GatewayLoop
    private let queue: DispatchQueue
    // Serial: an attempt waits for an earlier one that was given up and still blocks.
    private let connecting = DispatchQueue(label: "rxbluetooth.gateway.connect")
    private var connection: MosquittoConnection?
    /// Counts attempts, so that the result of one that was given up is ignored.
    private var attempt = 0
    private var isConnecting = false

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
        precondition(connection == nil && !isConnecting, "MosquittoBroker: connect() while a connection exists")
        isConnecting = true
        attempt += 1
        let attempt = attempt
        let bound = loop.bound(WeakReference(self))
        let loop = loop
        let mosquitto: MosquittoClient
        do throws(BrokerFailure) {
            mosquitto = try MosquittoClient(client)
        } catch {
            return loop.perform { bound.value.object?.finish(attempt, error) }
        }
        connecting.async {
            let (result, code) = mosquitto.connect()
            loop.perform { bound.value.object?.attach(mosquitto, attempt, result, code) }
        }
    }

    public func subscribe(to filters: [String]) { connection?.subscribe(to: filters) }

    public func publish(_ publication: Publication, token: UInt64) { connection?.publish(publication, token: token) }

    public func disconnect() {
        if let connection { return connection.disconnect() }
        guard isConnecting else { return }
        let bound = loop.bound(WeakReference(self))
        let attempt = attempt
        loop.perform {
            bound.value.object?.finish(attempt, BrokerFailure(.requested, "the connection was closed on request"))
        }
    }

    private func attach(_ mosquitto: MosquittoClient, _ attempt: Int, _ result: Int32, _ code: Int32) {
        guard isConnecting, attempt == self.attempt else { return }
        guard result == 0, let connection = MosquittoConnection(mosquitto, loop: loop, queue: queue) else {
            let failure = MosquittoFailure(
                settings: client.settings, errors: mosquitto.errors, certificateProblem: mosquitto.certificateProblem)
            return finish(attempt, failure.connecting(result: result, code: code))
        }
        self.connection = connection
        isConnecting = false
        connection.handler = { [weak self] event in
            if case .closed = event { self?.connection = nil }
            self?.handler?(event)
        }
        connection.start()
    }

    /// Ends an attempt without connection.
    private func finish(_ attempt: Int, _ failure: BrokerFailure) {
        guard isConnecting, attempt == self.attempt else { return }
        isConnecting = false
        handler?(.closed(failure))
    }
}
