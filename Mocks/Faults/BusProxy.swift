import DBus

/// A bus that forwards to another one, and lets subclasses change what is sent.
class BusProxy: ForwardingBus, @unchecked Sendable {
    // Guard: what subclasses keep is used only in the context of `bus`.
    let bus: any Bus

    init(_ bus: any Bus) { self.bus = bus }

    final var forwardingTarget: any Bus { bus }

    func send(_ message: Message) { bus.send(message) }
}
