import Synchronization

/// A method call that came in for an exported object, to be answered once, now or later, from any thread.
public final class IncomingCall: Sendable {
    /// The call as it came.
    public let message: Message
    private let bus: any Bus
    private let isAnswered = Atomic<Bool>(false)

    /// Makes the object that a bus hands to an export.
    public init(_ message: Message, on bus: any Bus) {
        self.message = message
        self.bus = bus
    }

    /// Answers the call with values. A body that cannot be sent is answered as a failure, so that no caller waits.
    /// Only the first answer is sent.
    public func reply(_ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }) {
        guard !message.noReplyExpected else { return }
        do throws(DBusError) { answer(try Message.reply(to: message, body)) } catch { fail(error) }
    }

    /// Answers that the call failed. An error whose name is not valid is answered as `Failed`.
    public func fail(_ error: DBusError) {
        guard !message.noReplyExpected else { return }
        let plain = DBusError(name: DBusError.Name.failed, message: error.description)
        guard let failure = (try? Message.failure(of: message, error)) ?? (try? Message.failure(of: message, plain))
        else { return }
        answer(failure)
    }

    private func answer(_ reply: Message) {
        if !isAnswered.exchange(true, ordering: .relaxed) { bus.send(reply) }
    }
}
