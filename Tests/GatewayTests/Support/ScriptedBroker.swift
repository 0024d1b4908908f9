import Rx

@testable import Gateway

/// A broker without a socket: a real `MQTTSession` and a ``FakeBroker``, in virtual time.
final class ScriptedBroker: Broker {
    var handler: ((BrokerEvent) -> Void)?
    let client: BrokerClient
    /// The bytes that arrive at once; nil for all.
    var chunkSize: Int?
    /// The peers of the next connections. Without one, a normal broker answers.
    var peers: [FakeBroker] = []
    /// The most bytes after the header of a message that normal brokers accept.
    var maximumBody = Int.max
    /// What normal brokers have confirmed.
    private(set) var confirmed: [Publication] = []
    private(set) var connectionCount = 0
    /// The most bytes that a session has kept.
    private(set) var maximumBuffered = 0
    private let loop: GatewayLoop
    private var session: MQTTSession?
    private var ending: MQTTSession.Ending?
    private var peer = FakeBroker()
    private var suspects = ClosingSuspects()
    private let timer = SerialDisposable()
    /// Counts connections, so that bytes of an earlier one are dropped.
    private var generation = 0

    init(_ client: BrokerClient, loop: GatewayLoop) {
        self.client = client
        self.loop = loop
    }

    func connect() {
        generation += 1
        connectionCount += 1
        ending = nil
        peer =
            peers.isEmpty ? FakeBroker(client.settings.version, maximumBody: maximumBody) : peers.removeFirst()
        let session = MQTTSession(client, suspects: suspects, at: loop.monotonicTime)
        self.session = session
        perform(session.open())
    }

    func subscribe(to filters: [String]) { call { $0.subscribe(to: filters, at: $1) } }
    func unsubscribe(from filters: [String]) { call { $0.unsubscribe(from: filters, at: $1) } }
    func publish(_ publication: Publication, token: UInt64) { call { $0.publish(publication, token: token, at: $1) } }
    func disconnect() { call { session, _ in session.disconnect() } }

    /// Closes the connection as the broker.
    func closeByPeer() {
        guard session != nil else { return }
        let failure = BrokerConnectionFailure(settings: client.settings)
        if let ending { return close(failure.ended(ending), isByBroker: ending.isByBroker) }
        close(failure.lost(code: nil, isAccepted: session?.isAccepted ?? false), isByBroker: true)
    }

    private func call(_ body: (inout MQTTSession, Duration) -> [MQTTSession.Action]) {
        guard var session else { return }
        let actions = body(&session, loop.monotonicTime)
        self.session = session
        perform(actions)
    }

    /// Executes actions. Events and answers follow after a millisecond, never within the call.
    private func perform(_ actions: [MQTTSession.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes):
                let output = peer.receive(bytes)
                if !output.bytes.isEmpty { later { $0.receive(output.bytes) } }
                if output.closes { later { $0.closeByPeer() } }
            case .emit(let event): later { $0.handler?(event) }
            case .startTimer(let delay):
                let bound = loop.bound(WeakReference(self))
                timer.disposable = loop.schedule(after: delay) {
                    bound.value.object?.call { $0.timerFired(at: $1) }
                }
            case .end(let ending):
                self.ending = ending
                let failure = BrokerConnectionFailure(settings: client.settings).ended(ending)
                later { $0.close(failure, isByBroker: ending.isByBroker) }
            }
        }
    }

    private func later(_ work: @escaping @Sendable (ScriptedBroker) -> Void) {
        let bound = loop.bound(WeakReference(self))
        let generation = generation
        _ = loop.schedule(after: .milliseconds(1)) {
            guard let broker = bound.value.object, broker.generation == generation, broker.session != nil else {
                return
            }
            work(broker)
        }
    }

    private func receive(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(chunkSize ?? rest.count)
            rest = rest.dropFirst(chunk.count)
            call { $0.receive(chunk, at: $1) }
            maximumBuffered = max(maximumBuffered, session?.bufferedCount ?? 0)
        }
    }

    private func close(_ failure: BrokerFailure, isByBroker: Bool) {
        guard let session else { return }
        suspects = session.findings(isByBroker: isByBroker, at: loop.monotonicTime)
        confirmed += peer.confirmed
        peer = FakeBroker()
        self.session = nil
        timer.disposable = Disposables.create()
        handler?(.closed(failure))
    }

    /// The packets of the gateway in the present connection.
    var packets: [MQTTPacketType] { peer.packets }
    /// What all peers have confirmed, also the present one.
    var allConfirmed: [Publication] { confirmed + peer.confirmed }
}
