import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// The registration of the pairing agent, and its replies to requests of a scripted bluetoothd.
struct PairingAgentTests {
    private static let device = Value.objectPath(ObjectPath(ScriptedDaemon.Objects.devicePath) ?? .root)
    private static let address: BluetoothAddress = "C0:FF:EE:00:00:01"
    private static let rejected = "org.bluez.Error.Rejected"

    private func stage(
        _ policy: PairingPolicy, _ objects: ScriptedDaemon.Objects = .oneKnownDevice
    ) -> (Stage, ScriptedDaemon, Peripheral) {
        let stage = Stage(starting: false, pairing: policy)
        let daemon = ScriptedDaemon(on: stage, objects)
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        guard let peripheral = known.elements.first?.first?.peripheral else { preconditionFailure("No peripheral.") }
        return (stage, daemon, peripheral)
    }

    /// Makes a stage (a manager and a clock) with a manager that has registered its agent.
    private func registered(_ policy: PairingPolicy) -> (Stage, ScriptedDaemon, Recording<PairingRequest>) {
        let (stage, daemon, _) = stage(policy)
        let requests = stage.record(stage.manager.pairingRequests)
        stage.advance(0)
        return (stage, daemon, requests)
    }

    private func answer(_ stage: Stage, _ reply: ScriptedDaemon.AgentReply) -> String? {
        stage.advance(0)
        return reply.text
    }

    // MARK: Policies

    struct Row: Sendable, CustomStringConvertible {
        let policy: PairingPolicy
        let member: String
        let arguments: [Value]
        let answer: String

        init(_ policy: PairingPolicy, _ member: String, _ arguments: [Value] = [], _ answer: String) {
            self.policy = policy
            self.member = member
            self.arguments = arguments
            self.answer = answer
        }

        var description: String { "\(policy.mode) \(policy.allowed == nil ? "all" : "some") \(member)" }
    }

    private static let service = Value.string("0000180d-0000-1000-8000-00805f9b34fb")
    private static let named = PairingPolicy(.justWorks, allowed: [address])
    private static let others = PairingPolicy(.passkey(7), allowed: [Lock.address])
    static let rows: [Row] = [
        Row(PairingPolicy(), "RequestAuthorization", [], rejected),
        Row(PairingPolicy(), "RequestConfirmation", [.uint32(1)], rejected),
        Row(PairingPolicy(), "DisplayPasskey", [.uint32(1), .uint16(0)], rejected),
        Row(PairingPolicy(.passkey(7)), "DisplayPasskey", [.uint32(1), .uint16(0)], "ok"),
        Row(PairingPolicy(.justWorks), "RequestAuthorization", [], "ok"),
        Row(PairingPolicy(.justWorks), "RequestConfirmation", [.uint32(1)], rejected),
        Row(PairingPolicy(.justWorks), "RequestPasskey", [], rejected),
        Row(PairingPolicy(.justWorks), "AuthorizeService", [service], rejected),
        Row(named, "AuthorizeService", [service], "ok"),
        Row(named, "RequestAuthorization", [], "ok"),
        Row(PairingPolicy(.passkey(7)), "RequestPasskey", [], "ok uint32(7)"),
        Row(PairingPolicy(.passkey(7)), "RequestPinCode", [], "ok string(\"000007\")"),
        Row(PairingPolicy(.passkey(7)), "RequestConfirmation", [.uint32(7)], rejected),
        Row(PairingPolicy(.passkey(7)), "RequestAuthorization", [], rejected),
        Row(others, "RequestPasskey", [], rejected),
        Row(others, "DisplayPinCode", [.string("1234")], rejected),
        Row(PairingPolicy(.passkey(7)), "DisplayPinCode", [.string("1234")], "ok"),
    ]

    @Test(.covers(.pairingPolicy), arguments: rows)
    func `Each policy answers agent requests without the user`(_ row: Row) {
        let (stage, daemon, requests) = registered(row.policy)
        let reply: ScriptedDaemon.AgentReply =
            switch row.arguments.count {
            case 0: daemon.ask(row.member, Self.device)
            case 1: daemon.ask(row.member, Self.device, row.arguments[0])
            default: daemon.ask(row.member, Self.device, row.arguments[0], row.arguments[1])
            }
        #expect(answer(stage, reply) == row.answer)
        #expect(requests.elements.isEmpty)
        stage.expectNoTimers()
    }

    @Test(.proves(.Q62)) func `The allowed list accepts the identity address of a bonded device`() {
        let identity: BluetoothAddress = "00:11:22:33:44:55"
        let (stage, daemon, _) = registered(PairingPolicy(.justWorks, allowed: [identity]))
        #expect(answer(stage, daemon.ask("RequestAuthorization", Self.device)) == Self.rejected)
        daemon.deviceChanges(["Address": .string(identity.description)])
        #expect(answer(stage, daemon.ask("RequestAuthorization", Self.device)) == "ok")
        #expect(answer(stage, daemon.ask("AuthorizeService", Self.device, Self.service)) == "ok")
    }

