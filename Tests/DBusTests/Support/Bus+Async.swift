import DBus
import Testing

extension Bus {
    /// Sends a call, and returns its reply.
    func ask(_ message: Message, timeout: Duration = .seconds(60)) async throws -> Message {
        let promise = Promise<Result<Message, DBusError>>()
        call(message, timeout: timeout) { promise.fulfil($0) }
        return try await promise.value().get()
    }

    /// Sends a call that must fail, and returns its error.
    func failure(_ message: Message, timeout: Duration = .seconds(60)) async throws -> DBusError {
        let promise = Promise<DBusError?>()
        call(message, timeout: timeout) {
            if case .failure(let error) = $0 { promise.fulfil(error) } else { promise.fulfil(nil) }
        }
        return try #require(try await promise.value())
    }

    /// Waits until the bus has handled everything that was sent before.
    func settle() async throws { _ = try await ask(.toDaemon("GetId")) }

    /// Waits until the context has finished all work that was passed to it before.
    func drain() async throws {
        let promise = Promise<Bool>()
        perform { promise.fulfil(true) }
        _ = try await promise.value()
    }

    /// Waits until the connection has ended, and returns the error.
    func end() async throws -> DBusError {
        let promise = Promise<DBusError>()
        _ = whenDisconnected { promise.fulfil($0) }
        return try await promise.value()
    }

    /// Requests a bus name. Returns nil when the connection owns the name, or the error.
    func own(_ name: String) async throws -> DBusError? {
        let promise = Promise<DBusError?>()
        requestName(name) { promise.fulfil($0) }
        return try await promise.value()
    }
}

extension Message {
    /// Makes a call to the bus itself.
    static func toDaemon(_ member: String, _ arguments: String...) throws -> Message {
        try call(to: BusName.daemon, path: "/org/freedesktop/DBus", interface: BusName.daemon, member: member) {
            (body) throws(DBusError) in
            for argument in arguments { try body.string(argument) }
        }
    }

    /// Makes a call to the service of a test.
    static func testCall(to name: String, _ member: String, path: ObjectPath = "/test", _ values: Value...) throws
        -> Message
    {
        try call(to: name, path: path, interface: "org.example.Test", member: member) { (body) throws(DBusError) in
            for value in values { try body.value(value) }
        }
    }

    /// Makes a signal of the service of a test.
    static func testSignal(_ member: String, _ text: String = "", path: ObjectPath = "/test", to name: String? = nil)
        throws
        -> Message
    {
        try signal(path: path, interface: "org.example.Test", member: member, to: name) { (body) throws(DBusError) in
            try body.string(text)
        }
    }

    /// All values of the body.
    var values: [Value] { get throws { try read { (body) throws(DBusError) in try body.values() } } }

    /// The first value if it is a string; otherwise “not text”.
    var text: String { (try? read { (body) throws(DBusError) in try body.string() }) ?? "not text" }
}
