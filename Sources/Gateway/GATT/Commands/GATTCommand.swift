import FoundationEssentials
import RxBluetooth

/// A command for a device: steps that run one after another on one link.
struct GATTCommand: Hashable, Sendable {
    /// The identifier that the sender chose. The result repeats it.
    var id: String
    var steps: [Step]
    /// The longest time from the arrival of the command to its result.
    var deadline: Duration
    /// When the command was sent; nil if the sender does not say.
    var created: Date?

    /// One operation of a command.
    enum Step: Hashable, Sendable {
        case read(Attribute)
        case write(Attribute, [UInt8], withResponse: Bool?)
        /// Waits for the next notified value that arrives after the beginning of the last write.
        case wait(Attribute, within: Duration)
    }

    /// A characteristic, by its UUIDs.
    struct Attribute: Hashable, Sendable {
        var uuid: BluetoothUUID
        /// The service; nil if only one service has the characteristic.
        var service: BluetoothUUID?
    }

    static let maximumSteps = 32
    static let longestIdentifier = 64
    static let defaultDeadline = Duration.seconds(30)
    static let longestDeadline = Duration.seconds(120)
    static let defaultWait = Duration.seconds(5)
}

extension GATTCommand.Step {
    var attribute: GATTCommand.Attribute {
        switch self {
        case .read(let attribute), .write(let attribute, _, _), .wait(let attribute, _): attribute
        }
    }
}

/// Why a command is not executed, or did not succeed.
struct CommandFailure: Error, Hashable, Sendable {
    /// A word for programs. Failures of Bluetooth have the words of `BluetoothError.code`.
    var kind: String
    /// What failed, the cause, and what to do, in one line.
    var text: String
    /// The number of the step that failed, from 0; nil if no step began.
    var step: Int?
    /// Whether a step may have taken effect although the command failed.
    var isOutcomeUnknown = false
    /// Whether the cause is the end of the link, so the next command waits for the next link.
    var isLinkEnd = false

    static func invalid(_ text: String, step: Int? = nil) -> CommandFailure {
        CommandFailure(kind: "invalid-command", text: text, step: step)
    }
}

// MARK: - Reading JSON

extension GATTCommand {
    /// Returns the identifier of a command that may have other errors; nil if it has none that a result can repeat.
    static func identifier(of json: JSONNode) -> String? {
        switch json["id"] {
        case .string(let text) where !text.isEmpty && text.utf8.count <= longestIdentifier: text
        case .number(let number) where number == number.rounded() && abs(number) < 1e15: String(Int64(number))
        default: nil
        }
    }

    /// Returns the identifier in a message that may not be a command; nil if it has none that a result can repeat.
    static func identifier(ofPayload payload: [UInt8]) -> String? {
        (try? JSONParser.parse(payload)).flatMap { identifier(of: $0) }
    }

    /// Reads a command. Unknown keys are errors, because a misspelled key would change what the command does.
    init(json: JSONNode) throws(CommandFailure) {
        guard case .object(let members) = json else { throw .invalid("A command is a JSON object") }
        guard let id = Self.identifier(of: json) else {
            let problem = json["id"] == nil ? "is missing" : "is invalid"
            throw .invalid(
                "“id” \(problem); give a text of 1 to \(Self.longestIdentifier) bytes, "
                    + "or a whole number of at most 15 digits")
        }
        self.id = id
        deadline = try Self.duration(json["deadline"], "deadline", Self.longestDeadline) ?? Self.defaultDeadline
        created = try Self.time(json["created"])
        if let list = json["steps"] {
            try Self.checkKeys(members, ["id", "created", "deadline", "steps"], step: nil)
            guard case .array(let items) = list, (1...Self.maximumSteps).contains(items.count) else {
                throw .invalid("“steps” is a list of 1 to \(Self.maximumSteps) steps")
            }
            steps = []
            for (index, item) in items.enumerated() {
                do throws(CommandFailure) { steps.append(try Step(json: item, allowing: [])) } catch {
                    throw .invalid(error.text, step: index)
                }
            }
        } else {
            steps = [try Step(json: json, allowing: ["id", "created", "deadline"])]
        }
    }

