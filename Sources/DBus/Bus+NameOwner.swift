/// Well-known bus names.
public enum BusName {
    /// The bus itself: its bus name and its interface.
    public static let daemon = "org.freedesktop.DBus"
}

extension Bus {
    /// Reports the owner of a bus name, now and after each change.
    ///
    /// `handler` first gets the unique name of the present owner, or nil if the name has no owner. Then it gets each
    /// new owner: after all messages of the old owner, and before those of the new owner. The handler is not called
    /// when the bus is lost; ``whenDisconnected(_:)`` reports the loss.
    public func watchOwner(of name: String, _ handler: @escaping @Sendable (String?) -> Void) -> BusTask {
        let changes = subscribe(
            MatchRule(
                sender: BusName.daemon, interface: BusName.daemon, member: "NameOwnerChanged", firstArgument: name)
        ) { signal in
            let owner = try? signal.read { (body) throws(DBusError) in
                _ = try body.string()
                _ = try body.string()
                return try body.string()
            }
            if let owner { handler(owner.isEmpty ? nil : owner) }
        }
        guard let question = try? Message.toBus("GetNameOwner", { (body) throws(DBusError) in try body.string(name) })
        else { preconditionFailure("“\(name)” is not a bus name.") }
        let answer = call(question, timeout: .seconds(25)) { [weak self] result in
            switch result {
            case .success(let reply): handler(try? reply.read { (body) throws(DBusError) in try body.string() })
            case .failure(let error) where error.name == DBusError.Name.nameHasNoOwner: handler(nil)
            // Does not call the handler, because `whenDisconnected` reports the loss of the bus.
            case .failure(let error) where error.name == DBusError.Name.disconnected: break
            // Any other error also means that no owner is known. A bus that times out while opening fails
            // its calls before it runs disconnect handlers, so `handler` is called after them.
            case .failure: self?.perform { handler(nil) }
            }
        }
        return BusTask {
            changes.cancel()
            answer.cancel()
        }
    }
}

extension Message {
    /// Makes a method call to the message bus itself.
    static func toBus(
        _ member: String, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> Message {
        try call(to: BusName.daemon, path: "/org/freedesktop/DBus", interface: BusName.daemon, member: member, body)
    }
}
