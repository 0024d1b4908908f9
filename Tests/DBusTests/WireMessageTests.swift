import TestTraits
import Testing

@testable import DBus

/// Received messages, read without libdbus, compared with what libdbus reads.
struct WireMessageTests {
    private func bytes(_ body: (inout MessageWriter) throws(DBusError) -> Void) throws -> [UInt8] {
        try Message.signal(path: "/o/hci0", interface: "org.bluez.Test", member: "Changed", to: ":1.9", body)
            .stamped(serial: 7, sender: ":1.5").bytes
    }

    private let properties: (inout MessageWriter) throws(DBusError) -> Void = { (body) throws(DBusError) in
        try body.value(.string("org.bluez.Device1"))
        try body.value(
            .dictionary(
                key: "s", value: "v",
                [
                    Value.Entry(.string("RSSI"), .variant(.int16(-60))),
                    Value.Entry(.string("UUIDs"), .variant(.strings(["a", "b"]))),
                    Value.Entry(
                        .string("Data"),
                        .variant(
                            .dictionary(
                                key: "q", value: "v", [Value.Entry(.uint16(0x499), .variant(.bytes([5, 1, 2])))]))),
                ]))
        try body.value(.strings(["Name"]))
    }

    private func received(_ bytes: [UInt8]) -> Message? { Message(received: bytes) }

    @Test func `All fields of a header are read`() throws {
        let message = try #require(received(try bytes(properties)))
        #expect(message.kind == .signal && message.serial == 7 && message.replySerial == 0)
        #expect(message.path == "/o/hci0" && message.interface == "org.bluez.Test" && message.member == "Changed")
        #expect(message.sender == ":1.5" && message.destination == ":1.9" && message.signature == "sa{sv}as")
        #expect(message.isSignal("org.bluez.Test", "Changed") && message.isSent(by: ":1.5"))
        #expect(!message.isSignal("org.bluez.Test", "Change") && !message.isSent(by: ":1.55"))
        #expect(try message.values == (try #require(Message(bytes: try bytes(properties)))).values)

        let call = try Message.call(to: "org.bluez", path: "/", interface: "a.b", member: "C")
        call.suppressReply()
        let sent = try #require(received(call.stamped(serial: 3, sender: ":1.1").bytes))
        #expect(sent.kind == .call && sent.noReplyExpected && sent.signature.isEmpty)
        #expect(try sent.values.isEmpty)
        let failure = try Message.failure(of: sent, DBusError(name: "a.b.C", message: "no"))
        let answer = try #require(received(failure.stamped(serial: 4, sender: ":1.2").bytes))
        #expect(answer.error == DBusError(name: "a.b.C", message: "no") && answer.replySerial == 3)
        #expect(answer.destination == ":1.1" && answer.noReplyExpected)
    }

    @Test func `A received message is copied and sent again`() throws {
        let message = try #require(received(try bytes(properties)))
        let copy = try #require(message.copy())
        #expect(copy.serial == 0 && copy.member == "Changed")
        #expect(try copy.values == message.values)
        #expect(message.stamped(serial: 9, sender: ":1.6").sender == ":1.6")
        #expect(message.bytes == (try bytes(properties)))
    }

    @Test func `Unknown header fields are ignored`() throws {
        var bytes = try bytes(properties)
        // The field of the destination (code 6) becomes a field of a later protocol.
        let field = try #require(
            (0..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == [6, 1, UInt8(ascii: "s"), 0] })
        bytes[field] = 77
        let message = try #require(received(bytes))
        #expect(message.destination == nil && message.member == "Changed")
        #expect(try message.values.count == 3)
    }

    @Test func `A message with a part missing is not read`() throws {
        let whole = try bytes(properties)
        for count in 0..<whole.count { #expect(received(Array(whole.prefix(count))) == nil) }
        #expect(received(whole + [0]) == nil)
    }

    // The comparison with libdbus finds what this reader takes for valid and reads differently.
    @Test func `A changed byte is refused, or read as libdbus reads it`() throws {
        let whole = try bytes(properties)
        var accepted = 0
        for index in whole.indices where index != 0 {
            for change in [1, 2, 4, 0x10, 0x40, 0x80, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] ^= change
                guard let message = received(bytes) else {
                    #expect(Message(bytes: bytes) == nil, "byte \(index) ^ \(change)")
                    continue
                }
                let values = try? message.values
                _ = (message.path, message.sender, message.error, message.copy())
                guard let reference = Message(bytes: bytes) else { continue }
                accepted += 1
                #expect(try values == reference.values && message.path == reference.path)
                #expect(message.member == reference.member && message.signature == reference.signature)
            }
        }
        #expect(accepted > 300)
    }

    @Test func `Texts with invalid content are refused and not passed over`() throws {
        for (value, bad, place): (Value, UInt8, Int) in [
            (.string("abc"), 0, 5), (.objectPath("/ab"), UInt8(ascii: "/"), 5), (.variant(.byte(1)), 0, 1),
        ] {
            let signal = try Message.signal(path: "/", interface: "a.b", member: "C") { (body) throws(DBusError) in
                try body.value(value)
            }
            var bytes = signal.stamped(serial: 1, sender: nil).bytes
            let size = Int(bytes[4])
            bytes[bytes.count - size + place] = bad
            let message = try #require(received(bytes))
            try message.read { (body) throws(DBusError) in
                #expect(throws: DBusError.self) { try body.value() }
                #expect(body.type.text == value.signature)
            }
        }
    }

    @Test func `Bodies that nest too deeply end the reading`() throws {
        var body: [UInt8] = []
        for _ in 0..<100_000 { body += [1, UInt8(ascii: "v"), 0] }
        body += [1, UInt8(ascii: "y"), 0, 5]
        var bytes = try Message.signal(path: "/", interface: "a.b", member: "C") { (body) throws(DBusError) in
            try body.value(.variant(.byte(5)))
        }.stamped(serial: 1, sender: nil).bytes
        bytes.removeLast(4)
        bytes += body
        unsafe withUnsafeBytes(of: UInt32(body.count)) { unsafe bytes.replaceSubrange(4..<8, with: $0) }
        let message = try #require(received(bytes))
        #expect(throws: DBusError.self) { try message.values }
        try message.read { (body) throws(DBusError) in body.skip() }
    }

    @Test func `Signatures are valid if they consist of complete types`() {
        for (text, isValid, isOne): (String, Bool, Bool) in [
            ("", true, false), ("y", true, true), ("v", true, true), ("as", true, true), ("a{sv}", true, true),
            ("(yas)", true, true), ("a(y(uu))", true, true), ("sa{sv}as", true, false), ("aay", true, true),
            ("a", false, false), ("aa", false, false), ("(", false, false), ("()", false, false), ("(y", false, false),
            ("y)", false, false), ("{sv}", false, false), ("a{vs}", false, false), ("a{s}", false, false),
            ("a{svv}", false, false), ("a{sv", false, false), ("z", false, false), ("a{(y)s}", false, false),
            (String(repeating: "a", count: 32) + "y", true, true),
            (String(repeating: "a", count: 33) + "y", false, false),
            (String(repeating: "(", count: 32) + "y" + String(repeating: ")", count: 32), true, true),
            (String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33), false, false),
        ] {
            var text = text
            let found = text.withUTF8 { unsafe (WireSignature.isValid($0), WireSignature.isOneType($0)) }
            #expect(found == (isValid, isOne), "\(text)")
        }
    }
}
