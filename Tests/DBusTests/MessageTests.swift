import DBus
import Glibc
import TestTraits
import Testing

@Suite struct MessageTests {
    private func message(_ body: (inout MessageWriter) throws(DBusError) -> Void) throws -> Message {
        try Message.signal(path: "/test", interface: "org.example.Test", member: "Changed", body)
    }

    @Test func `A message has the header that its factory was given`() throws {
        let call = try Message.call(to: "org.bluez", path: "/org/bluez", interface: "a.b", member: "C")
        #expect(call.kind == .call)
        #expect(call.destination == "org.bluez")
        #expect(call.path == "/org/bluez")
        #expect(call.interface == "a.b")
        #expect(call.member == "C")
        #expect(call.signature.isEmpty)
        #expect(call.serial == 0)
        #expect(call.sender == nil)
        #expect(call.error == nil)
        #expect(throws: DBusError.self) { try Message.reply(to: call) }
        let signal = try message { (body) throws(DBusError) in body.byte(1) }
        #expect(signal.isSignal("org.example.Test", "Changed"))
        #expect(!signal.isSignal("org.example.Test", "Change"))
        #expect(signal.signature == "y")
    }

    @Test func `All types are read as they were written`() throws {
        let sent = try message { (body) throws(DBusError) in
            body.bool(true)
            body.byte(7)
            body.int16(-1)
            body.uint16(1)
            body.int32(-2)
            body.uint32(2)
            body.int64(-3)
            body.uint64(3)
            body.double(1.5)
            try body.string("é")
            try body.objectPath("/a")
            try body.signature("as")
            body.bytes([1, 2])
            try body.array(of: "s") { (inner) throws(DBusError) in try inner.string("x") }
            try body.structure { (inner) throws(DBusError) in inner.byte(9) }
            try body.variant(of: "q") { (inner) throws(DBusError) in inner.uint16(5) }
        }
        #expect(sent.signature == "bynqiuxtdsogayas(y)v")
        try sent.read { (body) throws(DBusError) in
            #expect(try body.bool())
            #expect(try body.byte() == 7)
            #expect(try body.int16() == -1)
            #expect(try body.uint16() == 1)
            #expect(try body.int32() == -2)
            #expect(try body.uint32() == 2)
            #expect(try body.int64() == -3)
            #expect(try body.uint64() == 3)
            #expect(try body.double() == 1.5)
            #expect(try body.withString { $0.count } == 2)
            #expect(try body.objectPath() == "/a")
            #expect(try body.signature() == "as")
            #expect(try body.bytes() == [1, 2])
            #expect(try body.strings() == ["x"])
            #expect(try body.structure { (inner) throws(DBusError) in try inner.byte() } == 9)
            #expect(try body.variant { (inner) throws(DBusError) in try inner.uint16() } == 5)
            let isAtEnd = body.isAtEnd
            #expect(isAtEnd)
            #expect(throws: DBusError.self) { try body.byte() }
        }
    }

    @Test(.proves(.Q5)) func `A Boolean takes four bytes and does not touch its neighbours`() throws {
        let pattern = (0..<64).map { $0 % 3 == 0 }
        let sent = try message { (body) throws(DBusError) in
            for value in pattern {
                body.byte(0xFF)
                body.bool(value)
            }
            try body.array(of: "b") { (inner) throws(DBusError) in for value in pattern { inner.bool(value) } }
        }
        try sent.read { (body) throws(DBusError) in
            for value in pattern {
                #expect(try body.byte() == 0xFF)
                #expect(try body.bool() == value)
            }
            var read: [Bool] = []
            try body.array { (inner) throws(DBusError) in read.append(try inner.bool()) }
            #expect(read == pattern)
        }
    }

