public import DBus

/// A call that a client made to the simulated bluetoothd, and what it was answered.
public struct RecordedCall: Hashable, Sendable {
    /// What became of a call.
    public enum Reply: Hashable, Sendable {
        /// Nothing was sent so far. A call that wants no reply stays so.
        case none
        /// It succeeded with these values.
        case values([Value])
        /// It failed.
        case error(DBusError)
    }

    /// Its place among all calls since the simulation began, from 0.
    public let number: Int
    /// The unique name of the client.
    public let sender: String
    /// The object that was called.
    public let path: String
    /// The interface, for example `org.bluez.Adapter1`; empty where the call bore none.
    public let interface: String
    /// The method.
    public let member: String
    /// The arguments.
    public let arguments: [Value]
    /// When it came, since the simulation was made.
    public let time: Duration
    /// Whether a ``CompetingClient`` made it, not a client under test.
    public let isFromCompetingClient: Bool
    /// What it was answered.
    public internal(set) var answer = Reply.none
    /// When it was answered, since the simulation was made; nil while it waits.
    public internal(set) var answered: Duration?
    /// The number of the first call that came after the answer.
    var next: Int?

    /// Whether it was answered with an error.
    public var hasFailed: Bool {
        if case .error = answer { true } else { false }
    }
}

extension RecordedCall: CustomStringConvertible {
    /// Path, the interface's last word and the method, for example `/org/bluez/hci0 Adapter1.StartDiscovery`.
    public var description: String { "\(path) \(interface.split(separator: ".").last ?? "").\(member)" }

    /// The description with the arguments, for example `… Properties.Set("org.bluez.Adapter1", "Powered", true)`.
    public var withArguments: String { description + "(" + arguments.map(\.shown).joined(separator: ", ") + ")" }
}

extension Value {
    /// The value as a reader of a failed test wants to see it.
    fileprivate var shown: String {
        switch self {
        case .bool(let value): "\(value)"
        case .byte(let value): "\(value)"
        case .int16(let value): "\(value)"
        case .uint16(let value): "\(value)"
        case .int32(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .int64(let value): "\(value)"
        case .uint64(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value), .signature(let value): "\"\(value)\""
        case .objectPath(let path): path.description
        case .bytes(let bytes): "<" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ">"
        case .array(_, let values): "[" + values.map(\.shown).joined(separator: ", ") + "]"
        case .dictionary(_, _, let entries):
            "{" + entries.map { "\($0.key.shown): \($0.value.shown)" }.joined(separator: ", ") + "}"
        case .structure(let members): "(" + members.map(\.shown).joined(separator: ", ") + ")"
        case .variant(let value): value.shown
        }
    }
}
