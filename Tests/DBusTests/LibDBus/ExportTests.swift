import DBus
import Testing

@Suite struct ExportTests {
    let bus = PrivateBus()

    @Test func `The closest export serves a call`() async throws {
        let (server, name) = try await bus.connected()
        let caller = bus.connect()
        func serve(_ path: ObjectPath, _ includingChildren: Bool, _ text: String) -> BusTask {
            server.export(at: path, includingChildren: includingChildren) { call in
                call.reply { (body) throws(DBusError) in try body.string("\(text) \(call.message.member ?? "")") }
            }
        }
        func answer(_ path: ObjectPath) async throws -> String {
            do { return try await caller.ask(.testCall(to: name, "Ask", path: path)).text } catch let error as DBusError
            {
                return error.name == DBusError.Name.unknownObject ? "unknown" : error.name
            }
        }
        _ = serve("/org/bluez", true, "tree")
        _ = serve("/org/bluez/hci0/dev", false, "object")
        let replaced = serve("/single", false, "old")
        let single = serve("/single", false, "new")
        try await server.drain()
        #expect(try await answer("/org/bluez") == "tree Ask")
        #expect(try await answer("/org/bluez/hci0") == "tree Ask")
        #expect(try await answer("/org/bluez/hci0/dev") == "object Ask")
        #expect(try await answer("/org/bluez/hci0/dev/service") == "tree Ask")
        #expect(try await answer("/org") == "unknown")
        #expect(try await answer("/org/bluez1") == "unknown")
        #expect(try await answer("/") == "unknown")
        replaced.cancel()
        #expect(try await answer("/single") == "new Ask")
        single.cancel()
        try await server.drain()
        #expect(try await answer("/single") == "unknown")
        _ = serve("/", true, "root")
        try await server.drain()
        #expect(try await answer("/single") == "root Ask")
    }

    @Test func `A call can be answered later, and only the first answer is sent`() async throws {
        let (server, name) = try await bus.connected()
        let calls = Record<IncomingCall>()
        _ = server.export(at: "/test", includingChildren: false) { calls.add($0) }
        let caller = bus.connect()
        let first = Promise<String>()
        caller.call(try .testCall(to: name, "One"), timeout: .seconds(60)) { first.fulfil((try? $0.get().text) ?? "") }
        let call = try #require(try await calls.first(1).first)
        call.reply { (body) throws(DBusError) in try body.string("later") }
        call.fail(.malformed("again"))
        #expect(try await first.value() == "later")

        let second = Promise<DBusError?>()
        caller.call(try .testCall(to: name, "Two"), timeout: .seconds(60)) { result in
            if case .failure(let error) = result { second.fulfil(error) } else { second.fulfil(nil) }
        }
        try await calls.first(2)[1].fail(DBusError(name: "not a name", message: "text"))
        #expect(try await second.value()?.name == DBusError.Name.failed)
    }

    @Test func `An answer that cannot be sent fails the call`() async throws {
        let (server, name) = try await bus.connected()
        _ = server.export(at: "/test", includingChildren: false) { call in
            call.reply { (body) throws(DBusError) in try body.string("a\0b") }
        }
        let error = try await bus.connect().failure(.testCall(to: name, "Ask"))
        #expect(error.name == DBusError.Name.invalidArgs)
    }

    @Test func `Requesting a name that another connection owns fails`() async throws {
        let (first, firstName) = try await bus.connected()
        let (second, _) = try await bus.connected()
        #expect(try await first.own("org.example.Taken") == nil)
        #expect(try await first.own("org.example.Taken") == nil)
        let error = try #require(try await second.own("org.example.Taken"))
        #expect(error.name == DBusError.Name.addressInUse)
        #expect(error.message.contains(firstName))
        for name in ["", "a", ":1.1", "org.example.\0", BusName.daemon] {
            #expect(try await second.own(name)?.name == DBusError.Name.invalidArgs)
        }
    }
}
