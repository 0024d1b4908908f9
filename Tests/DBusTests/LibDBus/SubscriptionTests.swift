import DBus
import Dispatch
import TestTraits
import Testing

@Suite struct SubscriptionTests {
    let bus = PrivateBus()

    /// Records the texts of the signals that match a rule.
    private func record(_ rule: MatchRule, on listener: Connection) -> Record<String> {
        let record = Record<String>()
        _ = listener.subscribe(rule) { record.add($0.text) }
        return record
    }

    @Test func `Only signals that match the rule are delivered`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let all = record(MatchRule(sender: name), on: listener)
        let member = record(MatchRule(sender: name, interface: "org.example.Test", member: "B"), on: listener)
        let below = record(MatchRule(sender: name, path: "/a/hci1", includesChildren: true), on: listener)
        let exact = record(MatchRule(sender: name, path: "/a/hci1"), on: listener)
        let argument = record(MatchRule(sender: name, firstArgument: "it's"), on: listener)
        try await listener.settle()
        speaker.send(try .testSignal("A", "1", path: "/a/hci1"))
        speaker.send(try .testSignal("B", "2", path: "/a/hci10"))
        speaker.send(try .testSignal("B", "it's", path: "/a/hci1/dev"))
        speaker.send(try .testSignal("A", "end", path: "/a"))
        #expect(try await all.first(4) == ["1", "2", "it's", "end"])
        #expect(member.elements == ["2", "it's"])
        #expect(below.elements == ["1", "it's"])
        #expect(exact.elements == ["1"])
        #expect(argument.elements == ["it's"])
    }

    @Test func `A rule can match the path in the first argument`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let paths = Record<String>()
        _ = listener.subscribe(MatchRule(sender: name, member: "Added", firstArgumentPath: "/org/bluez")) {
            paths.add((try? $0.read { (body) throws(DBusError) in try body.objectPath().description }) ?? "text")
        }
        let end = record(MatchRule(sender: name, member: "End"), on: listener)
        try await listener.settle()
        for path: ObjectPath in ["/org", "/org/bluez", "/org/bluez/hci0", "/org/bluez2/hci0", "/", "/org/bluez/a/b"] {
            speaker.send(
                try .signal(path: "/", interface: "org.example.Test", member: "Added") { (body) throws(DBusError) in
                    try body.objectPath(path)
                })
        }
        speaker.send(try .testSignal("End"))
        _ = try await end.first(1)
        #expect(paths.elements == ["/org/bluez/hci0", "/org/bluez/a/b"])
    }

    @Test(.proves(.Q17)) func `Signals of other senders are ignored`() async throws {
        let (owner, ownerName) = try await bus.connected()
        let (impostor, _) = try await bus.connected()
        let (listener, listenerName) = try await bus.connected()
        #expect(try await owner.own("org.example.Service") == nil)
        let received = record(MatchRule(sender: "org.example.Service", interface: "org.example.Test"), on: listener)
        let receivedByName = record(MatchRule(sender: ownerName, interface: "org.example.Test"), on: listener)
        let changes = record(MatchRule(sender: BusName.daemon, member: "NameOwnerChanged"), on: listener)
        try await listener.settle()

        impostor.send(try .testSignal("Changed", "broadcast of an impostor"))
        impostor.send(try .testSignal("Changed", "directed by an impostor", to: listenerName))
        // This forges the signal with which the bus reports that the impostor owns the name.
        impostor.send(
            try .signal(
                path: "/org/freedesktop/DBus", interface: BusName.daemon, member: "NameOwnerChanged", to: listenerName
            ) { (body) throws(DBusError) in
                for text in ["org.example.Service", "", impostor.uniqueName ?? ""] { try body.string(text) }
            })
        try await impostor.settle()
        owner.send(try .testSignal("Changed", "broadcast"))
        owner.send(try .testSignal("Changed", "directed", to: listenerName))
        #expect(try await received.first(2) == ["broadcast", "directed"])
        #expect(try await receivedByName.first(2) == ["broadcast", "directed"])
        #expect(changes.elements.isEmpty)
    }

    @Test(.proves(.Q17)) func `Signals are ignored while the name in the rule has no owner`() async throws {
        let (impostor, _) = try await bus.connected()
        let (listener, listenerName) = try await bus.connected()
        let received = record(MatchRule(sender: "org.example.Absent", interface: "org.example.Test"), on: listener)
        try await listener.settle()
        impostor.send(try .testSignal("Changed", "directed by an impostor", to: listenerName))
        try await impostor.settle()
        let (owner, _) = try await bus.connected()
        #expect(try await owner.own("org.example.Absent") == nil)
        owner.send(try .testSignal("Changed", "owner"))
        #expect(try await received.first(1) == ["owner"])
        // The signal must also be ignored after the name has lost its owner.
        owner.close()
        _ = try await owner.end()
        try await impostor.settle()
        impostor.send(try .testSignal("Changed", "directed by an impostor", to: listenerName))
        try await impostor.settle()
        try await listener.settle()
        #expect(received.elements == ["owner"])
    }

    @Test func `A rule follows the owner of its well-known name`() async throws {
        let listener = bus.connect()
        let received = record(MatchRule(sender: "org.example.Moving", interface: "org.example.Test"), on: listener)
        try await listener.settle()
        let observer = bus.connect()
        let owners = Record<String?>()
        _ = observer.watchOwner(of: "org.example.Moving") { owners.add($0) }
        _ = try await owners.first(1)
        for (count, round) in ["first", "second", "third"].enumerated() {
            let (owner, _) = try await bus.connected()
            owner.send(try .testSignal("Changed", "too early"))
            #expect(try await owner.own("org.example.Moving") == nil)
            owner.send(try .testSignal("Changed", round))
            try await owner.settle()
            owner.close()
            // Waits until the bus reports the name as free, which happens some time after `close`.
            #expect(try await owners.first(3 + 2 * count).last == .some(nil))
        }
        let end = record(MatchRule(sender: BusName.daemon, member: "NameOwnerChanged"), on: listener)
        try await listener.settle()
        let (last, _) = try await bus.connected()
        _ = try await last.own("org.example.End")
        _ = try await end.first(1)
        #expect(received.elements == ["first", "second", "third"])
    }

    @Test func `watchOwner reports the present owner and each change`() async throws {
        let listener = bus.connect()
        let owners = Record<String?>()
        let task = listener.watchOwner(of: "org.example.Watched") { owners.add($0) }
        #expect(try await owners.first(1) == [nil])
        let (first, firstName) = try await bus.connected()
        let (second, secondName) = try await bus.connected()
        _ = try await first.own("org.example.Watched")
        #expect(try await owners.first(2) == [nil, firstName])
        first.close()
        #expect(try await owners.first(3) == [nil, firstName, nil])
        _ = try await second.own("org.example.Watched")
        #expect(try await owners.first(4) == [nil, firstName, nil, secondName])
        let late = Promise<String?>()
        _ = listener.watchOwner(of: "org.example.Watched") { late.fulfil($0) }
        #expect(try await late.value() == secondName)
        task.cancel()
        second.close()
        try await listener.settle()
        #expect(owners.elements.count == 4)
    }

    @Test func `A subscription cancelled within a handler receives nothing more`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let rule = MatchRule(sender: name, member: "Changed")
        let tasks = Record<BusTask>()
        let first = Record<String>()
        let second = Record<String>()
        let added = Record<String>()
        tasks.add(
            listener.subscribe(rule) { [unowned listener] signal in
                first.add(signal.text)
                // Subscribes before it cancels, so that the rule keeps a subscriber and is not removed from the bus.
                _ = listener.subscribe(rule) { added.add($0.text) }
                for task in tasks.elements { task.cancel() }
            })
        tasks.add(listener.subscribe(rule) { second.add($0.text) })
        try await listener.settle()
        for text in ["1", "2", "3"] { speaker.send(try .testSignal("Changed", text)) }
        #expect(try await added.first(2) == ["2", "3"])
        #expect(first.elements == ["1"])
        #expect(second.elements.isEmpty)
    }

    @Test(.proves(.Q10)) func `A match rule stays until its last subscription is cancelled`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let rule = MatchRule(sender: name, member: "Changed")
        // All 600 subscriptions must share one rule: the bus refuses more than 512 rules.
        let all = (0..<600).map { _ in listener.subscribe(rule) { _ in } }
        let kept = record(rule, on: listener)
        for task in all { task.cancel() }
        try await listener.settle()
        speaker.send(try .testSignal("Changed", "kept"))
        #expect(try await kept.first(1) == ["kept"])
    }

    @Test func `A flood of signals does not delay other work of the context`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let (isHeld, release) = (Promise<Bool>(), DispatchSemaphore(value: 0))
        let order = Record<String>()
        _ = listener.subscribe(MatchRule(sender: name, member: "Changed")) { [unowned listener] _ in
            if order.elements.isEmpty { listener.perform { order.add("work") } }
            order.add("signal")
        }
        try await listener.settle()
        listener.perform {
            isHeld.fulfil(true)
            release.wait()
        }
        _ = try await isHeld.value()
        for _ in 0..<1_000 { speaker.send(try .testSignal("Changed")) }
        try await speaker.settle()
        release.signal()
        let all = try await order.first(1_001)
        let before = try #require(all.firstIndex(of: "work"))
        // One turn of the context handles at most 32 messages, although one reading gets more.
        #expect(before <= 32)
    }

    @Test func `A retained signal does not change`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let kept = Record<Message>()
        _ = listener.subscribe(MatchRule(sender: name, member: "Changed")) { if $0.text.count == 2 { kept.add($0) } }
        try await listener.settle()
        for number in 0..<30 { speaker.send(try .testSignal("Changed", "\(number)")) }
        #expect(try await kept.first(20).map(\.text) == (10..<30).map { "\($0)" })
    }

    @Test func `Signals that no handler retains share one object`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let objects = Record<ObjectIdentifier>()
        for _ in 0..<2 {
            _ = listener.subscribe(MatchRule(sender: name, member: "Changed")) { objects.add(ObjectIdentifier($0)) }
        }
        try await listener.settle()
        for number in 0..<30 { speaker.send(try .testSignal("Changed", "\(number)")) }
        #expect(Set(try await objects.first(60)).count == 1)
    }

    @Test func `A signal with wrong types throws in the reader only`() async throws {
        let (speaker, name) = try await bus.connected()
        let (listener, _) = try await bus.connected()
        let record = Record<String>()
        _ = listener.subscribe(MatchRule(sender: name, member: "PropertiesChanged")) { signal in
            let text = try? signal.read { (body) throws(DBusError) in
                _ = try body.string()
                var names = ""
                try body.properties { (name, value) throws(DBusError) in names += "\(try value.int16())" }
                return names
            }
            record.add(text ?? "malformed")
        }
        try await listener.settle()
        for body: [Value] in [
            [], [.int32(1)], [.string("a")], [.string("a"), .strings(["b"])], [.string("a"), .bytes([])],
        ] {
            speaker.send(
                try .signal(path: "/", interface: "org.example.Test", member: "PropertiesChanged") {
                    (writer) throws(DBusError) in for value in body { try writer.value(value) }
                })
        }
        speaker.send(
            try .signal(path: "/", interface: "org.example.Test", member: "PropertiesChanged") {
                (body) throws(DBusError) in
                try body.string("a")
                try body.properties(["A": .int16(1), "B": .string("x"), "C": .int16(3)])
            })
        #expect(try await record.first(6) == Array(repeating: "malformed", count: 5) + ["13"])
    }
}
