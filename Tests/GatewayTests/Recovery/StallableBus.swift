import DBus
import Rx

/// A connection to a bus that can stall: from then on, it delivers neither signals nor replies, but stays open.
final class StallableBus: ForwardingBus {
    private let bus: any Bus
    private let hasStalled = Guarded(false)

    init(_ bus: any Bus) { self.bus = bus }

    var forwardingTarget: any Bus { bus }

    func stall() { hasStalled.withLock { $0 = true } }

    private var isStalled: Bool { hasStalled.withLock { $0 } }

    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        guard !isStalled else {
            return bus.schedule(after: timeout) { reply(.failure(.noReply("The connection has stalled"))) }
        }
        return bus.call(message, timeout: timeout) { [self] result in
            guard isStalled, case .success = result else { return reply(result) }
            bus.schedule(after: timeout) { reply(.failure(.noReply("The connection has stalled"))) }
        }
    }

    func send(_ message: Message) { if !isStalled { bus.send(message) } }

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        bus.subscribe(rule) { [self] message in if !isStalled { handler(message) } }
    }
}
