import DBus

/// Builds and sends signals.
extension ObjectTree {
    /// Returns whether the object has been announced and has no pending changes.
    func isSettled(_ object: ServedObject) -> Bool { !object.isNew && !object.isPending }

    /// Sends a signal that was built before.
    func send(_ signal: Message) { bus.send(signal) }

    /// Sends and returns a `PropertiesChanged` signal with the properties at these indices.
    ///
    /// If `invalidating` is true, absent properties are listed as invalidated.
    @discardableResult
    func sendValues(of object: ServedObject, _ indices: [Int], invalidating: Bool = false) -> Message {
        sendValues(of: object.interface, at: object.path, indices, invalidating: invalidating)
    }

    @discardableResult
    func sendValues(
        of interface: ServedInterface, at path: ObjectPath, _ indices: [Int], invalidating: Bool
    ) -> Message {
        signal(at: path, "org.freedesktop.DBus.Properties", "PropertiesChanged") {
            (body) throws(DBusError) in
            try body.string(interface.name)
            var invalidated: [String] = []
            try body.array(of: "{sv}") { (entries) throws(DBusError) in
                for index in indices {
                    if let value = interface.value(index) {
                        try interface.append(index, value, to: &entries)
                    } else if invalidating {
                        invalidated.append(interface.property(index).name)
                    }
                }
            }
            try body.array(of: "s") { (names) throws(DBusError) in
                for name in invalidated { try names.string(name) }
            }
        }
    }

    @discardableResult
    func signal(
        at path: ObjectPath, _ interface: String, _ member: String,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) -> Message {
        do throws(DBusError) {
            let signal = try Message.signal(path: path, interface: interface, member: member, body)
            bus.send(signal)
            return signal
        } catch { preconditionFailure("\(interface).\(member) cannot be sent: \(error)") }
    }
}
