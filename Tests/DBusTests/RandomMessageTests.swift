import DBus
import Testing

/// Random message bodies. The seed is fixed, so that a failure can be repeated.
@Suite struct RandomMessageTests {
    /// A random number generator (SplitMix64).
    struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private func basic(_ dice: inout Dice) -> Value {
        switch Int.random(in: 0..<11, using: &dice) {
        case 0: .bool(.random(using: &dice))
        case 1: .byte(.random(in: 0...255, using: &dice))
        case 2: .int16(.random(in: .min ... .max, using: &dice))
        case 3: .uint16(.random(in: .min ... .max, using: &dice))
        case 4: .int32(.random(in: .min ... .max, using: &dice))
        case 5: .uint32(.random(in: .min ... .max, using: &dice))
        case 6: .int64(.random(in: .min ... .max, using: &dice))
        case 7: .uint64(.random(in: .min ... .max, using: &dice))
        case 8: .double(.random(in: -1...1, using: &dice))
        case 9: .objectPath(Bool.random(using: &dice) ? "/" : "/org/bluez/hci0")
        default: .string(["", "a", "häm", "\u{1F600}\u{202E}", "org.bluez.Device1"].randomElement(using: &dice) ?? "")
        }
    }

    private func any(_ depth: Int, _ dice: inout Dice) -> Value {
        guard depth > 0 else { return basic(&dice) }
        let inner = any(depth - 1, &dice)
        let count = Int.random(in: 0...3, using: &dice)
        switch Int.random(in: 0..<6, using: &dice) {
        case 0: return .variant(inner)
        case 1: return .structure([inner, basic(&dice)])
        case 2 where inner.signature != "y": return .array(of: inner.signature, Array(repeating: inner, count: count))
        case 3:
            let key = basic(&dice)
            return .dictionary(
                key: key.signature, value: inner.signature, Array(repeating: Value.Entry(key, inner), count: count))
        case 4: return .bytes(Array(repeating: 7, count: count))
        default: return inner
        }
    }

    private func bodies(_ count: Int) -> [[Value]] {
        var dice = Dice(state: 42)
        return (0..<count).map { number in (0..<number % 5).map { _ in any(number % 6, &dice) } }
    }

    private func message(_ values: [Value]) throws -> Message {
        try .signal(path: "/test", interface: "org.example.Test", member: "Random") { (body) throws(DBusError) in
            for value in values { try body.value(value) }
        }
    }

    @Test func `Random bodies are read as they were written`() throws {
        for values in bodies(600) { #expect(try message(values).values == values) }
    }

    @Test func `Reading random bodies as wrong types throws and does not move the reader`() throws {
        for values in bodies(300) {
            let signal = try message(values)
            #expect(signal.error == nil)
            for rule in [
                MatchRule(sender: "a.b", firstArgument: "a"), MatchRule(sender: "a.b", firstArgumentPath: "/org"),
            ] { _ = rule.matches(signal) }
            try signal.read { (body) throws(DBusError) in
                for value in values {
                    let type = body.type
                    if type.rawValue != 0x71 { #expect(throws: DBusError.self) { try body.uint16() } }
                    if type.rawValue != 0x73 { #expect(throws: DBusError.self) { try body.withString { $0.count } } }
                    if type.rawValue != 0x76 { #expect(throws: DBusError.self) { try body.variant { _ in } } }
                    #expect(throws: DBusError.self) { _ = try body.descriptor().number }
                    if value.signature != "as" { #expect(throws: DBusError.self) { try body.strings() } }
                    if value.signature != "ay" { #expect(throws: DBusError.self) { try body.bytes() } }
                    #expect(try body.value() == value)
                }
            }
        }
    }

    // If a body were invalid, the bus would disconnect the sender, and the test would fail.
    @Test func `A real bus delivers random bodies unchanged`() async throws {
        let bus = PrivateBus()
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let received = Record<[Value]>()
        _ = listener.subscribe(MatchRule(sender: name)) { received.add((try? $0.values) ?? [.string("malformed")]) }
        try await listener.settle()
        let sent = bodies(300)
        for values in sent { speaker.send(try message(values)) }
        #expect(try await received.first(300) == sent)
    }
}
