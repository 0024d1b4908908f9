import Dispatch
import Gateway

/// A connection to a real broker, whose events a test awaits one by one.
final class RealClient: Sendable {
    private let queue = DispatchQueue(label: "test")
    private let broker: LoopBound<MQTTBroker>
    private let events: AsyncStream<String>

    init(_ identifier: String, _ settings: BrokerSettings, will: Publication? = nil) {
        let loop = GatewayLoop(queue: queue)
        let (stream, continuation) = AsyncStream<String>.makeStream()
        events = stream
        let made = MQTTBroker(
            BrokerClient(identifier: identifier, will: will, settings: settings), loop: loop, queue: queue)
        made.handler = { event in
            switch event {
            // A busy computer may delay the test.
            case .paused, .caughtUp: break
            default: continuation.yield(EventRecorder.text(of: event))
            }
        }
        broker = loop.bound(made)
    }

    func perform(_ work: @escaping @Sendable (MQTTBroker) -> Void) {
        let broker = broker
        queue.async { work(broker.value) }
    }

    func connect() { perform { $0.connect() } }
    func publish(_ publication: Publication, _ token: UInt64) { perform { $0.publish(publication, token: token) } }
    func subscribe(_ filter: String) { perform { $0.subscribe(to: [filter]) } }

    /// The next event; the time limit of the test ends the wait.
    func next() async -> String {
        var iterator = events.makeAsyncIterator()
        return await iterator.next() ?? "end"
    }

    /// Waits for an event that begins with the text.
    func wait(for text: String) async {
        while !(await next()).hasPrefix(text) {}
    }
}
