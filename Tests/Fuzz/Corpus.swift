import DBus

/// Well-formed messages, as bluetoothd and the bus send them.
struct Corpus: Sendable {
    let templates: [Template]
    /// How many templates, at the beginning of the list, are frequent. Most cases use these templates.
    let common: Int
    /// The well-formed reply to each method, by the name of the method.
    let answers: [String: Message]
    /// The signal with which bluetoothd reports a lost link.
    let loss: Message

    /// A message to mutate, and how the mutated message reaches the client.
    struct Template: Sendable {
        let name: String
        let route: Route
        let head: Head
        let body: [Value]
        let bytes: [UInt8]
    }

    /// The way in which a message reaches the client.
    enum Route: Sendable {
        case signal
        /// The message answers a call of this method.
        case answer(to: String)
    }

    /// The header of a message.
    enum Head: Sendable {
        case signal(path: String, interface: String, member: String)
        case reply
        case error(String)

        func message(_ body: [Value]) throws(DBusError) -> Message {
            let message: Message
            switch self {
            case .signal(let path, let interface, let member):
                guard let path = ObjectPath(path) else { throw .invalidArgument("“\(path)” is not an object path.") }
                message = try .signal(path: path, interface: interface, member: member) { (writer) throws(DBusError) in
                    for value in body { try writer.value(value) }
                }
            case .reply:
                message = try .reply(to: Corpus.call) { (writer) throws(DBusError) in
                    for value in body { try writer.value(value) }
                }
            case .error(let name):
                var text = ""
                if case .string(let message)? = body.first { text = message }
                message = try .failure(of: Corpus.call, DBusError(name: name, message: text))
            }
            return message.stamped(serial: 77, sender: ":1.1")
        }
    }

    func pick(_ dice: inout Dice) -> Template { templates[dice.roll(dice.chance(60) ? common : templates.count)] }

    /// The call to which all replies and errors of the corpus refer.
    private static let call: Message = {
        guard
            let call = try? Message.call(
                to: "org.bluez", path: "/", interface: "org.freedesktop.DBus.ObjectManager",
                member: "GetManagedObjects")
        else { preconditionFailure("A call cannot be made.") }
        return call.stamped(serial: 5, sender: ":1.7")
    }()

    init() throws(DBusError) {
        var templates: [Template] = []
        for (name, route, head, body) in Self.rows {
            templates.append(
                Template(name: name, route: route, head: head, body: body, bytes: try head.message(body).bytes))
        }
        self.templates = templates
        common = Self.advertisements.count
        loss = try Head.signal(
            path: BlueZObjects.device, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged"
        ).message([.string("org.bluez.Device1"), .properties(["Connected": .bool(false)]), .strings([])])
        answers = [
            "GetNameOwner": try Head.reply.message([.string(":1.1")]),
            "GetManagedObjects": try Head.reply.message([BlueZObjects.all]),
            "Get": try Head.reply.message([.variant(.bool(true))]),
            "ReadValue": try Head.reply.message([.bytes([1, 2, 3])]),
            "": try Head.reply.message([]),
        ]
    }
}
