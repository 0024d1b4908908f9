/// Names: who owns those that rules name, and one of our own.
extension Core {
    private static func changes(of name: String) -> MatchRule {
        MatchRule(sender: BusName.daemon, interface: BusName.daemon, member: "NameOwnerChanged", firstArgument: name)
    }

    func learnOwner(of name: String) -> NameOwner {
        if let owner = owners[name] {
            owner.users += 1
            return owner
        }
        let owner = NameOwner()
        owner.users = 1
        owners[name] = owner
        addRule(Self.changes(of: name))
        ask("GetNameOwner", name) { [weak owner] result in
            owner?.name = try? result.get().read { (body) throws(DBusError) in try body.string() }
        }
        return owner
    }

    func forgetOwner(of name: String) {
        guard let owner = owners[name] else { return }
        owner.users -= 1
        guard owner.users == 0 else { return }
        owners[name] = nil
        removeRule(Self.changes(of: name))
    }

    /// The bus tells of a change after everything that the old owner sent and before what the new one sends.
    func noteOwner(_ signal: Message) {
        guard signal.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), signal.isSent(by: BusName.daemon) else {
            return
        }
        _ = try? signal.read { (body) throws(DBusError) in
            let name = try body.string()
            guard let owner = owners[name] else { return }
            body.skip()
            let new = try body.string()
            owner.name = new.isEmpty ? nil : new
        }
    }

    /// Asks the bus itself. These calls are few and do not wait for a turn: their place among the rules matters.
    func ask(
        _ member: String, _ argument: String? = nil, _ done: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) {
        // The bus answers or goes away, so no deadline.
        let call = PendingCall(self, .seconds(Int64.max), done)
        call.message = try? Message.toBus(member) { (body) throws(DBusError) in
            if let argument { try body.string(argument) }
        }
        dispatch(call)
    }

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        let doNotQueue: UInt32 = 4
        guard Syntax.isBusName(name), name.utf8.first != UInt8(ascii: ":"),
            let request = try? Message.toBus(
                "RequestName",
                { (body) throws(DBusError) in
                    try body.string(name)
                    body.uint32(doNotQueue)
                })
        else { return perform { done(.invalidArgument("“\(name)” is not a well-known name.")) } }
        call(request, timeout: .seconds(25)) { result in
            do throws(DBusError) {
                // 1: we own it now; 4: we did already.
                let code = try result.get().read { (body) throws(DBusError) in try body.uint32() }
                if code == 1 || code == 4 { done(nil) } else { self.sayWhoHas(name, done) }
            } catch { done(error) }
        }
    }

    private func sayWhoHas(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        ask("GetNameOwner", name) { result in
            let owner = try? result.get().read { (body) throws(DBusError) in try body.string() }
            let text = "“\(name)” belongs to \(owner ?? "another connection")."
            done(DBusError(name: DBusError.Name.addressInUse, message: text))
        }
    }
}

extension Message {
    /// A call to the bus itself.
    static func toBus(
        _ member: String, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> Message {
        try call(to: BusName.daemon, path: "/org/freedesktop/DBus", interface: BusName.daemon, member: member, body)
    }
}
