import FoundationEssentials
import RxBluetooth
import RxBluetoothSupport

// The messages on the topics of connections and results.
extension GATTEvent {
    /// Returns the event as a JSON object in UTF-8, without control characters.
    ///
    /// It begins with the address and the name of the device, because devices with one name may share a topic. In a
    /// result, the address has the key `address`, because `id` is that of the command.
    public func payload(of device: MessageDevice) -> [UInt8] {
        let name = device.name.map { [JSONNode.Member("name", .string($0))] } ?? []
        let address = JSONNode.string(device.address.description)
        if case .result(let result) = content {
            return JSON(result.members + [JSONNode.Member("address", address)] + name).bytes
        }
        var members = [JSONNode.Member("id", address)] + name
        members.append(JSONNode.Member("time", .string(time.formatted(Self.timeStyle))))
        switch content {
        case .state(let state): members.append(JSONNode.Member("state", .string(state.rawValue)))
        case .value(let value): members += value.members
        case .failure(let failure): members.append(JSONNode.Member("error", failure.json))
        case .result: break
        }
        return JSON(members).bytes
    }

    private static let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension GATTValue {
    fileprivate var members: [JSONNode.Member] {
        var members = [
            JSONNode.Member("characteristic", .string(characteristic.description)),
            JSONNode.Member("characteristic_name", .string(name)),
            JSONNode.Member("hex", .string(HexDigits.text(bytes))),
        ]
        if let service { members.append(JSONNode.Member("service", .string(service.description))) }
        if let fields { members.append(JSONNode.Member("fields", .fields(fields))) }
        return members
    }
}

extension GATTFailure {
    fileprivate var json: JSONNode {
        var details = [JSONNode.Member("kind", .string(kind)), JSONNode.Member("text", .string(text))]
        if let characteristic {
            details.append(JSONNode.Member("characteristic", .string(characteristic.description)))
        }
        return .object(details)
    }
}

extension JSON {
    /// Converts members for a message, in which names of devices are escaped as in readings.
    fileprivate init(_ members: [JSONNode.Member]) { self = .object(members.map { ($0.key, JSON($0.value)) }) }

    private init(_ node: JSONNode) {
        switch node {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map { JSON($0) })
        case .object(let members): self = .object(members.map { ($0.key, JSON($0.value)) })
        }
    }
}
