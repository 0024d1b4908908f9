import DBus
import Dispatch
import Rx
import RxBluetoothMocks
import RxTest
import Synchronization
import TestTraits
import Testing

/// Checks that the loop-back bus obeys the contract of `Bus` and has the errors of dbus-daemon.
struct LoopbackBusTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let bus: LoopbackBus
    private let log = Log()

    init() { bus = LoopbackBus(scheduler: scheduler) }

    /// Returns a peer that answers only the method `Echo`, after it has sent a signal.
    private func server(_ name: String) -> LoopbackConnection {
        let server = bus.connect()
        server.requestName(name) { _ in }
        _ = server.export(at: "/there", includingChildren: false) { call in
            guard call.message.member == "Echo" else { return }
            guard let signal = try? Message.signal(path: "/there", interface: "a.b", member: "Called") else { return }
            server.send(signal)
            call.reply { (body) throws(DBusError) in try body.string(call.message.sender ?? "") }
        }
        return server
    }

    private func message(_ member: String, to name: String = "org.example", at path: ObjectPath = "/there") -> Message {
        guard let message = try? Message.call(to: name, path: path, interface: "a.b", member: member) else {
            preconditionFailure("The test's own call is not valid.")
        }
        return message
    }

    /// Sends a call and logs its reply or error.
    @discardableResult
    private func call(_ party: any Bus, _ message: Message, timeout: Duration = .seconds(25)) -> BusTask {
        let log = log
        return party.call(message, timeout: timeout) { result in
            switch result {
            case .success(let reply): log.write("reply from \(reply.sender ?? "none")")
            case .failure(let error): log.write("\(error)")
            }
        }
    }

    private func run(_ milliseconds: Int = 10) { scheduler.advanceBy(milliseconds) }

    @Test func `Unique names are assigned in the order of connecting`() {
        #expect((0..<3).map { _ in bus.connect().uniqueName } == [":1.0", ":1.1", ":1.2"])
    }

    @Test func `A call reaches the owner of its name, and the reply names the sender`() {
        let server = server("org.example")
        let client = bus.connect()
        call(client, message("Echo"))
        call(client, message("Echo", to: server.uniqueName))
        #expect(log.take() == [])
        run()
        #expect(log.take() == ["reply from :1.0", "reply from :1.0"])
    }

    @Test(.proves(.Q18)) func `A signal sent before a reply arrives before it`() {
        _ = server("org.example")
        let client = bus.connect()
        let log = log
        _ = client.subscribe(MatchRule(sender: "org.example", member: "Called")) {
            log.write("signal \($0.member ?? "")")
        }
        call(client, message("Echo"))
        run()
        #expect(log.take() == ["signal Called", "reply from :1.0"])
    }

    @Test(.proves(.Q17)) func `A rule's sender is the owner of the name only`() {
        let server = server("org.example")
        let client = bus.connect()
        let impostor = bus.connect()
        let log = log
        _ = client.subscribe(MatchRule(sender: "org.example")) { log.write("from \($0.sender ?? "")") }
        run()
        if let signal = try? Message.signal(path: "/there", interface: "a.b", member: "S") {
            impostor.send(signal)
            server.send(signal)
        }
        run()
        #expect(log.take() == ["from :1.0"])
    }

    @Test func `A signal with a destination reaches that connection only`() {
        let parties = (0..<3).map { _ in bus.connect() }
        let log = log
        for party in parties[1...] {
            _ = party.subscribe(MatchRule(sender: ":1.0")) { _ in log.write("heard by \(party.uniqueName)") }
        }
        if let signal = try? Message.signal(path: "/a", interface: "a.b", member: "S", to: ":1.2") {
            parties[0].send(signal)
        }
        run()
        #expect(log.take() == ["heard by :1.2"])
    }

    @Test(
        "A delay may have any length",
        arguments: [
            (.seconds(Int64.min) * 2, 0), (.seconds(-1), 0), (.zero, 0),
            (Duration(secondsComponent: 0, attosecondsComponent: 1), 0), (.nanoseconds(1), 1),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999_999_999_999), 1_000_000_000),
            (.seconds(1 << 31), (1 << 31) * 1_000_000_000), (.seconds(1 << 31) + .nanoseconds(1), nil),
            (.seconds(Int64.max), nil), (.seconds(Int64.max) * 2, nil),
            (Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999), nil),
        ] as [(Duration, Int?)])
    func delays(_ delay: Duration, nanoseconds: Int?) {
        #expect(DispatchTimeInterval(busDelay: delay) == nanoseconds.map(DispatchTimeInterval.nanoseconds))
        bus.connect().schedule(after: delay) { [log] in log.write("due") }
        run()
        #expect(log.take() == (delay <= .nanoseconds(1) ? ["due"] : []))
    }

    @Test func `Calls fail with the errors of dbus-daemon`() {
        _ = server("org.example")
        let client = bus.connect()
        call(client, message("Echo", to: "org.nobody"))
        call(client, message("Echo", to: ":1.999"))
        call(client, message("Echo", at: "/elsewhere"))
        run()
        let expected = [
            "org.freedesktop.DBus.Error.ServiceUnknown: The name org.nobody was not provided by any .service files",
            "org.freedesktop.DBus.Error.ServiceUnknown: The name :1.999 was not provided by any .service files",
            "org.freedesktop.DBus.Error.UnknownObject: Method \"Echo\" with signature \"\" on interface \"a.b\" "
                + "doesn't exist\n",
        ]
        #expect(log.take() == expected)
    }

    @Test func `A deadline runs from the call, and a late reply is dropped`() {
        _ = server("org.example")
        let client = bus.connect()
        call(client, message("Silence"), timeout: .milliseconds(500))
        run(499)
        #expect(log.take() == [])
        run(2)
        #expect(log.take().first?.hasPrefix("org.freedesktop.DBus.Error.NoReply: Did not receive a reply.") == true)
    }

    @Test func `A cancelled call gets no reply`() {
        _ = server("org.example")
        let client = bus.connect()
        call(client, message("Echo")).cancel()
        call(client, message("Silence"), timeout: .milliseconds(5)).cancel()
        run(100)
        #expect(log.take() == [])
    }

    @Test func `An export serves child paths on request, and the closest one is called`() {
        let server = bus.connect()
        let client = bus.connect()
        let log = log
        let tree = server.export(at: "/a", includingChildren: true) { log.write("tree \($0.message.path ?? "/")") }
        _ = server.export(at: "/a/b", includingChildren: false) { log.write("leaf \($0.message.path ?? "/")") }
        for path in ["/a", "/a/b", "/a/b/c", "/ab"] as [ObjectPath] { call(client, message("M", to: ":1.0", at: path)) }
        run()
        let seen = log.take()
        #expect(Array(seen.prefix(3)) == ["tree /a", "leaf /a/b", "tree /a/b/c"])
        #expect(seen.count == 4 && seen[3].hasPrefix("org.freedesktop.DBus.Error.UnknownObject"))
        tree.cancel()
        call(client, message("M", to: ":1.0", at: "/a"))
        run()
        #expect(log.take().first?.hasPrefix("org.freedesktop.DBus.Error.UnknownObject") == true)
    }

    @Test func `A name has one owner, is watched by others, and is released with its owner`() {
        let one = bus.connect()
        let other = bus.connect()
        let log = log
        _ = other.watchOwner(of: "org.example") { log.write("owner \($0 ?? "none")") }
        run()
        one.requestName("org.example") { log.write("one \($0?.name ?? "owns it")") }
        other.requestName("org.example") { log.write("other \($0?.name ?? "owns it")") }
        run()
        one.close()
        run()
        other.requestName("org.example") { log.write("other \($0?.name ?? "owns it")") }
        run()
        let expected = [
            "owner none", "owner :1.0", "one owns it", "other org.freedesktop.DBus.Error.AddressInUse",
            "owner none", "owner :1.1", "other owns it",
        ]
        #expect(log.take() == expected)
    }

    @Test func `Closing fails pending calls, ends subscriptions, and calls each handler once`() {
        let server = server("org.example")
        let client = bus.connect()
        let log = log
        _ = client.subscribe(MatchRule(sender: "org.example")) { _ in log.write("signal") }
        _ = client.whenDisconnected { log.write("lost \($0.message)") }
        call(client, message("Silence"))
        run()
        client.close()
        client.close()
        if let signal = try? Message.signal(path: "/there", interface: "a.b", member: "S") { server.send(signal) }
        call(client, message("Echo"))
        run()
        let error = "org.freedesktop.DBus.Error.Disconnected: The connection was closed here."
        #expect(log.take() == [error, "lost The connection was closed here.", error])
        _ = client.whenDisconnected { _ in log.write("late") }
        run()
        #expect(log.take() == ["late"])
    }

    @Test func `A call fails when the callee leaves the bus`() {
        let server = server("org.example")
        let client = bus.connect()
        call(client, message("Silence"))
        run()
        server.close()
        run()
        let text = "Message recipient disconnected from message bus without replying"
        #expect(log.take() == ["org.freedesktop.DBus.Error.NoReply: \(text)"])
    }

    @Test(.proves(.Q3)) func `The end of the bus disconnects all present and later connections`() {
        _ = server("org.example")
        let client = bus.connect()
        let log = log
        _ = client.whenDisconnected { log.write("lost \($0.name)") }
        call(client, message("Silence"))
        run()
        bus.shutDown()
        run()
        #expect(log.take().count == 2)
        _ = bus.connect().whenDisconnected { log.write("late \($0.name)") }
        run()
        #expect(log.take() == ["late org.freedesktop.DBus.Error.Disconnected"])
    }

    @Test func `Work runs in the context, in order, and never before perform returns`() {
        let party = bus.connect()
        let log = log
        party.perform {
            party.preconditionInContext()
            party.perform { log.write("third") }
            log.write("first")
        }
        party.perform { log.write("second") }
        party.schedule(after: .milliseconds(20)) { log.write("later") }
        party.schedule(after: .milliseconds(20)) { log.write("never") }.cancel()
        #expect(log.take() == [])
        run(19)
        #expect(log.take() == ["first", "second", "third"])
        run(2)
        #expect(log.take() == ["later"])
    }

    @Test func `Releasing a connection closes it`() {
        let watcher = bus.connect()
        var client: LoopbackConnection? = bus.connect()
        let log = log
        _ = watcher.watchOwner(of: ":1.1") { log.write($0 ?? "gone") }
        run()
        #expect(client?.uniqueName == ":1.1")
        client = nil
        run()
        #expect(log.take() == [":1.1", "gone"])
    }

    /// This is the only test of the suite that uses real threads.
    @Test func `Calls and timers of many threads run in one context`() async {
        let bus = LoopbackBus(scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let work: @Sendable () -> Void = {
            if inside.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
            var number = 1
            for step in 1..<20_000 { number = number &* 31 &+ step }
            #expect(number != 0)
            inside.subtract(1, ordering: .relaxed)
        }
        let server = bus.connect()
        _ = server.export(at: "/there", includingChildren: false) { call in
            server.preconditionInContext()
            work()
            call.reply()
        }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let client = bus.connect()
                    return await withCheckedContinuation { answer in
                        client.schedule(after: .milliseconds(number % 4)) {
                            work()
                            client.call(message("M", to: server.uniqueName), timeout: .seconds(120)) {
                                work()
                                if case .success = $0 {
                                    answer.resume(returning: true)
                                } else {
                                    answer.resume(returning: false)
                                }
                            }
                        }
                    }
                }
            }
            for await isAnswered in group { #expect(isAnswered) }
        }
        #expect(overlaps.load(ordering: .relaxed) == 0)
    }
}
