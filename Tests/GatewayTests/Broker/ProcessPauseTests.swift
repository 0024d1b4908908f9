import FoundationEssentials
import RxBluetooth
import Testing

@testable import Gateway

/// What waited in the socket while the process did not run.
@Suite struct ProcessPauseTests {
    @Test func `A timer that is much later than planned shows a pause since the process ran last`() {
        var pause = ProcessPause(at: .zero, suspended: .zero)
        #expect(pause.runs(at: .seconds(100), suspended: .zero) == nil)
        pause.planned(at: .seconds(110))
        #expect(pause.runs(at: .seconds(105), suspended: .zero) == nil)
        #expect(pause.runs(at: .seconds(112), suspended: .zero) == nil)
        #expect(pause.runs(at: .seconds(150), suspended: .zero) == .seconds(38))
        // The timer is still late, but this is no further pause.
        #expect(pause.runs(at: .seconds(160), suspended: .zero) == nil)
        pause.planned(at: .seconds(170))
        #expect(pause.runs(at: .seconds(173), suspended: .zero) == .seconds(13))
    }

    @Test func `A suspended computer shows a pause before the timer is due`() {
        var pause = ProcessPause(at: .zero, suspended: .seconds(7))
        pause.planned(at: .seconds(60))
        #expect(pause.runs(at: .seconds(20), suspended: .seconds(8)) == nil)
        #expect(pause.runs(at: .seconds(50), suspended: .seconds(30)) == .seconds(30))
        // The timer does not count while the computer is suspended.
        #expect(pause.runs(at: .seconds(82), suspended: .seconds(30)) == nil)
    }

    /// A connection that was accepted at 0 s. Its timer is due at 11.25 s.
    private func session() -> MQTTSession {
        var session = MQTTSession(
            BrokerClient(identifier: "id", settings: BrokerSettings()), suspects: ClosingSuspects(), at: .zero
        ) { .zero }
        _ = session.open()
        _ = session.receive([0x20, 3, 0, 0, 0], at: .zero)
        return session
    }

    private func texts(_ actions: [MQTTSession.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let bytes): MQTTPacketType(bytes[0])?.name ?? "?"
            case .emit(let event): EventRecorder.text(of: event)
            case .startTimer(let delay): "timer \(delay / .seconds(1))"
            case .end(let ending): "end \(ending)"
            }
        }
    }

    @Test func `After a pause, messages may have waited until a ping without a message`() {
        var session = session()
        let message: [UInt8] = [0x32, 7, 0, 1, 0x63, 0, 5, 0, 0x61]
        let first = session.receive(message[...], at: .seconds(60))
        #expect(texts(first) == ["paused 60.0", "PINGREQ", "received c a", "PUBACK"])
        #expect(texts(session.receive([0xD0, 0], at: .seconds(61))) == ["PINGREQ"])
        #expect(texts(session.receive([0xD0, 0], at: .seconds(62))) == ["caught up"])
        #expect(texts(session.receive(message[...], at: .seconds(63))) == ["received c a", "PUBACK"])
    }

    @Test func `The late timer, or a message of the gateway, may be first after a pause`() {
        var session = session()
        #expect(texts(session.timerFired(at: .seconds(12))) == ["PINGREQ", "timer 11.25"])
        #expect(texts(session.receive([0xD0, 0], at: .seconds(13))) == [])
        #expect(texts(session.timerFired(at: .seconds(60))) == ["paused 47.0", "PINGREQ", "timer 11.25"])
        #expect(texts(session.receive([0xD0, 0], at: .seconds(61))) == ["caught up"])
        let publication = Publication("t", "x")
        let actions = session.publish(publication, token: 1, at: .seconds(100))
        #expect(texts(actions) == ["paused 39.0", "PINGREQ", "PUBLISH"])
    }

    @Test func `A pause before the broker accepts the connection follows its event`() {
        var session = MQTTSession(
            BrokerClient(identifier: "id", settings: BrokerSettings()), suspects: ClosingSuspects(), at: .zero
        ) { .zero }
        _ = session.open()
        // The connection's answer may arrive in parts.
        #expect(texts(session.receive([0x20, 3], at: .seconds(60))) == [])
        let rest: [UInt8] = [0, 0, 0, 0x32, 7, 0, 1, 0x63, 0, 5, 0, 0x61]
        let actions = texts(session.receive(rest[...], at: .seconds(61)))
        #expect(actions == ["connected false", "paused 60.0", "PINGREQ", "timer 11.25", "received c a", "PUBACK"])
        #expect(texts(session.receive([0xD0, 0], at: .seconds(62))) == ["PINGREQ"])
        #expect(texts(session.receive([0xD0, 0], at: .seconds(63))) == ["caught up"])
    }

    @Test func `What arrives after a pause is as old as the pause`() {
        let setup = DeliverySetup()
        setup.delivery.subscribe(to: ["c"])
        setup.delivery.start()
        setup.time.advance(by: .seconds(5))
        setup.broker.handler?(.paused(.seconds(40)))
        setup.server.publish(Publication("c", "1"))
        setup.time.advance(by: .milliseconds(500))
        let delay = setup.received.last?.delay ?? .zero
        #expect(delay >= .seconds(40) && delay < .seconds(41))
        #expect(setup.received.last?.waiting == ReceivedMessage.Waiting.atMost(delay))
        setup.broker.handler?(.caughtUp)
        setup.server.publish(Publication("c", "2"))
        setup.time.advance(by: .milliseconds(500))
        #expect(setup.received.last?.payload == Array("2".utf8) && setup.received.last?.delay == .zero)
        #expect(setup.received.last?.waiting == ReceivedMessage.Waiting.none)
    }

    @Test func `After a pause, messages of the next connection do not count as new`() {
        let setup = DeliverySetup()
        setup.delivery.subscribe(to: ["c"])
        setup.delivery.start()
        setup.time.advance(by: .seconds(5))
        setup.broker.handler?(.paused(.seconds(40)))
        setup.server.publish(Publication("c", "1"))
        setup.time.advance(by: .milliseconds(500))
        setup.server.close("ble-gateway-attic")
        setup.server.publish(Publication("c", "2"))
        setup.time.advance(by: .seconds(5))
        let last = setup.received.last
        #expect(last?.payload == Array("2".utf8) && last?.delay == .zero)
        guard case .atMost(let waiting)? = last?.waiting else {
            Issue.record("it counts as new")
            return
        }
        #expect(waiting >= .seconds(40))
    }

    @Test(
        arguments: [
            ("", nil, "expired"), ("", 20, "expired"), ("", 60, nil), (#","created":1699999995"#, nil, nil),
            (#","created":1699999960"#, 60, "expired"),
        ] as [(String, Int?, String?)])
    func `A command that waited expires, unless its time or expiry says otherwise`(
        created: String, expiry: Int?, kind: String?
    ) {
        var book = CommandBook(allowed: [.strap])
        let payload = Array(#"{"id":"1","read":"2A19"\#(created)}"#.utf8)
        var message = ReceivedMessage(topic: "t", payload: payload, expiry: expiry.map { .seconds($0) })
        message.delay = .seconds(40)
        message.waiting = .atMost(.seconds(40))
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        switch book.receive(message, for: .strap, now: .zero, time: time) {
        case .accepted: #expect(kind == nil)
        case .refused(_, let failure): #expect(failure.kind == kind)
        case .ignored: Issue.record("ignored")
        }
    }
}
