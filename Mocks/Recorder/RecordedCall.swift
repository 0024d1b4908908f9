public import DBus
import RxBluetoothSupport

/// A call that a client made to the simulated bluetoothd, with its reply.
public struct RecordedCall: Hashable, Sendable {
    /// The reply to a call.
    public enum Reply: Hashable, Sendable {
        /// There is no reply yet, or the call expects no reply.
        case none
        /// The call succeeded with these values.
        case values([Value])
        /// The call failed.
        case error(DBusError)
    }

    /// The number of the call, from 0 since the simulation began.
    public let number: Int
    /// The unique name of the client.
    public let sender: String
    /// The object path.
    public let path: String
    /// The interface, for example `org.bluez.Adapter1`; empty if the call has none.
    public let interface: String
    /// The method.
    public let member: String
    /// The arguments.
    public let arguments: [Value]
    /// The time from the creation of the simulation until the call arrived.
    public let time: Duration
    /// Whether a ``CompetingClient`` made the call.
    public let isFromCompetingClient: Bool
    /// The reply.
    public internal(set) var answer = Reply.none
    /// The time from the creation of the simulation until the reply was sent; nil while the call waits.
    public internal(set) var answered: Duration?
    /// The number of the first call after the reply.
    var next: Int?

    /// Whether the reply is an error.
    public var hasFailed: Bool {
        if case .error = answer { true } else { false }
    }
}

extension RecordedCall: CustomStringConvertible {
    /// The path, the last component of the interface, and the method.
    ///
    /// Example: `/org/bluez/hci0 Adapter1.StartDiscovery`.
    public var description: String { "\(path) \(interface.split(separator: ".").last ?? "").\(member)" }

    /// The description with the arguments.
    ///
    /// Example: `… Properties.Set("org.bluez.Adapter1", "Powered", true)`.
    public var withArguments: String { description + "(" + arguments.map(\.shown).joined(separator: ", ") + ")" }
}

extension Value {
    /// The value as shown in the message of a failed test.
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
        case .bytes(let bytes): "<" + bytes.hexadecimal() + ">"
        case .array(_, let values): "[" + values.map(\.shown).joined(separator: ", ") + "]"
        case .dictionary(_, _, let entries):
            "{" + entries.map { "\($0.key.shown): \($0.value.shown)" }.joined(separator: ", ") + "}"
        case .structure(let members): "(" + members.map(\.shown).joined(separator: ", ") + ")"
        case .variant(let value): value.shown
        }
    }
}
