import BusTesting
import Rx
import DBus

/// The reply to a call, once it has arrived. A socket in the reply is open until `forget()`.
final class PendingReply: Sendable {
    private let result = Guarded<Result<Message, DBusError>?>(nil)
    /// The socket of the reply; nil until `send(_:)` first uses it.
    private let socket = Guarded<TestSocket?>(nil)

    func settle(_ reply: Result<Message, DBusError>) { result.withLock { $0 = reply } }

    var isOpen: Bool { result.withLock { $0 == nil } }

    private var message: Message? { try? result.withLock { $0 }?.get() }

    var values: [Value] { (try? message?.read { (body) throws(DBusError) in try body.values() }) ?? [] }

    func line(_ names: ObjectNames) -> String {
        guard case .failure(let error)? = result.withLock({ $0 }) else {
            if let message, message.signature == "hq" { return "a socket, MTU \(mtu(message))" }
            let values = values
            return values.isEmpty ? "ok" : values.map { $0.line(names) }.joined(separator: " ")
        }
        return error.message.isEmpty ? "error \(error.name)" : "error \(error.name) \"\(error.message.visible)\""
    }

    private func mtu(_ message: Message) -> String {
        let mtu = try? message.read { (body) throws(DBusError) in
            _ = try body.descriptor()
            return try body.uint16()
        }
        return mtu.map(String.init) ?? "none"
    }

    /// Sends a packet over the socket of the reply.
    func send(_ packet: [UInt8]) {
        if socket.withLock({ $0 == nil }) {
            try? message?.read { (body) throws(DBusError) in
                let held = TestSocket(try body.descriptor())
                socket.withLock { $0 = held }
            }
        }
        socket.withLock { $0 }?.send(packet)
    }

    /// Releases the reply, which closes its socket.
    func forget() {
        result.withLock { $0 = .failure(.disconnected("forgotten")) }
        socket.withLock { $0 = nil }
    }
}
