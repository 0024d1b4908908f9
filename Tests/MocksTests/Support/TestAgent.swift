import Rx
import DBus

/// A pairing agent that logs its requests and gives the answer that a test sets.
final class TestAgent: Sendable {
    static let path: ObjectPath = "/test/agent"
    let log = Log()
    private let answer: Guarded<Answer>
    private let client: Client

    enum Answer: Sendable {
        case accept
        case passkey(UInt32)
        case reject
        case silence
    }

    init(of client: Client, _ answer: Answer) {
        self.client = client
        self.answer = Guarded(answer)
        _ = client.bus.export(at: Self.path, includingChildren: false) { [self] call in asked(call) }
    }

    func answers(_ answer: Answer) { self.answer.withLock { $0 = answer } }

    private func asked(_ call: IncomingCall) {
        let arguments = (try? call.message.read { (body) throws(DBusError) in try body.values() }) ?? []
        let words = arguments.map { $0.line.replacing("hci0/dev_C0_FF_EE_00_00_", with: "") }
        log.write(([call.message.member ?? ""] + words).joined(separator: " "))
        switch answer.withLock({ $0 }) {
        case .accept: call.reply()
        case .passkey(let passkey): call.reply { (body) throws(DBusError) in body.uint32(passkey) }
        case .reject: call.fail(DBusError(name: "org.bluez.Error.Rejected", message: "No"))
        case .silence: break
        }
    }
}

extension Stage {
    /// Registers an agent of the client with an input and output capability.
    func agent(_ capability: String, _ answer: TestAgent.Answer, of client: Client? = nil) -> TestAgent {
        let client = client ?? self.client
        let agent = TestAgent(of: client, answer)
        wait(
            for: client.call(
                "/org/bluez", "org.bluez.AgentManager1.RegisterAgent",
                [.objectPath(TestAgent.path), .string(capability)]))
        client.log.clear()
        return agent
    }

    /// Calls a method of the agent manager and returns the reply as a line.
    func agents(_ method: String, _ arguments: Value..., from client: Client? = nil) -> String {
        wait(for: (client ?? self.client).call("/org/bluez", "org.bluez.AgentManager1.\(method)", arguments))
    }
}

/// Calls that a client received and has not answered.
final class UnansweredCalls: Sendable {
    private let open = Guarded<[IncomingCall]>([])

    var calls: [IncomingCall] { open.withLock { $0 } }

    func take(_ call: IncomingCall) { open.withLock { $0.append(call) } }
}