    fileprivate static func checkKeys(
        _ members: [JSONNode.Member], _ known: Set<String>, step: Int?
    ) throws(CommandFailure) {
        guard let unknown = members.first(where: { !known.contains($0.key) }) else { return }
        throw .invalid("Unknown key “\(unknown.key.prefix(40))”; known are \(known.sorted().joined(separator: ", "))")
    }

    /// Returns a time: text such as `2026-11-27T22:00:00Z`, or a number of seconds since 1970.
    private static func time(_ json: JSONNode?) throws(CommandFailure) -> Date? {
        switch json {
        case nil: return nil
        case .number(let seconds) where abs(seconds) < 1e11: return Date(timeIntervalSince1970: seconds)
        case .string(let text):
            for hasFraction in [false, true] {
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
                if let date = try? style.parse(text) { return date }
            }
        default: break
        }
        throw .invalid("“created” is a time such as 2026-11-27T22:00:00Z, or a number of seconds since 1970")
    }

    /// Returns a duration: a number of seconds, or text such as `500ms`, `5s`, `1m`.
    fileprivate static func duration(
        _ json: JSONNode?, _ key: String, _ maximum: Duration
    ) throws(CommandFailure) -> Duration? {
        guard let json else { return nil }
        var seconds: Double?
        switch json {
        case .number(let number): seconds = number
        case .string(let text):
            for (unit, factor) in [("ms", 0.001), ("s", 1.0), ("m", 60.0)] where text.hasSuffix(unit) {
                seconds = Double(text.dropLast(unit.count)).map { $0 * factor }
                break
            }
        default: break
        }
        let limit = Double(maximum.components.seconds)
        guard let seconds, seconds > 0, seconds <= limit else {
            throw .invalid("“\(key)” is a duration such as 5s, of more than 0 and at most \(Int(limit)) s")
        }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}

extension GATTCommand.Step {
    fileprivate init(json: JSONNode, allowing others: Set<String>) throws(CommandFailure) {
        guard case .object(let members) = json else { throw .invalid("A step is a JSON object") }
        let operations = ["read", "write", "wait"].filter { json[$0] != nil }
        guard operations.count == 1, let operation = operations.first else {
            throw .invalid("A step has one of the keys read, write and wait")
        }
        let attribute = GATTCommand.Attribute(
            uuid: try Self.uuid(json[operation], operation),
            service: try json["service"].map { service throws(CommandFailure) in try Self.uuid(service, "service") })
        switch operation {
        case "read":
            try GATTCommand.checkKeys(members, others.union(["read", "service"]), step: nil)
            self = .read(attribute)
        case "wait":
            try GATTCommand.checkKeys(members, others.union(["wait", "service", "within"]), step: nil)
            let within = try GATTCommand.duration(json["within"], "within", GATTCommand.longestDeadline)
            self = .wait(attribute, within: within ?? GATTCommand.defaultWait)
        default:
            try GATTCommand.checkKeys(
                members, others.union(["write", "service", "value", "text", "typed", "response"]), step: nil)
            self = .write(
                attribute, try Self.bytes(json, of: attribute.uuid), withResponse: try Self.response(json["response"]))
        }
    }

    private static func uuid(_ json: JSONNode?, _ key: String) throws(CommandFailure) -> BluetoothUUID {
        guard let text = json?.text, text.utf8.count <= 40, let uuid = BluetoothUUID(text) else {
            throw .invalid("“\(key)” is a UUID such as 2A19")
        }
        return uuid
    }

    private static func response(_ json: JSONNode?) throws(CommandFailure) -> Bool? {
        switch json {
        case nil: return nil
        case .bool(let response): return response
        default: throw .invalid("“response” is true or false")
        }
    }

    private static func bytes(_ json: JSONNode, of uuid: BluetoothUUID) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        switch (json["value"], json["text"], json["typed"]) {
        case (.string(let digits)?, nil, nil):
            guard let value = HexDigits.bytes(digits) else { throw .invalid("“value” is text of hexadecimal digits") }
            bytes = value
        case (nil, .string(let text)?, nil): bytes = Array(text.utf8)
        case (nil, nil, let typed?): bytes = try TypedAttribute.encode(typed, of: uuid)
        default: throw .invalid("A write has one of the keys value (hexadecimal digits), text and typed")
        }
        guard bytes.count <= Characteristic.longestValue else {
            throw .invalid("The value has \(bytes.count) bytes; a characteristic holds \(Characteristic.longestValue)")
        }
        return bytes
    }
}
