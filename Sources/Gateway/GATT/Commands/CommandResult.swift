public import FoundationEssentials
public import RxBluetooth

/// The result of a command, which is published.
public struct CommandResult: Hashable, Sendable {
    /// The device of the command.
    public var address: BluetoothAddress
    /// The identifier of the command; nil if the command has none.
    public var id: String?
    /// The values of steps that succeeded.
    var values: [Value] = []
    /// Why the command failed; nil if all steps succeeded.
    var failure: CommandFailure?
    /// The time of the result.
    public var time: Date

    /// The value that a step read or received.
    struct Value: Hashable, Sendable {
        var step: Int
        var attribute: GATTCommand.Attribute
        var bytes: [UInt8]

        var fields: [DecodedField]? { TypedAttribute.decode(bytes, of: attribute.uuid) }
    }

    init(_ address: BluetoothAddress, id: String?, values: [Value] = [], failure: CommandFailure? = nil, time: Date) {
        self.address = address
        self.id = id
        self.values = values
        self.failure = failure
        self.time = time
    }

    /// Whether all steps succeeded.
    public var isSuccess: Bool { failure == nil }

    /// The word for the cause of the failure; nil after a success.
    public var failureKind: String? { failure?.kind }

    /// The result as JSON in UTF-8, for the topic of results.
    public var payload: [UInt8] { JSONNode.object(members).encoded }

    var members: [JSONNode.Member] {
        var members = [JSONNode.Member("id", .string(orNull: id)), JSONNode.Member("ok", .bool(isSuccess))]
        members.append(JSONNode.Member("time", .string(time.formatted(Self.timeStyle))))
        members.append(JSONNode.Member("values", .array(values.map(\.json))))
        if let failure {
            var details = [
                JSONNode.Member("kind", .string(failure.kind)), JSONNode.Member("text", .string(failure.text)),
            ]
            if let step = failure.step { details.append(JSONNode.Member("step", .number(Double(step)))) }
            if failure.isOutcomeUnknown { details.append(JSONNode.Member("outcome_unknown", .bool(true))) }
            members.append(JSONNode.Member("error", .object(details)))
        }
        return members
    }

    private static let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension CommandResult.Value {
    fileprivate var json: JSONNode {
        var members = [
            JSONNode.Member("step", .number(Double(step))),
            JSONNode.Member("characteristic", .string(attribute.uuid.description)),
            JSONNode.Member("hex", .string(HexDigits.text(bytes))),
        ]
        if let fields { members.append(JSONNode.Member("fields", .fields(fields))) }
        return .object(members)
    }
}

extension JSONNode {
    /// Returns the fields of a decoded value as an object. Of several fields with one name, the first is used.
    static func fields(_ fields: [DecodedField]) -> JSONNode {
        var names: Set<String> = []
        return .object(
            fields.filter { names.insert($0.name).inserted }
                .map { JSONNode.Member($0.name, $0.value.json) })
    }
}
