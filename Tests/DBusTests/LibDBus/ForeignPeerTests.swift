import DBus
import Dispatch
import Testing

/// Calls to and from other D-Bus implementations: dbus-send (libdbus) and busctl (systemd).
@Suite struct ForeignPeerTests {
    let bus = PrivateBus()

    private func run(_ words: String...) async throws -> String {
        let output = Promise<String>()
        let program = try Subprocess(words)
        // Reads on a queue of its own, because reading blocks and the threads of the tests must not block.
        DispatchQueue.global().async { output.fulfil(program.read()) }
        return try await output.value()
    }

    private func serve() async throws -> String {
        let (server, name) = try await bus.connected()
        _ = server.export(at: "/test", includingChildren: true) { call in
            guard call.message.member == "Echo", let values = try? call.message.values else {
                return call.fail(DBusError(name: "org.example.Error.Odd", message: "Odd: \(call.message.member ?? "")"))
            }
            call.reply { (body) throws(DBusError) in for value in values { try body.value(value) } }
        }
        try await server.drain()
        return name
    }

    @Test func `dbus-send calls an exported object`() async throws {
        let name = try await serve()
        let text = try await run(
            "dbus-send", "--bus=\(bus.address)", "--print-reply", "--reply-timeout=5000", "--dest=\(name)",
            "/test/child", "org.example.Test.Echo", "string:häm", "int32:-7", "array:byte:1,2",
            "dict:string:uint32:a,1,b,2", "variant:double:0.5", "objpath:/org/bluez", "boolean:true")
        for part in [
            "string \"häm\"", "int32 -7", "array of bytes", "01 02", "uint32 2", "double 0.5", "/org/bluez",
            "boolean true",
        ] {
            #expect(text.contains(part), "\(text)")
        }
        let failure = try await run(
            "dbus-send", "--bus=\(bus.address)", "--print-reply", "--dest=\(name)", "/test", "org.example.Test.Odd")
        #expect(failure.contains("org.example.Error.Odd"))
        let unknown = try await run(
            "dbus-send", "--bus=\(bus.address)", "--print-reply", "--dest=\(name)", "/other", "org.example.Test.Echo")
        #expect(unknown.contains("org.freedesktop.DBus.Error.UnknownObject"))
    }

    @Test func `busctl calls and pings an exported object`() async throws {
        let name = try await serve()
        let text = try await run(
            "busctl", "--address=\(bus.address)", "--timeout=5", "--", "call", name, "/test", "org.example.Test",
            "Echo",
            "a{sv}a(yas)", "2", "Name", "s", "x", "RSSI", "n", "-60", "1", "9", "2", "a", "b")
        #expect(text == "a{sv}a(yas) 2 \"Name\" s \"x\" \"RSSI\" n -60 1 9 2 \"a\" \"b\"\n")
        let pong = try await run(
            "busctl", "--address=\(bus.address)", "--timeout=5", "call", name, "/any", "org.freedesktop.DBus.Peer",
            "Ping")
        #expect(pong.isEmpty, "\(pong)")
    }

    @Test func `A signal of dbus-send is received`() async throws {
        let (listener, name) = try await bus.connected()
        // Predicts the name of dbus-send: a bus numbers its connections in order, and dbus-send connects next.
        let number = try #require(Int(name.dropFirst(":1.".count)))
        let signals = Record<[Value]>()
        _ = listener.subscribe(MatchRule(sender: ":1.\(number + 1)", interface: "org.example.Test")) {
            signals.add((try? $0.values) ?? [])
        }
        try await listener.settle()
        _ = try await run(
            "dbus-send", "--bus=\(bus.address)", "/test", "org.example.Test.Changed", "string:x", "array:string:a,b")
        #expect(try await signals.first(1) == [[.string("x"), .strings(["a", "b"])]])
    }
}
