/// The bus's own object, and names.
extension Bus {
    /// Follows who owns a well-known name: `handler` gets the present owner's unique name, nil for nobody, and then each
    /// change. It hears of a change after everything that the old owner sent, and before what the new one sends. Where the
    /// bus itself is lost it hears nothing; ``whenDisconnected(_:)`` tells that.
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
        guard
            let question = try? Message.call(
                to: BusName.daemon, path: "/org/freedesktop/DBus", interface: BusName.daemon, member: "GetNameOwner",
                { (body) throws(DBusError) in try body.string(name) })
        else { preconditionFailure("“\(name)” is not a bus name.") }
        let answer = call(question, timeout: .seconds(25)) { [weak self] result in
            switch result {
            case .success(let reply): handler(try? reply.read { (body) throws(DBusError) in try body.string() })
            case .failure(let error) where error.name == DBusError.Name.nameHasNoOwner: handler(nil)
            // `whenDisconnected` tells that.
            case .failure(let error) where error.name == DBusError.Name.disconnected: break
            // A bus that is given up for its silence fails its calls so, too; then its loss is told first. Whatever else
            // a bus answers, nobody is told of as the owner.
            case .failure: self?.perform { handler(nil) }
            }
        }
        return BusTask {
            changes.cancel()
            answer.cancel()
        }
    }
}

/// Names on every bus.
public enum BusName {
    /// The bus itself: name and interface.
    public static let daemon = "org.freedesktop.DBus"
}
