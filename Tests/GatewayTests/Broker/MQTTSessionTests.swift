import Testing

@testable import Gateway

@Suite struct MQTTSessionTests {
    /// The actions of a session as short texts.
    private final class Setup {
        var session: MQTTSession
        var now: Duration = .zero

        init(
            keepAlive: Duration = .seconds(15), version: BrokerSettings.Version = .v5,
            suspects: ClosingSuspects = ClosingSuspects()
        ) {
            var settings = BrokerSettings()
            settings.keepAlive = keepAlive
            settings.version = version
            session = MQTTSession(BrokerClient(identifier: "id", settings: settings), suspects: suspects, at: .zero)
            _ = session.open()
        }

        func texts(_ actions: [MQTTSession.Action]) -> [String] {
            actions.map { action in
                switch action {
                case .send(let bytes): MQTTPacketType(bytes[0])?.name ?? "?"
                case .emit(let event): EventRecorder.text(of: event)
                case .startTimer(let delay): "timer \(delay / .seconds(1))"
                case .end(let ending): "end \(ending)"
                }
            }
        }

        func receive(_ bytes: [UInt8]) -> [String] { texts(session.receive(bytes[...], at: now)) }

        /// Accepts the connection with properties.
        @discardableResult
        func accept(_ properties: [UInt8] = [], isSessionPresent: Bool = false) -> [String] {
            let flag: UInt8 = isSessionPresent ? 1 : 0
            let count = UInt8(properties.count)
            return receive([0x20, count + 3, flag, 0, count] + properties)
        }

        func publish(_ topic: String, _ text: String = "x", token: UInt64 = 1, isRetained: Bool = false) -> [String] {
            let publication = Publication(topic, text, isRetained: isRetained)
            return texts(session.publish(publication, token: token, at: now))
        }

        func fire(at seconds: Double) -> [String] {
            now = .milliseconds(Int(seconds * 1000))
            return texts(session.timerFired(at: now))
        }
    }

    @Test func `An accepted connection sends, confirms and receives`() {
        let setup = Setup()
        #expect(setup.publish("t") == [])
        #expect(setup.accept() == ["connected false", "timer 11.25"])
        #expect(setup.publish("t", token: 9) == ["PUBLISH"])
        #expect(setup.receive([0x40, 2, 0, 1]) == ["acknowledged 9"])
        #expect(setup.texts(setup.session.subscribe(to: ["c"], at: .zero)) == ["SUBSCRIBE"])
        #expect(setup.receive([0x90, 4, 0, 2, 0, 1]) == [])
        #expect(setup.receive([0x32, 7, 0, 1, 0x63, 0, 5, 0, 0x61]) == ["received c a", "PUBACK"])
        #expect(setup.texts(setup.session.disconnect()) == ["DISCONNECT", "end requested"])
        #expect(setup.receive([0x30, 4, 0, 1, 0x63, 0]) == [])
    }

    @Test func `At most the receive maximum of a broker is in flight`() {
        let setup = Setup()
        setup.accept([0x21, 0, 2])
        #expect(setup.publish("t", token: 1) == ["PUBLISH"])
        #expect(setup.publish("t", token: 2) == ["PUBLISH"])
        #expect(setup.publish("t", token: 3) == [])
        #expect(setup.receive([0x40, 2, 0, 2]) == ["acknowledged 2", "PUBLISH"])
        #expect(setup.receive([0x40, 2, 0, 3]) == ["acknowledged 3"])
        #expect(setup.session.findings(isByBroker: true, at: .zero).cautiousCount == 1)
    }

