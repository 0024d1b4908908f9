import DBus

/// A bus that forwards everything to another bus. Subclasses override `send` to change messages.
class BusProxy: ForwardingBus, @unchecked Sendable {
    // Guard: the state of subclasses is used only in the context of `bus`.
    let bus: any Bus

    init(_ bus: any Bus) { self.bus = bus }

    final var forwardingTarget: any Bus { bus }

    func send(_ message: Message) { bus.send(message) }
}
