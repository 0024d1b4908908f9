import DBus
import TestTraits
import Testing

/// The number of match rules that a connection adds to the bus, from the statistics of the bus.
@Suite struct MatchRuleCountTests {
    let bus = PrivateBus()

    /// Returns the match rules of a connection, from the statistics of the bus.
    private func rules(of name: String) async throws -> [String] {
        let reply = try await bus.connect().ask(
            .call(
                to: BusName.daemon, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus.Debug.Stats",
                member: "GetAllMatchRules"))
        var rules: [String] = []
        try reply.read { (body) throws(DBusError) in
            try body.dictionary { (entry) throws(DBusError) in
                let isOurs = try entry.string() == name
                try entry.array { (rule) throws(DBusError) in
                    let text = try rule.string()
                    if isOurs { rules.append(text) }
                }
            }
        }
        return rules
    }

    @Test(.proves(.Q10)) func `Subscribers of one rule share one match rule, removed with the last of them`()
        async throws
    {
        let (listener, name) = try await bus.connected()
        let rule = MatchRule(sender: BusName.daemon, interface: BusName.daemon, member: "NameLost")
        let tasks = (0..<5).map { _ in listener.subscribe(rule) { _ in } }
        try await listener.settle()
        #expect(try await rules(of: name).count == 1)
        for task in tasks.dropLast() { task.cancel() }
        try await listener.settle()
        #expect(try await rules(of: name).count == 1)
        tasks.last?.cancel()
        try await listener.settle()
        #expect(try await rules(of: name).isEmpty)
        // The connection can add a rule again after it has removed the rule.
        let again = listener.subscribe(rule) { _ in }
        try await listener.settle()
        #expect(try await rules(of: name).count == 1)
        again.cancel()
    }

    @Test(.proves(.Q10)) func `Subscribers share one match rule for a name owner; the last one removes it`()
        async throws
    {
        let (listener, name) = try await bus.connected()
        let tasks = ["A", "B", "B"].map {
            listener.subscribe(MatchRule(sender: "org.example.Service", member: $0)) { _ in }
        }
        try await listener.settle()
        #expect(try await rules(of: name).count == 3)
        tasks[0].cancel()
        tasks[1].cancel()
        try await listener.settle()
        let left = try await rules(of: name)
        #expect(left.count == 2)
        #expect(left.contains { $0.contains("NameOwnerChanged") && $0.contains("org.example.Service") }, "\(left)")
        tasks[2].cancel()
        try await listener.settle()
        #expect(try await rules(of: name).isEmpty)
    }

    @Test(.proves(.Q10)) func `Watching the owner of a name leaves no rule behind`() async throws {
        let (listener, name) = try await bus.connected()
        let owners = Record<String?>()
        let task = listener.watchOwner(of: "org.example.Watched") { owners.add($0) }
        _ = try await owners.first(1)
        #expect(try await rules(of: name).count == 1)
        task.cancel()
        try await listener.settle()
        #expect(try await rules(of: name).isEmpty)
    }
}