    @Test func `A packet above the limit of a broker is refused with its topic`() {
        let setup = Setup()
        setup.accept([0x27, 0, 0, 0, 20])
        #expect(setup.publish("t/1", String(repeating: "x", count: 10)) == ["PUBLISH"])
        let actions = setup.session.publish(
            Publication("t/1", String(repeating: "x", count: 11)), token: 7, at: .zero)
        guard case .emit(.rejected(7, let refusal)) = actions.first else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.kind == .tooLarge(limit: 20))
        #expect(refusal.topic == "t/1")
        #expect(refusal.cause == "the packet of 21 bytes exceeds the broker's limit of 20")
    }

    @Test(arguments: ["", "a/#", "a/+/b", "a\0b"]) func `A topic that is not valid is refused`(_ topic: String) {
        let setup = Setup()
        setup.accept()
        #expect(setup.publish(topic) == ["rejected 1 the topic is not valid"])
    }

    @Test func `Without retained messages at a broker the flag is not set`() {
        let setup = Setup()
        #expect(setup.accept([0x25, 0]) == ["retain unavailable", "connected false", "timer 11.25"])
        #expect(!setup.session.keepsRetained)
        guard
            case .send(let bytes) = setup.session.publish(
                Publication("t", "x", isRetained: true), token: 1, at: .zero
            ).first
        else {
            Issue.record("not sent")
            return
        }
        #expect(bytes[0] == 0x32)
    }

    @Test func `A keep-alive interval of a broker of 1 s is met`() {
        let setup = Setup()
        #expect(setup.accept([0x13, 0, 1]) == ["connected false", "timer 0.75"])
        for step in 1...20 {
            #expect(setup.fire(at: Double(step) * 0.75) == ["PINGREQ", "timer 0.75"])
            _ = setup.receive([0xD0, 0])
        }
    }

    @Test func `A broker that does not answer pings is given up`() {
        let setup = Setup()
        setup.accept()
        #expect(setup.fire(at: 11.25) == ["PINGREQ", "timer 11.25"])
        #expect(setup.fire(at: 22.5) == ["PINGREQ", "timer 3.75"])
        #expect(setup.fire(at: 26.25) == ["end silent"])
    }

    @Test func `While a packet arrives slowly, the connection is kept`() {
        let setup = Setup()
        setup.accept()
        #expect(setup.fire(at: 11.25) == ["PINGREQ", "timer 11.25"])
        for second in 12...100 {
            setup.now = .seconds(second)
            #expect(setup.receive([0x30, 0xFF, 0xFF, 0x7F].suffix(second == 12 ? 4 : 1)) == [])
            #expect(setup.fire(at: Double(second)).last?.hasPrefix("timer") == true, "\(second)")
        }
        #expect(setup.fire(at: 115) == ["end silent"])
    }

    @Test func `Messages after a resumed session may have waited until a ping without a message`() {
        let setup = Setup()
        #expect(setup.accept(isSessionPresent: true) == ["connected true", "PINGREQ", "timer 11.25"])
        let message: [UInt8] = [0x32, 6, 0, 1, 0x63, 0, 5, 0]
        func mayHaveWaited() -> Bool? {
            guard case .emit(.received(let received)) = setup.session.receive(message[...], at: .zero).first else {
                return nil
            }
            return received.mayHaveWaited
        }
        #expect(mayHaveWaited() == true)
        #expect(setup.receive([0xD0, 0]) == ["PINGREQ"])
        #expect(mayHaveWaited() == true)
        #expect(setup.receive([0xD0, 0]) == ["PINGREQ"])
        #expect(setup.receive([0xD0, 0]) == [])
        #expect(mayHaveWaited() == false)
    }

    @Test func `Without a session no message has waited`() {
        let setup = Setup()
        setup.accept()
        guard
            case .emit(.received(let received)) = setup.session.receive(
                [0x30, 9, 0, 1, 0x63, 5, 2, 0, 0, 0, 9], at: .zero
            ).first
        else {
            Issue.record("not received")
            return
        }
        #expect(!received.mayHaveWaited)
        #expect(received.expiry != nil)
    }

    @Test func `A broker that only has QoS 0 is left at once`() {
        #expect(Setup().accept([0x24, 0]) == ["DISCONNECT", "end withoutConfirmation"])
    }

    private static let refusals: [(code: UInt8, kind: BrokerRefusal.Kind)] = [
        (0x87, .accessDenied), (0x90, .invalid), (0x97, .temporary), (0x80, .temporary), (0x83, .temporary),
    ]

    @Test(arguments: refusals)
    func `A refused message has its topic, its kind and its reason`(code: UInt8, kind: BrokerRefusal.Kind) {
        let setup = Setup()
        setup.accept()
        _ = setup.publish("t/1", token: 4)
        guard case .emit(.rejected(4, let refusal)) = setup.session.receive([0x40, 3, 0, 1, code], at: .zero).first
        else {
            Issue.record("not refused")
            return
        }
        #expect(refusal == BrokerRefusal(kind, topic: "t/1", size: 4, cause: MQTTReason(code).text))
    }

    @Test func `After a closure with two messages they are sent one by one`() {
        let first = Setup()
        first.accept()
        _ = first.publish("a", token: 1)
        _ = first.publish("b", token: 2)
        let second = Setup(suspects: first.session.findings(isByBroker: true, at: .zero))
        second.accept()
        #expect(second.publish("a", token: 1) == ["PUBLISH"])
        #expect(second.publish("b", token: 2) == [])
        #expect(second.receive([0x40, 2, 0, 1]) == ["acknowledged 1", "PUBLISH"])
        let third = Setup(suspects: second.session.findings(isByBroker: true, at: .zero))
        third.accept()
        #expect(third.publish("b").first?.hasPrefix("rejected 1 the broker closed the connection 2 times") == true)
        #expect(third.publish("a") == ["PUBLISH"])
    }

    @Test func `More than 8 MB of waiting messages is refused for now`() {
        let setup = Setup()
        setup.accept([0x21, 0, 1])
        let text = String(repeating: "x", count: 1 << 20)
        var refused: [String] = []
        for _ in 0..<10 { refused += setup.publish("t", text).filter { $0.hasPrefix("rejected") } }
        #expect(refused.count == 2)
        #expect(refused.first == "rejected 1 too many messages wait for the broker")
    }

    @Test func `Messages wait while the connection has no room, and answers do not`() {
        let setup = Setup()
        setup.accept()
        #expect(setup.texts(setup.session.setRoom(25, at: .zero)) == [])
        #expect(setup.publish("t", String(repeating: "x", count: 10), token: 1) == ["PUBLISH"])
        #expect(setup.publish("t", String(repeating: "x", count: 100), token: 2) == ["PUBLISH"])
        #expect(setup.publish("t", token: 3) == [])
        #expect(setup.receive([0x40, 2, 0, 1]) == ["acknowledged 1"])
        #expect(setup.receive([0x32, 7, 0, 1, 0x63, 0, 5, 0, 0x61]) == ["received c a", "PUBACK"])
        #expect(setup.texts(setup.session.setRoom(1, at: .zero)) == ["PUBLISH"])
    }

    @Test func `Many subscriptions are sent in parts`() {
        let setup = Setup()
        setup.accept()
        let filters = (0..<250).map { "c/\($0)" }
        #expect(setup.texts(setup.session.subscribe(to: filters, at: .zero)).count == 100)
        for number in 1...250 {
            let answer: [UInt8] = [0x90, 4, 0, UInt8(number), 0, 1]
            #expect(setup.receive(answer) == (number <= 150 ? ["SUBSCRIBE"] : []))
        }
    }

    @Test func `Subscriptions are ended, and their answers make room for waiting requests`() {
        let setup = Setup()
        setup.accept()
        #expect(setup.texts(setup.session.unsubscribe(from: ["c/1"], at: .zero)) == ["UNSUBSCRIBE"])
        #expect(setup.texts(setup.session.subscribe(to: (0..<100).map { "d/\($0)" }, at: .zero)).count == 99)
        #expect(setup.receive([0xB0, 4, 0, 1, 0, 0]) == ["SUBSCRIBE"])
    }

    @Test func `A refused end of a subscription is reported, and one that did not exist is not`() {
        let setup = Setup()
        setup.accept()
        _ = setup.session.unsubscribe(from: ["c/1", "c/2"], at: .zero)
        #expect(setup.receive([0xB0, 4, 0, 1, 0, 0x87]) == ["refused the end of c/1 not authorized"])
        #expect(setup.receive([0xB0, 4, 0, 2, 0, 0x11]) == [])
    }

    @Test func `A subscription without confirmation is reported`() {
        let setup = Setup()
        setup.accept()
        _ = setup.session.subscribe(to: ["c"], at: .zero)
        let text = "refused c it was granted without confirmation (QoS 0), so messages can be lost"
        #expect(setup.receive([0x90, 4, 0, 1, 0, 0]) == [text])
    }
}
