import DBus

/// Answers calls as BlueZ's gdbus/object.c does, including its error texts.
extension ObjectTree {
    func answer(_ call: IncomingCall) {
        do throws(DBusError) { try run(call) } catch { fail(call, error) }
    }

    private func run(_ call: IncomingCall) throws(DBusError) {
        let message = call.message
        guard let path = message.path else { return }
        let object = object(at: path)
        switch (message.interface, message.member, message.signature) {
        case (Self.introspectable, "Introspect", "") where object != nil || path == .root:
            let text = Introspection.text(of: object, isRoot: path == .root, nodes: children(of: path) ?? [])
            return reply(call) { (body) throws(DBusError) in try body.string(text) }
        case (Self.introspectable, "Introspect", _), (nil, "Introspect", _):
            // gdbus has no object or no method for this call, so libdbus answers it, at any path.
            let text = Introspection.plainText(nodes: children(of: path) ?? [])
            return reply(call) { (body) throws(DBusError) in try body.string(text) }
        case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "") where path == .root:
            return replyWithAll(call)
        case ("org.freedesktop.DBus.Properties", "Get", "ss"):
            if let object, object.hasProperties { return try get(object, call) }
        case ("org.freedesktop.DBus.Properties", "GetAll", "s"):
            if let object, object.hasProperties { return try getAll(object, call) }
        case ("org.freedesktop.DBus.Properties", "Set", "ssv"):
            if let object, object.hasProperties { return try set(object, call) }
        case (let name?, let member?, let signature):
            if let interface = object?.interface(named: name),
                try interface.run(call, member: member, signature: signature)
            {
                return
            }
        default: break
        }
        let isKnown = object != nil || children(of: path) != nil
        throw DBusError(
            name: isKnown ? DBusError.Name.unknownMethod : DBusError.Name.unknownObject,
            message: BusErrorTexts.unknownMethod(message))
    }

    private func replyWithAll(_ call: IncomingCall) {
        let all = asListed
        reply(call) { (body) throws(DBusError) in
            try body.array(of: "{oa{sa{sv}}}") { (objects) throws(DBusError) in
                for object in all {
                    try objects.entry { (entry) throws(DBusError) in
                        try entry.objectPath(object.path)
                        try self.append(object, to: &entry)
                    }
                }
            }
        }
    }

    private func get(_ object: ServedObject, _ call: IncomingCall) throws(DBusError) {
        let (interface, name) = try call.message.read { (body) throws(DBusError) in
            (try body.string(), try body.string())
        }
        let unknown = DBusError.invalidArgument("No such property '\(name)'")
        if Self.plain.contains(interface) { throw unknown }
        let served = try find(interface, of: object)
        guard let index = served.index(of: name), let value = served.value(index) else { throw unknown }
        reply(call) { (body) throws(DBusError) in
            try body.variant(of: served.property(index).type) { (content) throws(DBusError) in
                try content.value(value)
            }
        }
    }

    private func getAll(_ object: ServedObject, _ call: IncomingCall) throws(DBusError) {
        let interface = try call.message.read { (body) throws(DBusError) in try body.string() }
        if Self.plain.contains(interface) {
            return reply(call) { (body) throws(DBusError) in try body.properties([:]) }
        }
        let served = try find(interface, of: object)
        reply(call) { (body) throws(DBusError) in try served.append(to: &body) }
    }

    private func set(_ object: ServedObject, _ call: IncomingCall) throws(DBusError) {
        let (interface, name, value) = try call.message.read { (body) throws(DBusError) in
            (
                try body.string(), try body.string(),
                try body.variant { (content) throws(DBusError) in try content.value() }
            )
        }
        let unknown = DBusError(name: DBusError.Name.unknownProperty, message: "No such property '\(name)'")
        if Self.plain.contains(interface) { throw unknown }
        let served = try find(interface, of: object)
        guard let index = served.index(of: name) else { throw unknown }
        guard served.isWritable(index) else {
            throw DBusError(name: DBusError.Name.propertyReadOnly, message: "Property '\(name)' is not writable")
        }
        guard served.value(index) != nil else { throw unknown }
        guard value.signature == served.property(index).type else {
            throw DBusError(name: DBusError.Name.invalidSignature, message: "Invalid signature for '\(name)'")
        }
        served.set(index, value, call)
    }

    private static let introspectable = "org.freedesktop.DBus.Introspectable"
    /// The standard interfaces of objects that have no properties themselves.
    private static let plain = [introspectable, "org.freedesktop.DBus.Properties"]

    private func find(_ interface: String, of object: ServedObject) throws(DBusError) -> ServedInterface {
        guard let found = object.interface(named: interface) else {
            throw .invalidArgument("No such interface '\(interface)'")
        }
        return found
    }
}
