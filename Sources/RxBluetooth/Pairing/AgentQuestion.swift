import DBus

/// A question of bluetoothd to an agent, as it came over the bus.
struct AgentQuestion {
    let device: DeviceKey
    let question: PairingRequest.Question

    /// Reads a call; nil where an agent has no such method. Source: BlueZ, `agent-api.txt`.
    init?(_ call: Message) throws(DBusError) {
        guard call.interface == nil || call.interface == BlueZ.agent else { return nil }
        let member = call.member ?? ""
        let read = try call.read { (body) throws(DBusError) -> (ObjectPath, PairingRequest.Question)? in
            guard Self.members.contains(member) else { return nil }
            let path = try body.objectPath()
            switch member {
            case "RequestPinCode": return (path, .pinCode)
            case "DisplayPinCode": return (path, .displayPinCode(try body.string()))
            case "RequestPasskey": return (path, .passkey)
            case "DisplayPasskey": return (path, .displayPasskey(try body.uint32(), entered: try body.uint16()))
            case "RequestConfirmation": return (path, .confirmation(try body.uint32()))
            case "RequestAuthorization": return (path, .authorization)
            default:
                let text = try body.string()
                guard let uuid = BluetoothUUID(text) else { throw .malformed("“\(text)” is not a UUID.") }
                return (path, .service(uuid))
            }
        }
        guard let (path, question) = read else { return nil }
        guard case .device(let key) = ObjectKey(path) else { throw .malformed("“\(path)” is not a device.") }
        device = key
        self.question = question
    }

    private static let members: Set<String> = [
        "RequestPinCode", "DisplayPinCode", "RequestPasskey", "DisplayPasskey", "RequestConfirmation",
        "RequestAuthorization", "AuthorizeService",
    ]
}
