import Gateway
import Testing

@Suite(needsMosquitto, .serialized, .timeLimit(.minutes(5))) struct MosquittoBrokerTests {
    @Test(arguments: [BrokerSettings.Version.v311, .v5])
    func `Messages are acknowledged and received`(_ version: BrokerSettings.Version) async throws {
        let mosquitto = try MosquittoProcess()
        defer { mosquitto.kill() }
        var settings = mosquitto.settings
        settings.version = version
        let client = RealClient("one", settings)
        client.connect()
        #expect(await client.next() == "connected false")
        client.subscribe("t/#")
        client.publish(Publication("t/1", "hello"), 7)
        let events = [await client.next(), await client.next()]
        #expect(events.sorted() == ["acknowledged 7", "received t/1 hello"])
        client.perform { $0.disconnect() }
        #expect(await client.next() == "closed requested")

        client.connect()
        #expect(await client.next() == "connected true")
        client.publish(Publication("t/2", "again"), 8)
        let further = [await client.next(), await client.next()]
        #expect(further.sorted() == ["acknowledged 8", "received t/2 again"])
    }

    @Test(arguments: [BrokerSettings.Version.v311, .v5])
    func `A repeated subscription of a session delivers retained messages again`(
        _ version: BrokerSettings.Version
    ) async throws {
        let mosquitto = try MosquittoProcess()
        defer { mosquitto.kill() }
        var settings = mosquitto.settings
        settings.version = version
        let client = RealClient("one", settings)
        client.connect()
        #expect(await client.next() == "connected false")
        client.publish(Publication("t/1", "kept", isRetained: true), 1)
        #expect(await client.next() == "acknowledged 1")
        client.subscribe("t/#")
        #expect(await client.next() == "received t/1 kept")
        client.perform { $0.disconnect() }
        #expect(await client.next() == "closed requested")
        client.connect()
        #expect(await client.next() == "connected true")
        client.subscribe("t/#")
        #expect(await client.next() == "received t/1 kept")
    }

    @Test func `Many messages are sent and received in order`() async throws {
        let mosquitto = try MosquittoProcess()
        defer { mosquitto.kill() }
        let (one, two) = (RealClient("one", mosquitto.settings), RealClient("two", mosquitto.settings))
        one.connect()
        two.connect()
        #expect(await one.next() == "connected false")
        #expect(await two.next() == "connected false")
        two.subscribe("t")
        two.publish(Publication("other", ""), 1)
        #expect(await two.next() == "acknowledged 1")
        one.perform { broker in
            for number in 0..<1000 { broker.publish(Publication("t", "\(number)"), token: UInt64(number)) }
        }
        for number in 0..<1000 { #expect(await one.next() == "acknowledged \(number)") }
        for number in 0..<1000 { #expect(await two.next() == "received t \(number)") }
    }

    @Test func `A mosquitto without retained messages accepts the gateway, and says so`() async throws {
        let mosquitto = try MosquittoProcess(["allow_anonymous true", "retain_available false"])
        defer { mosquitto.kill() }
        var settings = mosquitto.settings
        settings.version = .v5
        let client = RealClient("one", settings, will: Publication("lwt", "offline", isRetained: true))
        client.connect()
        var event = await client.next()
        // Most versions refuse the retained last will.
        if event == "closed unreachable" {
            client.connect()
            event = await client.next()
        }
        #expect(event == "retain unavailable")
        #expect(await client.next() == "connected false")
        client.publish(Publication("t", "x", isRetained: true), 1)
        #expect(await client.next() == "acknowledged 1")
    }

    @Test func `The last will is published if the connection is lost`() async throws {
        let mosquitto = try MosquittoProcess()
        defer { mosquitto.kill() }
        let watcher = RealClient("watcher", mosquitto.settings)
        watcher.connect()
        #expect(await watcher.next() == "connected false")
        watcher.subscribe("lwt")
        watcher.publish(Publication("other", ""), 1)
        #expect(await watcher.next() == "acknowledged 1")
        var client: RealClient? = RealClient(
            "dying", mosquitto.settings, will: Publication("lwt", "offline", isRetained: true))
        client?.connect()
        #expect(await client?.next() == "connected false")
        // Releasing it closes the socket without a packet, as the end of a process does.
        client = nil
        #expect(await watcher.next() == "received lwt offline")
    }

    @Test func `Failures name their cause and what to do`() async throws {
        var settings = BrokerSettings()
        settings.port = 9
        #expect(
            await failure(settings)
                == "unreachable: connecting to localhost:9 failed: connection refused; check that the broker runs and listens on this port"
        )
        settings.host = "no-such-host.invalid"
        #expect(await failure(settings).contains("the name was not found; check the host name"))
    }

    @Test(arguments: [BrokerSettings.Version.v311, .v5])
    func `A wrong password is refused`(_ version: BrokerSettings.Version) async throws {
        let folder = try TemporaryFolder()
        try MosquittoProcess.run("/usr/bin/mosquitto_passwd", ["-b", "-c", folder.path("passwords"), "attic", "right"])
        let mosquitto = try MosquittoProcess(
            ["allow_anonymous false", "password_file \(folder.path("passwords"))"], in: folder)
        defer { mosquitto.kill() }
        var settings = mosquitto.settings
        settings.version = version
        settings.user = "attic"
        settings.password = Secret("wrong")
        let text = await failure(settings)
        #expect(text.hasPrefix("refused: localhost:\(mosquitto.port) refused the connection: "))
        #expect(text.hasSuffix("check the user name, the password and the access rights in the broker"))
        #expect(!text.contains("wrong"))
        settings.password = Secret("right")
        #expect(await failure(settings) == "connected")
    }

    @Test func `Messages that the broker refuses are reported`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("acl", Array("topic readwrite allowed/#".utf8))
        let mosquitto = try MosquittoProcess(["allow_anonymous true", "acl_file \(folder.path("acl"))"], in: folder)
        defer { mosquitto.kill() }
        let client = RealClient("one", mosquitto.settings)
        client.connect()
        #expect(await client.next() == "connected false")
        client.publish(Publication("bad/#", "x"), 2)
        let unsendable = await client.next()
        #expect(unsendable.hasPrefix("rejected 2 "))
        client.publish(Publication("allowed/1", "x"), 3)
        let allowed = await client.next()
        #expect(allowed == "acknowledged 3")
        // Last, because mosquitto 2.0.11 may close the connection after it.
        client.publish(Publication("denied", "x"), 1)
        #expect(await client.next().lowercased() == "rejected 1 not authorized")
    }

    @Test func `With MQTT 5 a packet above the broker's limit is not sent`() async throws {
        let mosquitto = try MosquittoProcess(["allow_anonymous true", "max_packet_size 1000"])
        defer { mosquitto.kill() }
        let client = RealClient("one", mosquitto.settings)
        client.connect()
        #expect(await client.next() == "connected false")
        client.publish(Publication("t", String(repeating: "x", count: 2000)), 1)
        #expect(await client.next() == "rejected 1 the packet of 2009 bytes exceeds the broker's limit of 1000")
        client.publish(Publication("t", "x"), 2)
        #expect(await client.next() == "acknowledged 2")
    }

    @Test func `With MQTT 3 a message that closes the connection twice is set aside`() async throws {
        let mosquitto = try MosquittoProcess(["allow_anonymous true", "max_packet_size 1000"])
        defer { mosquitto.kill() }
        var settings = mosquitto.settings
        settings.version = .v311
        let client = RealClient("one", settings)
        for _ in 0..<2 {
            client.connect()
            #expect(await client.next().hasPrefix("connected"))
            client.publish(Publication("t", String(repeating: "x", count: 2000)), 1)
            #expect(await client.next() == "closed unreachable")
        }
        client.connect()
        #expect(await client.next().hasPrefix("connected"))
        client.publish(Publication("t", String(repeating: "x", count: 2000)), 1)
        let cause = "the broker closed the connection 2 times when it received the message"
        #expect(await client.next().hasPrefix("rejected 1 \(cause)"))
        client.publish(Publication("t", "x"), 2)
        #expect(await client.next() == "acknowledged 2")
    }

    @Test func `The end of the broker is an event`() async throws {
        let mosquitto = try MosquittoProcess()
        defer { mosquitto.kill() }
        let client = RealClient("one", mosquitto.settings)
        client.connect()
        #expect(await client.next() == "connected false")
        mosquitto.kill()
        #expect(await client.next() == "closed unreachable")
        client.connect()
        #expect(await client.next() == "closed unreachable")
        try mosquitto.start()
        client.connect()
        #expect(await client.next().hasPrefix("connected"))
    }
}

/// Connects once, and returns the failure or `connected`.
func failure(_ settings: BrokerSettings) async -> String {
    let client = RealClient("test", settings)
    let text = Box()
    client.perform { broker in
        let record = broker.handler
        broker.handler = { event in
            if case .closed(let failure) = event { text.set("\(failure.kind): \(failure)") }
            record?(event)
        }
        broker.connect()
    }
    let event = await client.next()
    return event.hasPrefix("connected") ? "connected" : text.get()
}
