internal import CDBus
import Synchronization

/// A method call to an exported object. It can be answered once, on any thread.
public final class IncomingCall: Sendable {
    /// The received call.
    public let message: Message
    private let bus: any Bus
    private let isAnswered = Atomic<Bool>(false)

    /// Makes the object that a bus passes to the handler of an export.
    public init(_ message: Message, on bus: any Bus) {
        self.message = message
        self.bus = bus
    }

    /// Answers the call with values. Only the first answer is sent.
    ///
    /// If the body cannot be sent, an error is sent instead, so that the caller does not wait.
    public func reply(_ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }) {
        guard !message.noReplyExpected else { return }
        do throws(DBusError) { answer(try Message.reply(to: message, body)) } catch { fail(error) }
    }

    /// Answers the call with an error. An error with an invalid name is sent as `Failed`.
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

// MARK: Peer

extension IncomingCall {
    /// Answers a call of the interface `org.freedesktop.DBus.Peer`, which each connection serves for all paths.
    ///
    /// Returns false for other calls. Source: D-Bus specification, "Standard Interfaces".
    package func answersPeerCall() -> Bool {
        guard message.hasInterface("org.freedesktop.DBus.Peer") else { return false }
        switch message.member {
        case "Ping": reply()
        case "GetMachineId": replyMachineID()
        default: fail(DBusError(name: DBusError.Name.unknownMethod, message: "This is not a method of Peer."))
        }
        return true
    }

    private func replyMachineID() {
        var error = unsafe CDBus.DBusError()
        unsafe dbus_error_init(&error)
        guard let text = unsafe dbus_try_get_local_machine_id(&error) else {
            unsafe dbus_error_free(&error)
            return fail(DBusError(name: DBusError.Name.failed, message: "This machine has no machine id."))
        }
        let id = unsafe String(cString: text)
        unsafe dbus_free(text)
        reply { (body) throws(DBusError) in try body.string(id) }
    }
}
