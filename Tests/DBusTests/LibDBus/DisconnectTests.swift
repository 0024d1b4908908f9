import Glibc
import TestTraits
import Testing

@testable import DBus

@Suite struct DisconnectTests {
    let bus = PrivateBus()

    @Test(.proves(.Q2, .Q3)) func `Losing the bus fails everything once, and the process continues`() async throws {
        let (server, name) = try await bus.connected()
        let held = Record<IncomingCall>()
        _ = server.export(at: "/test", includingChildren: false) { held.add($0) }
        let caller = bus.connect()
        let record = Record<String>()
        for _ in 0..<100 {
            caller.call(try .testCall(to: name, "Hold"), timeout: .seconds(60)) { result in
                if case .failure(let error) = result { record.add(error.name) } else { record.add("reply") }
            }
        }
        _ = caller.whenDisconnected { _ in record.add("handler") }
        let cancelled = caller.whenDisconnected { _ in record.add("cancelled handler") }
        cancelled.cancel()
        _ = try await held.first(64)
        bus.stop()
        let expected = Array(repeating: DBusError.Name.disconnected, count: 100) + ["handler"]
        #expect(try await record.first(101) == expected)

        // Later calls must fail too, and the context must still run timers.
        #expect(try await caller.failure(.toDaemon("GetId")).name == DBusError.Name.disconnected)
        #expect(try await caller.end().name == DBusError.Name.disconnected)
        caller.send(try .testSignal("Ignored"))
        _ = caller.subscribe(MatchRule(sender: name)) { _ in }
        let fired = Promise<Bool>()
        caller.schedule(after: .milliseconds(5)) { fired.fulfil(true) }
        #expect(try await fired.value())
        caller.close()
        try await caller.drain()
        #expect(caller.uniqueName == nil)
        #expect(record.elements.count == 101)
    }

    @Test func `The bus sees the end although a copy of the socket is open`() throws {
        let listener = ListeningSocket(queue: 1)
        let connection = try RawConnection.connect(to: .address(listener.address)).get()
        let peer = OwnedDescriptor(adopting: accept(listener.socket, nil, nil))
        let copy = OwnedDescriptor(adopting: dup(try #require(connection.socket)))
        connection.close()
        var byte: UInt8 = 0
        var count = 1
        // Reads what libdbus has sent for the authentication, until the end of the stream.
        while count > 0 { count = unsafe recv(peer.number, &byte, 1, Int32(MSG_DONTWAIT)) }
        #expect(count == 0)
        copy.close()
    }

    @Test(.proves(.Q4)) func `Closing one connection does not affect another one`() async throws {
        let (first, firstName) = try await bus.connected()
        let (second, secondName) = try await bus.connected()
        #expect(firstName != secondName)
        let record = Record<String>()
        _ = second.whenDisconnected { record.add($0.name) }
        first.close()
        try await first.drain()
        try await second.settle()
        #expect(second.uniqueName == secondName)
        #expect(record.elements.isEmpty)
    }

    @Test func `Closing within a callback stops delivery`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let record = Record<String>()
        _ = listener.subscribe(MatchRule(sender: name)) { [unowned listener] signal in
            record.add(signal.text)
            listener.close()
            listener.close()
        }
        _ = listener.whenDisconnected { record.add($0.name) }
        try await listener.settle()
        for text in ["1", "2", "3"] { speaker.send(try .testSignal("Changed", text)) }
        #expect(try await record.first(2) == ["1", DBusError.Name.disconnected])
        try await listener.drain()
        #expect(record.elements.count == 2)
    }

    @Test func `Messages sent before closing are written`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let last = Promise<Int>()
        _ = listener.subscribe(MatchRule(sender: name)) { signal in
            if signal.text == "end" { last.fulfil(1) }
        }
        try await listener.settle()
        // These signals are far more than a socket accepts at once, so `close` must wait until they are written.
        let long = String(repeating: "x", count: 1 << 20)
        for _ in 0..<20 { speaker.send(try .testSignal("Changed", long)) }
        speaker.send(try .testSignal("Changed", "end"))
        speaker.close()
        #expect(try await last.value() == 1)
    }

    @Test func `Releasing the last reference closes the connection`() async throws {
        let (listener, _) = try await bus.connected()
        let gone = Promise<DBusError>()
        let name: String
        do {
            let connection = Connection.open(.address(bus.address))
            try await connection.settle()
            name = try #require(connection.uniqueName)
            _ = connection.whenDisconnected { gone.fulfil($0) }
        }
        #expect(try await gone.value().name == DBusError.Name.disconnected)
        let error = try await listener.failure(.toDaemon("GetNameOwner", name))
        #expect(error.name == DBusError.Name.nameHasNoOwner)
    }

    @Test(.proves(.Q13)) func `A message that is too big is refused`() async throws {
        let chunk = [UInt8](repeating: 1, count: 50 << 20)
        func make(_ bytes: [UInt8], _ count: Int) throws -> Message {
            try Message.call(to: BusName.daemon, path: "/", interface: "org.example.Test", member: "Big") {
                (body) throws(DBusError) in for _ in 0..<count { body.bytes(bytes) }
            }
        }
        #expect(throws: DBusError.self) { try make(chunk, 3) }
        #expect(throws: DBusError.self) { try make([UInt8](repeating: 1, count: (64 << 20) + 1), 1) }
    }
}
