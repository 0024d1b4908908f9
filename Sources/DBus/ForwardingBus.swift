/// A bus that forwards all calls that it does not implement itself to another bus.
package protocol ForwardingBus: Bus {
    /// The bus that receives the forwarded calls.
    var forwardingTarget: any Bus { get }
}

extension ForwardingBus {
    public var clock: BusClock { forwardingTarget.clock }

    public func perform(_ work: @escaping @Sendable () -> Void) { forwardingTarget.perform(work) }

    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        forwardingTarget.schedule(after: delay, work)
    }

    public func preconditionInContext() { forwardingTarget.preconditionInContext() }

    @discardableResult
    public func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask { forwardingTarget.call(message, timeout: timeout, reply: reply) }

    public func send(_ message: Message) { forwardingTarget.send(message) }

    public func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        forwardingTarget.subscribe(rule, handler)
    }

    public func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask { forwardingTarget.export(at: path, includingChildren: includingChildren, handler) }

    public func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        forwardingTarget.requestName(name, done)
    }

    public func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        forwardingTarget.whenDisconnected(handler)
    }

    public func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask { forwardingTarget.watch(socket, for: event, ready) }

    public func close() { forwardingTarget.close() }
}
