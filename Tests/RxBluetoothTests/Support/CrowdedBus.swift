import DBus
import Rx

/// A bus connection that can queue calls. The deadlines of queued calls do not begin (Q9).
final class CrowdedBus: Bus {
    private let bus: any Bus
    private let state = Guarded(false)

    init(_ bus: any Bus) { self.bus = bus }

    /// Whether further calls are queued instead of being sent.
    var isCrowded: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    var clock: BusClock { bus.clock }

    func perform(_ work: @escaping @Sendable () -> Void) { bus.perform(work) }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        bus.schedule(after: delay, work)
    }

    func preconditionInContext() { bus.preconditionInContext() }

    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        isCrowded ? BusTask {} : bus.call(message, timeout: timeout, reply: reply)
    }

    func send(_ message: Message) { bus.send(message) }

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        bus.subscribe(rule, handler)
    }

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask { bus.export(at: path, includingChildren: includingChildren, handler) }

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) { bus.requestName(name, done) }

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        bus.whenDisconnected(handler)
    }

    func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask { bus.watch(socket, for: event, ready) }

    func close() { bus.close() }
}
