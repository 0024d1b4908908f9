import DBus

/// Sends the reply to one call, and can delay, drop, duplicate or replace it.
final class ReplyInterceptor: BusProxy, @unchecked Sendable {
    // Guard: the mutable state is used only in the context of `bus`.
    private let call: Message
    private let number: Int
    private let interceptor: CallInterceptor

    var delay = Duration.zero
    var copies = 1
    var replacement: DBusError?
    /// The fault that swaps this reply with another reply; nil for none.
    var rule: CallInterceptor.ActiveFault?

    init(_ call: Message, _ number: Int, on bus: any Bus, interceptor: CallInterceptor) {
        self.call = call
        self.number = number
        self.interceptor = interceptor
        super.init(bus)
    }

    override func send(_ answer: Message) {
        guard copies > 0 else { return }
        guard delay > .zero else { return release(answer) }
        bus.schedule(after: delay) { self.release(answer) }
    }

    private func release(_ answer: Message) {
        // If the daemon was restarted during the delay, the reply is dropped,
        // because the interceptor now belongs to the context of the new run.
        guard interceptor.simulation?.isServed(by: bus) != false else { return }
        guard let rule else { return deliver(answer) }
        guard let held = rule.swap(with: { self.deliver(answer) }) else { return }
        deliver(answer)
        held()
    }

    private func deliver(_ answer: Message) {
        let answer = interceptor.propertyRemover.reply(answer, to: call)
        let sent = replacement.flatMap { try? Message.failure(of: call, $0) } ?? answer
        interceptor.answered(number, of: call.sender ?? "", with: sent)
        bus.send(sent)
        // A message can be sent only once, so the duplicate is a new message.
        if copies > 1, let double = try? Message.failure(of: call, DBusError(name: DBusError.Name.failed, message: ""))
        {
            bus.send(double)
        }
    }
}
