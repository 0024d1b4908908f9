import DBus
import TestTraits
import Testing

@Suite struct CallTests {
    let bus = PrivateBus()

    /// Starts a peer that replies to each call with the arguments of the call. Returns the peer's name.
    private func echo() async throws -> String {
        let (peer, name) = try await bus.connected()
        _ = peer.export(at: "/test", includingChildren: false) { call in
            guard let values = try? call.message.values else { return call.fail(.malformed("No values.")) }
            call.reply { (body) throws(DBusError) in for value in values { try body.value(value) } }
        }
        try await peer.drain()
        return name
    }

    @Test func `A reply contains all values as they were sent`() async throws {
        let name = try await echo()
        let values: [Value] = [
            .bool(true), .byte(255), .int16(-5), .uint16(65535), .int32(.min), .uint32(.max), .int64(.min),
            .uint64(.max), .double(-0.5), .string(String(repeating: "é", count: 100_000)), .string(""),
            .objectPath("/org/bluez/hci0"), .signature("a{sv}"), .bytes([]), .bytes([0, 1, 255]), .strings([]),
            .array(of: "a{sv}", []), .properties([:]), .structure([.byte(1), .structure([.string("x")])]),
            .properties(["a": .properties(["b": .variant(.strings(["c"]))]), "d": .array(of: "(yv)", [])]),
            .dictionary(key: "q", value: "ay", [Value.Entry(.uint16(76), .bytes([2, 21]))]),
        ]
        let message = try Message.call(to: name, path: "/test", interface: "org.example.Test", member: "Echo") {
            (body) throws(DBusError) in for value in values { try body.value(value) }
        }
        let caller = bus.connect()
        #expect(try await caller.ask(message).values == values)
        // The same message can be sent a second time, because sending does not change it.
        #expect(try await caller.ask(message).values == values)
        #expect(message.serial == 0)
    }

    @Test func `An error has its name and its text`() async throws {
        let (peer, name) = try await bus.connected()
        _ = peer.export(at: "/test", includingChildren: false) {
            $0.fail(DBusError(name: "org.bluez.Error.NotReady", message: "Resource Not Ready"))
        }
        let error = try await bus.connect().failure(.testCall(to: name, "Anything"))
        #expect(error == DBusError(name: "org.bluez.Error.NotReady", message: "Resource Not Ready"))
    }

    @Test func `A call to a name without an owner fails`() async throws {
        let error = try await bus.connect().failure(.testCall(to: "org.example.Absent", "Anything"))
        #expect(error.name == DBusError.Name.serviceUnknown)
    }

    @Test func `Calling with a message that is not a call fails`() async throws {
        let error = try await bus.connect().failure(.testSignal("Changed"))
        #expect(error.name == DBusError.Name.invalidArgs)
    }

    @Test(.proves(.Q9)) func `64 calls are in flight, and more wait in order`() async throws {
        let (peer, name) = try await bus.connected()
        let held = Record<IncomingCall>()
        let mayAnswer = Record<Bool>()
        _ = peer.export(at: "/test", includingChildren: false) { call in
            if mayAnswer.elements.isEmpty { held.add(call) } else { call.reply() }
        }
        let marker = Promise<Int>()
        let (caller, callerName) = try await bus.connected()
        _ = peer.subscribe(MatchRule(sender: callerName, member: "Marker")) { _ in
            marker.fulfil(held.elements.count)
        }
        let answers = Record<Int>()
        for number in 0..<1000 {
            caller.call(try .testCall(to: name, "Hold"), timeout: .seconds(60)) { result in
                if case .success = result { answers.add(number) }
            }
        }
        // This signal arrives after all calls that were sent, because signals do not wait for a place in flight.
        caller.send(try .testSignal("Marker", to: name))
        #expect(try await marker.value() == 64)
        peer.perform {
            mayAnswer.add(true)
            for call in held.elements { call.reply() }
        }
        #expect(try await answers.first(1000) == Array(0..<1000))
    }