    @Test func `The user receives every kind of pairing request`() throws {
        let (stage, daemon, requests) = registered(PairingPolicy(.ask))
        let replies = [
            daemon.ask("RequestPinCode", Self.device), daemon.ask("RequestAuthorization", Self.device),
            daemon.ask("AuthorizeService", Self.device, Self.service),
            daemon.ask("DisplayPinCode", Self.device, .string("0815")),
        ]
        stage.advance(0)
        #expect(
            requests.elements.map(\.question) == [.pinCode, .authorization, .service(0x180D), .displayPinCode("0815")])
        #expect(replies.map(\.text) == [nil, nil, nil, "ok"])
        for pin in ["", "12345678901234567", "1\u{0}2"] {
            #expect(throws: BluetoothError.self) { try requests.elements[0].answer(.pinCode(pin)) }
        }
        try requests.elements[0].answer(.pinCode("1234"))
        try requests.elements[1].answer(.accept)
        try requests.elements[2].answer(.reject)
        stage.advance(0)
        #expect(replies.map(\.text) == ["ok string(\"1234\")", "ok", Self.rejected, "ok"])
        stage.expectNoTimers()
    }

    // MARK: Invalid requests

    @Test(.proves(.Q17)) func `The agent denies requests of senders other than bluetoothd`() {
        let (stage, daemon, _) = registered(PairingPolicy(.passkey(7)))
        let impostor = stage.simulation.connect()
        for member in ["RequestPasskey", "Release", "Cancel"] {
            #expect(
                answer(stage, daemon.ask(member, Self.device, from: impostor))
                    == "org.freedesktop.DBus.Error.AccessDenied")
        }
        #expect(answer(stage, daemon.ask("RequestPasskey", Self.device)) == "ok uint32(7)")
    }

    @Test func `The agent rejects malformed requests`() {
        let (stage, daemon, requests) = registered(PairingPolicy(.ask))
        let unknown = Value.objectPath("/org/bluez/hci0/dev_00_00_00_00_00_99")
        #expect(answer(stage, daemon.ask("RequestPasskey")) == Self.rejected)
        #expect(answer(stage, daemon.ask("RequestPasskey", .string("nonsense"))) == Self.rejected)
        #expect(answer(stage, daemon.ask("RequestPasskey", .objectPath("/elsewhere"))) == Self.rejected)
        #expect(answer(stage, daemon.ask("RequestPasskey", unknown)) == Self.rejected)
        #expect(answer(stage, daemon.ask("RequestConfirmation", Self.device)) == Self.rejected)
        #expect(answer(stage, daemon.ask("AuthorizeService", Self.device, .string("no UUID"))) == Self.rejected)
        #expect(answer(stage, daemon.ask("Sing", Self.device)) == "org.freedesktop.DBus.Error.UnknownMethod")
        #expect(requests.elements.isEmpty)
        #expect(requests.isLive)
        stage.expectNoTimers()
    }

    @Test(.proves(.Q92)) func `Cancel ends the open pairing request`() throws {
        let (stage, daemon, requests) = registered(PairingPolicy(.ask))
        let reply = daemon.ask("RequestPasskey", Self.device)
        stage.advance(0)
        #expect(answer(stage, daemon.ask("Cancel")) == "ok")
        #expect(reply.text == "org.bluez.Error.Canceled")
        #expect(try requests.elements.first?.answer(.passkey(1)) == false)
        // No request is open, so this Cancel has no effect.
        #expect(answer(stage, daemon.ask("Cancel")) == "ok")
        stage.expectNoTimers()
    }

    @Test(.proves(.Q92)) func `Release ends an open pairing request`() throws {
        let (stage, daemon, requests) = registered(PairingPolicy(.ask))
        let reply = daemon.ask("RequestPasskey", Self.device)
        stage.advance(0)
        let request = try #require(requests.elements.first)
        let ending = stage.record(request.outcome)
        #expect(answer(stage, daemon.ask("Release")) == "ok")
        #expect(reply.text == "org.bluez.Error.Canceled")
        #expect(ending.elements == [.cancelled])
        #expect(try request.answer(.passkey(1)) == false)
        #expect(requests.isLive)
        stage.expectNoTimers()
    }

    // MARK: Registration

    @Test(.proves(.Q92)) func `After Release, the agent is registered again when it is needed`() {
        let (stage, daemon, peripheral) = stage(PairingPolicy(.justWorks))
        daemon.holdAgents()
        let first = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("RegisterAgent").reply()
        stage.advance(0)
        #expect(answer(stage, daemon.ask("Release")) == "ok")
        #expect(daemon.count("RegisterAgent") == 1)
        first.dispose()
        stage.advance(0)
        daemon.take("Connect").fail("org.bluez.Error.Failed", "br-connection-canceled")
        daemon.take("Disconnect").reply()
        stage.advance(0)
        let paired = stage.record(peripheral.pair())
        stage.advance(0)
        #expect(daemon.count("RegisterAgent") == 2)
        #expect(daemon.count("Connect") == 1)
        daemon.take("RegisterAgent").reply()
        stage.advance(0)
        #expect(daemon.count("Connect") == 2)
        #expect(paired.isLive)
    }

    @Test(.proves(.Q92)) func `AlreadyExists from RegisterAgent counts as success`() {
        let (stage, daemon, peripheral) = stage(PairingPolicy())
        daemon.always("RegisterAgent") { $0.fail(DBusError(name: "org.bluez.Error.AlreadyExists", message: "")) }
        let paired = stage.record(peripheral.pair())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        stage.advance(0)
        daemon.take("Pair").reply()
        stage.advance(0)
        #expect(paired.isCompleted)
        #expect(daemon.count("Disconnect") == 1)
    }

    @Test func `A refused agent fails a pairing but not a connection`() {
        let (stage, daemon, peripheral) = stage(PairingPolicy())
        daemon.always("RegisterAgent") {
            $0.fail(DBusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "No AgentManager1"))
        }
        let paired = stage.record(peripheral.pair())
        stage.advance(0)
        #expect(paired.kind == .unsupported)
        #expect(paired.error?.operation == .pair)
        #expect(daemon.count("Pair") == 0)
        let link = stage.connect(peripheral, daemon)
        #expect(link.isLive)
    }

    @Test func `A pairing waits for the agent, and a connection does not`() {
        let (stage, daemon, peripheral) = stage(PairingPolicy())
        daemon.holdAgents()
        let link = stage.connect(peripheral, daemon)
        #expect(daemon.methods.prefix(2) == ["RegisterAgent", "Connect"])
        let paired = stage.record(peripheral.pair())
        stage.advance(0)
        #expect(daemon.count("Pair") == 0)
        daemon.take("RegisterAgent").reply()
        stage.advance(0)
        daemon.take("Pair").fail("org.bluez.Error.InProgress", "In Progress")
        stage.advance(0)
        #expect(paired.kind == .busy)
        #expect(link.isLive)
    }

    @Test(.proves(.Q90)) func `A default agent is registered whenever bluetoothd starts`() {
        let stage = Stage(starting: false, pairing: PairingPolicy(.justWorks, isDefault: true))
        let state = stage.record(stage.manager.state)
        stage.advance(0)
        let daemon = ScriptedDaemon(on: stage, .oneDevice)
        daemon.always("RequestDefaultAgent")
        stage.advance(0)
        #expect(daemon.methods == ["RequestDefaultAgent"])
        daemon.crash()
        stage.advance(0)
        daemon.start()
        stage.advance(0)
        #expect(daemon.methods == ["RequestDefaultAgent", "RequestDefaultAgent"])
        #expect(state.isLive)
    }

    @Test(.proves(.Q90)) func `A policy without an agent registers none`() {
        let (stage, daemon, peripheral) = stage(PairingPolicy(.noAgent))
        daemon.holdAgents()
        let requests = stage.record(stage.manager.pairingRequests)
        let link = stage.connect(peripheral, daemon)
        let paired = stage.record(peripheral.pair())
        stage.advance(0)
        daemon.take("Pair").reply()
        stage.advance(0)
        #expect(paired.isCompleted)
        #expect(daemon.methods == ["Connect", "Pair"])
        #expect(requests.isLive && link.isLive)
    }

    @Test(.proves(.Q2)) func `The agent is registered again when bluetoothd restarts`() {
        let (stage, daemon, peripheral) = stage(PairingPolicy())
        daemon.holdAgents()
        let link = stage.connect(peripheral, daemon)
        daemon.take("RegisterAgent").reply()
        daemon.crash()
        stage.advance(0)
        #expect(link.kind == .disconnected(.daemon))
        daemon.start()
        stage.advance(0)
        #expect(daemon.count("RegisterAgent") == 2)
    }

    @Test(.proves(.Q8)) func `A pairing fails if bluetoothd crashes while it registers the agent`() {
        let (stage, daemon, peripheral) = stage(PairingPolicy())
        daemon.holdAgents()
        let paired = stage.record(peripheral.pair())
        stage.advance(0)
        daemon.crash()
        stage.advance(0)
        #expect(paired.kind == .daemonUnavailable)
        stage.expectNoTimers()
    }
}
