public import DBus

/// A `PropertiesChanged` signal that no correct daemon sends.
public enum MalformedSignal: String, CaseIterable, Sendable {
    /// `RSSI` is a string.
    case wrongType = "wrong-type"
    /// The signal has an unknown property.
    case unknownProperty = "unknown-property"
    /// The signal is for an object that does not exist.
    case goneObject = "gone-object"
    /// The interface is not an interface of BlueZ.
    case unknownInterface = "unknown-interface"
    /// The body has too few arguments.
    case shortBody = "short-body"
}

extension SimulatedBlueZ {
    /// Sends a malformed signal about a peripheral on `hciN`, whether or not the device exists.
    public func send(_ signal: MalformedSignal, about address: String, adapter number: Int = 0) {
        let digits = address.uppercased().split(separator: ":").joined(separator: "_")
        let device = "/org/bluez/hci\(number)/dev_\(digits)"
        switch signal {
        case .wrongType: sendChanges(["RSSI": .string("strong")], of: "org.bluez.Device1", at: device)
        case .unknownProperty: sendChanges(["Flavour": .string("sweet")], of: "org.bluez.Device1", at: device)
        case .goneObject:
            sendChanges(["RSSI": .int16(-50)], of: "org.bluez.Device1", at: device + "/service0fff/char0fff")
            sendChanges(
                ["RSSI": .int16(-50)], of: "org.bluez.Device1", at: "/org/bluez/hci\(number)/dev_00_00_00_00_00_00")
        case .unknownInterface: sendChanges(["RSSI": .int16(-50)], of: "org.bluez.Device9", at: device)
        case .shortBody:
            send("PropertiesChanged", at: device) { (body) throws(DBusError) in try body.string("org.bluez.Device1") }
        }
    }

    /// Sends a `PropertiesChanged` signal in the daemon's name, with any content.
    /// Traps if the path or the interface is not valid D-Bus.
    public func sendChanges(
        _ properties: [String: Value], invalidating names: [String] = [], of interface: String, at path: String
    ) {
        send("PropertiesChanged", at: path) { (body) throws(DBusError) in
            try body.string(interface)
            try body.properties(properties)
            try body.value(.strings(names))
        }
    }

    private func send(
        _ member: String, at path: String, _ body: @escaping @Sendable (inout MessageWriter) throws(DBusError) -> Void
    ) {
        guard let path = ObjectPath(path) else { preconditionFailure("“\(path)” is not an object path.") }
        control { _, daemon in
            daemon?.loop.tree.signal(at: path, "org.freedesktop.DBus.Properties", member, body)
        }
    }
}