    @Test(.proves(.Q18)) func `A reply arrives after the signal sent before it`() async throws {
        let (peer, name) = try await bus.connected()
        _ = peer.export(at: "/test", includingChildren: false) { [unowned peer] call in
            guard let signal = try? Message.testSignal("Changed") else { return }
            peer.send(signal)
            call.reply()
            peer.send(signal)
        }
        let caller = bus.connect()
        let record = Record<String>()
        _ = caller.subscribe(MatchRule(sender: name, member: "Changed")) { _ in record.add("signal") }
        for round in 1...20 {
            caller.call(try .testCall(to: name, "Change"), timeout: .seconds(60)) { _ in record.add("reply") }
            _ = try await record.first(3 * round)
        }
        let expected = (0..<20).flatMap { _ in ["signal", "reply", "signal"] }
        #expect(record.elements == expected)
    }

    @Test(.proves(.Q8)) func `A call fails at its deadline, and a late reply is ignored`() async throws {
        let (peer, name) = try await bus.connected()
        let held = Record<IncomingCall>()
        _ = peer.export(at: "/test", includingChildren: false) { call in
            if call.message.member == "Hold" { held.add(call) } else { call.reply() }
        }
        let caller = bus.connect()
        let results = Record<String>()
        caller.call(try .testCall(to: name, "Hold"), timeout: .milliseconds(50)) {
            if case .failure(let error) = $0 { results.add(error.name) } else { results.add("reply") }
        }
        #expect(try await results.first(1) == [DBusError.Name.noReply])
        for call in try await held.first(1) { call.reply() }
        try await peer.settle()
        _ = try await caller.ask(.testCall(to: name, "Answer"))
        #expect(results.elements.count == 1)
    }

    @Test(.proves(.Q9)) func `Calls that expire make room for those that wait`() async throws {
        let (peer, name) = try await bus.connected()
        _ = peer.export(at: "/test", includingChildren: false) { call in
            if call.message.member == "Answer" { call.reply() }
        }
        let caller = bus.connect()
        try await caller.settle()
        let expired = Record<String>()
        let answered = Promise<Int>()
        let (hold, answer) = (try Message.testCall(to: name, "Hold"), try Message.testCall(to: name, "Answer"))
        // All calls are made in one turn of the event loop, so that no call expires before the last one is made.
        caller.perform {
            for _ in 0..<64 {
                caller.call(hold, timeout: .milliseconds(20)) {
                    if case .failure(let error) = $0 { expired.add(error.name) }
                }
            }
            caller.call(answer, timeout: .seconds(60)) { result in
                if case .success = result { answered.fulfil(expired.elements.count) } else { answered.fulfil(0) }
            }
        }
        #expect(try await answered.value() > 0)
        #expect(try await expired.first(64) == Array(repeating: DBusError.Name.noReply, count: 64))
    }

    @Test func `A cancelled call has no result, and releases its place in flight`() async throws {
        let (peer, name) = try await bus.connected()
        let held = Record<IncomingCall>()
        _ = peer.export(at: "/test", includingChildren: false) { call in
            if call.message.member == "Hold" { held.add(call) } else { call.reply() }
        }
        let caller = bus.connect()
        let results = Record<Bool>()
        // 64 of each 100 calls are in flight. Cancelling all of them makes room for the next 100.
        for _ in 0..<3 {
            var tasks: [BusTask] = []
            for _ in 0..<100 {
                tasks.append(
                    caller.call(try .testCall(to: name, "Hold"), timeout: .seconds(120)) { _ in results.add(true) })
            }
            try await caller.drain()
            for task in tasks { task.cancel() }
        }
        _ = try await caller.ask(.testCall(to: name, "Answer"))
        for call in held.elements { call.reply() }
        try await peer.settle()
        _ = try await caller.ask(.testCall(to: name, "Answer"))
        #expect(results.elements.isEmpty)
    }

    @Test func `A reply handler can send a call`() async throws {
        let name = try await echo()
        let caller = bus.connect()
        let promise = Promise<String>()
        let first = try Message.testCall(to: name, "Echo", .string("one"))
        let second = try Message.testCall(to: name, "Echo", .string("two"))
        caller.call(first, timeout: .seconds(60)) { [weak caller] _ in
            caller?.preconditionInContext()
            caller?.call(second, timeout: .seconds(60)) { promise.fulfil((try? $0.get().text) ?? "") }
        }
        #expect(try await promise.value() == "two")
    }
}