    @Test func `Reading a wrong type throws, and the reader does not move`() throws {
        let sent = try message { (body) throws(DBusError) in
            body.int16(-60)
            try body.array(of: "i") { (inner) throws(DBusError) in inner.int32(1) }
            try body.array(of: "s") { (_) throws(DBusError) in }
            try body.string("end")
        }
        try sent.read { (body) throws(DBusError) in
            #expect(throws: DBusError.self) { try body.uint16() }
            #expect(throws: DBusError.self) { try body.string() }
            #expect(throws: DBusError.self) { try body.bytes() }
            #expect(try body.int16() == -60)
            #expect(throws: DBusError.self) { try body.strings() }
            #expect(throws: DBusError.self) { try body.bytes() }
            #expect(throws: DBusError.self) { try body.dictionary { (_) throws(DBusError) in } }
            #expect(throws: DBusError.self) {
                try body.array { (inner) throws(DBusError) in _ = try inner.string() }
            }
            body.skip()
            #expect(throws: DBusError.self) { try body.bytes() }
            #expect(try body.strings().isEmpty)
            #expect(try body.string() == "end")
        }
    }

    @Test(.proves(.Q20)) func `A malformed property does not lose the other properties`() throws {
        let sent = try message { (body) throws(DBusError) in
            try body.properties(["A": .int16(1), "B": .string("bad"), "C": .bytes([]), "D": .int16(4), "E": .int16(5)])
        }
        try sent.read { (body) throws(DBusError) in
            var read: [Int16] = []
            var failed: [String] = []
            try body.properties { (name, value) throws(DBusError) in
                // The closure leaves the value of "D" unread, so `properties` must skip it.
                if name[0] != UInt8(ascii: "D") { read.append(try value.int16()) }
            } failed: { name, _ in
                failed.append(String(UnicodeScalar(name[0])))
            }
            #expect(read == [1, 5])
            #expect(failed == ["B", "C"])
            let isAtEnd = body.isAtEnd
            #expect(isAtEnd)
        }
    }

    @Test func `Bodies are read equally whether they begin with a text or not`() throws {
        let content: [Value] = [
            .string("org.bluez.Device1"), .byte(7), .uint64(1 << 40), .signature("a{sv}"), .bytes([1, 2, 3]),
            .array(of: "(yx)", [.structure([.byte(1), .int64(-2)]), .structure([.byte(3), .int64(-4)])]),
            .dictionary(key: "q", value: "v", [Value.Entry(.uint16(0x59), .variant(.bytes([])))]),
            .array(of: "at", []), .variant(.structure([.string(""), .variant(.double(0.5))])), .bool(true),
        ]
        for start in 0..<content.count {
            let values = Array(content[start...]) + content[..<start]
            let sent = try message { (body) throws(DBusError) in
                for value in values { try body.value(value) }
            }
            let received = try #require(Message(bytes: sent.stamped(serial: 1, sender: ":1.1").bytes))
            for copy in [sent, received] {
                #expect(try copy.read { (body) throws(DBusError) in try body.values() } == values)
                let skipped = try copy.read { (body) throws(DBusError) in
                    for _ in values.dropLast() { body.skip() }
                    return try body.value()
                }
                #expect(skipped == values.last)
            }
        }
    }

    @Test(.proves(.Q14)) func `A file descriptor in a call works in the receiver`() async throws {
        let bus = PrivateBus()
        let (server, name) = try await bus.connected()
        _ = server.export(at: "/test", includingChildren: false) { call in
            let writer: OwnedDescriptor? = try? call.message.read { (body) throws(DBusError) in try body.descriptor() }
            if let writer { _ = unsafe write(writer.number, "hello", 5) }
            call.reply { (body) throws(DBusError) in try body.string("done") }
        }
        let pipe = Pipe()
        let call = try Message.call(to: name, path: "/test", interface: "org.example.Test", member: "Take") {
            (body) throws(DBusError) in body.descriptor(pipe.writer)
        }
        #expect(try await bus.connect().ask(call).text == "done")
        var bytes = [UInt8](repeating: 0, count: 5)
        #expect(unsafe read(pipe.reader.number, &bytes, 5) == 5)
        #expect(bytes == Array("hello".utf8))
    }

    @Test(.proves(.Q6)) func `Values and names that are not valid D-Bus are refused`() throws {
        func refuses(_ body: (inout MessageWriter) throws(DBusError) -> Void) {
            #expect(throws: DBusError.self) { try message(body) }
        }
        refuses { (body) throws(DBusError) in try body.string("a\0b") }
        refuses { (body) throws(DBusError) in try body.signature("a") }
        refuses { (body) throws(DBusError) in try body.array(of: "") { (_) throws(DBusError) in } }
        refuses { (body) throws(DBusError) in try body.array(of: "ss") { (_) throws(DBusError) in } }
        refuses { (body) throws(DBusError) in try body.array(of: "{vs}") { (_) throws(DBusError) in } }
        refuses { (body) throws(DBusError) in try body.array(of: "{s") { (_) throws(DBusError) in } }
        refuses { (body) throws(DBusError) in try body.variant(of: "{ss}") { (_) throws(DBusError) in } }
        refuses { (body) throws(DBusError) in try body.variant(of: "s\0") { (_) throws(DBusError) in } }
        refuses { (body) throws(DBusError) in try body.value(.structure([])) }
        refuses { (body) throws(DBusError) in try body.value(.array(of: "s", [.byte(1)])) }
        refuses { (body) throws(DBusError) in try body.value(.variant(.array(of: "{", []))) }
        refuses { (body) throws(DBusError) in body.descriptor(OwnedDescriptor(adopting: -1)) }
        for (path, interface): (ObjectPath, String) in [
            ("/org/freedesktop/DBus/Local", "a.b"), ("/", "org.freedesktop.DBus.Local"), ("/", "a"), ("/", "a.b\0"),
        ] {
            #expect(throws: DBusError.self) { try Message.signal(path: path, interface: interface, member: "M") }
        }
        // After the writer fails, it appends nothing, so libdbus never gets a structure without its first member.
        #expect(throws: DBusError.self) {
            try message { (body) throws(DBusError) in
                try body.array(of: "(hs)") { (inner) throws(DBusError) in
                    try inner.structure { (pair) throws(DBusError) in
                        pair.descriptor(OwnedDescriptor(adopting: -1))
                        try pair.string("x")
                    }
                }
            }
        }
    }

    @Test(.proves(.Q13)) func `64 nested containers are sent, 65 are refused`() async throws {
        func nested(_ depth: Int) -> Value { (1...depth).reduce(Value.byte(1)) { value, _ in .variant(value) } }
        let bus = PrivateBus()
        let connection = bus.connect()
        let deepest = try Message.call(to: BusName.daemon, path: "/", interface: "a.b", member: "C") {
            (body) throws(DBusError) in try body.value(nested(64))
        }
        #expect(try await connection.failure(deepest).name != DBusError.Name.disconnected)
        #expect(throws: DBusError.self) { try message { (body) throws(DBusError) in try body.value(nested(65)) } }
    }

    @Test func `A value has the signature that it is sent with`() throws {
        let value = Value.properties([
            "a": .array(of: "(ys)", [.structure([.byte(1), .string("x")])]), "b": .bytes([]),
        ])
        #expect(value.signature == "a{sv}")
        let sent = try message { (body) throws(DBusError) in try body.value(value) }
        #expect(try sent.values == [value])
        #expect(throws: DBusError.self) {
            let pipe = Pipe()
            return try message { (body) throws(DBusError) in body.descriptor(pipe.reader) }.values
        }
    }
}
