/// One client of a ``SimulatedBrokerServer``. Events arrive in virtual time.
public final class SimulatedBroker: Broker {
    private enum State { case closed, connecting, connected, isolated }

    public var handler: ((BrokerEvent) -> Void)?
    /// The identifier, the last will and the settings. A change takes effect with the next connection.
    public var client: BrokerClient
    private let server: SimulatedBrokerServer
    private var state = State.closed
    private var inbox: [(due: Duration, event: BrokerEvent)] = []
    private var isDraining = false
    private var nextIdentifier: String?

    init(_ client: BrokerClient, of server: SimulatedBrokerServer) {
        self.client = client
        self.server = server
    }

    /// Whether the connection exists, seen from the client.
    public var isConnected: Bool { state == .connected || state == .isolated }
    var isReachable: Bool { state == .connected }

    public func connect() {
        precondition(state == .closed, "SimulatedBroker: connect() while a connection exists or is being made")
        state = .connecting
        if let nextIdentifier { client.identifier = nextIdentifier }
        let bound = server.loop.bound(self)
        _ = server.loop.schedule(after: server.latency) { bound.value.finishConnecting() }
    }

    public func useIdentifier(_ identifier: String) { nextIdentifier = identifier }

    public func subscribe(to filters: [String]) {
        guard state == .connected else { return }
        server.subscribe(self, to: filters)
    }

    public func unsubscribe(from filters: [String]) {
        guard state == .connected else { return }
        server.unsubscribe(self, from: filters)
    }

    public func publish(_ publication: Publication, token: UInt64) {
        guard state == .connected else { return }
        if let refusal = server.refuseMessage?(publication) { return post(.rejected(token, refusal)) }
        server.accept(publication)
        if publication.qualityOfService > 0, server.shouldAcknowledge() { post(.acknowledged(token)) }
    }

    public func disconnect() {
        guard state != .closed else { return }
        if isConnected { server.detach(self, publishesWill: state == .isolated) }
        close(BrokerFailure(.requested, "the connection was closed on request"))
    }

    /// Ends the process of the client: the last will is published, and the handler receives nothing.
    public func crash() {
        if isConnected { server.detach(self, publishesWill: true) }
        state = .closed
        inbox = []
        handler = nil
    }

    /// Interrupts the network: nothing passes until both ends notice it after one and a half keep-alive intervals.
    public func isolate() {
        guard state == .connected else { return }
        state = .isolated
        inbox = []
        let bound = server.loop.bound(self)
        _ = server.loop.schedule(after: client.settings.keepAlive * 3 / 2) {
            guard bound.value.state == .isolated else { return }
            bound.value.drop("no answer of the broker within the keep-alive interval")
        }
    }

    private func finishConnecting() {
        guard state == .connecting else { return }
        guard let failure = server.attach(self) else {
            state = .connected
            return server.resume(self)
        }
        close(failure, after: .zero)
    }

    /// Ends the connection without the client's consent; the server publishes the last will.
    func drop(_ cause: String, _ kind: BrokerFailure.Kind = .unreachable) {
        guard state != .closed else { return }
        server.detach(self, publishesWill: true)
        close(BrokerFailure(kind, cause))
    }

    private func close(_ failure: BrokerFailure, after delay: Duration? = nil) {
        inbox = []
        state = .closed
        post(.closed(failure), after: delay)
    }

    func post(_ event: BrokerEvent, after delay: Duration? = nil) {
        let delay = delay ?? server.latency
        inbox.append((server.loop.monotonicTime + delay, event))
        guard !isDraining else { return }
        isDraining = true
        scheduleDrain(after: delay)
    }

    private func scheduleDrain(after delay: Duration) {
        let bound = server.loop.bound(self)
        _ = server.loop.schedule(after: delay) { bound.value.drain() }
    }

    private func drain() {
        let now = server.loop.monotonicTime
        let due = inbox.prefix { $0.due <= now }.map(\.event)
        inbox.removeFirst(due.count)
        for event in due { handler?(event) }
        if let next = inbox.first {
            scheduleDrain(after: max(next.due - now, .zero))
        } else {
            isDraining = false
        }
    }
}
