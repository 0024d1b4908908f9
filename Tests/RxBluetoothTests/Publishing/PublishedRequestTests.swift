import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Reads and writes of centrals, and their answers.
struct PublishedRequestTests {
    /// Publishes one service with these characteristics, and connects a central.
    private func published(
        _ characteristics: LocalCharacteristic..., mtu: Int = 23, deadlines: Deadlines = .prompt
    ) -> (stage: Stage, central: SimulatedCentral, published: Recording<PublishedServices>) {
        let stage = Stage(Scenario(peripherals: []), deadlines: deadlines)
        let published = stage.record(
            stage.manager.publish([LocalService(0xFFA0, characteristics: characteristics)]))
        stage.advance(100)
        let central = stage.simulation.bluez.connectCentral(mtu: mtu)
        stage.advance(1_000)
        return (stage, central, published)
    }

    @Test(.proves(.S95), .covers(.requests)) func `Functions and constant values answer the requests of a central`() {
        let stored = Guarded([UInt8]([7]))
        let (stage, central, published) = published(
            LocalCharacteristic(0xFFA1, .read, value: [1, 2]),
            LocalCharacteristic(
                0xFFA2, [.read, .write],
                descriptors: [
                    LocalDescriptor(0x2901, value: [0x41]),
                    LocalDescriptor(
                        0xFFD1, isWritable: true, onRead: { _ in .just([9]) }, onWrite: { _ in .empty() }),
                ],
                onRead: { _ in .just(stored.withLock { $0 }) },
                onWrite: { request in
                    stored.withLock { $0 = request.value }
                    return .empty()
                }))
        let reads = [
            central.read("ffa1"), central.read("ffa2"), central.read("ffa2", descriptor: "2901"),
            central.read("ffa2", descriptor: "ffd1"),
        ]
        let write = central.write([5], to: "ffa2")
        let other = central.write([5], to: "ffa2", descriptor: "ffd1")
        let again = central.read("ffa2")
        stage.advance(2_000)
        #expect(reads.map(\.value) == [[1, 2], [7], [0x41], [9]])
        #expect(write.value == [] && other.value == [])
        #expect(again.value == [5])
        #expect(published.isLive)
        stage.passTemporaryTimeout()
        stage.expectNoTimers()
    }

    @Test(.proves(.S95)) func `Each ATT error reaches the central, and any other error is an unlikely error`() {
        struct Other: Error {}
        for (error, code): (any Error & Sendable, UInt8) in [
            (ATTError.notPermitted, 0x02), (ATTError.requestNotSupported, 0x06), (ATTError.invalidOffset, 0x07),
            (ATTError.insufficientAuthorization, 0x08), (ATTError.invalidValueLength, 0x0D),
            (ATTError.unlikelyError, 0x0E), (ATTError.procedureInProgress, 0xFE), (ATTError.application(0x80), 0x80),
            (ATTError.application(0x9F), 0x9F), (ATTError.application(0xA0), 0x0E), (ATTError.application(1), 0x0E),
            (Other(), 0x0E),
        ] {
            let (stage, central, published) = published(
                LocalCharacteristic(
                    0xFFA1, [.read, .write], onRead: { _ in .error(error) }, onWrite: { _ in .error(error) }))
            let read = central.read("ffa1")
            let write = central.write([1], to: "ffa1")
            stage.advance(1_000)
            #expect(read.error == code)
            #expect(write.error == (code == 0x02 ? 0x03 : code))
            #expect(published.isLive)
        }
    }

    @Test(.proves(.S95)) func `Streams of requests emit what no function answers, with the central and its MTU`() {
        let (stage, central, published) = published(LocalCharacteristic(0xFFA1, [.read, .write]), mtu: 100)
        let early = central.read("ffa1")
        stage.advance(1_000)
        let reads = stage.record(published.elements[0].observeDidReceiveRead())
        let writes = stage.record(published.elements[0].observeDidReceiveWrite())
        stage.advance(100)
        #expect(reads.elements.count == 1 && early.isOpen)
        guard let read = reads.elements.first else { return }
        let outcome = stage.record(read.outcome)
        #expect(throws: BluetoothError.self) { try read.respond(with: [UInt8](repeating: 0, count: 513)) }
        #expect((try? read.respond(with: [3])) == true)
        #expect((try? read.respond(with: [4])) == false)
        #expect(read.respond(withError: .unlikelyError) == false)
        let write = central.write([8, 9], to: "ffa1")
        stage.advance(1_000)
        #expect(early.value == [3] && outcome.elements == [.succeeded])
        guard let request = writes.elements.first else { return }
        #expect(request.operation == .write && request.value == [8, 9] && request.offset == 0)
        #expect(request.service == 0xFFA0 && request.characteristic == 0xFFA1 && request.descriptor == nil)
        #expect(request.central?.address == "DA:00:00:00:00:01")
        #expect(request.central?.peripheral?.address == "DA:00:00:00:00:01")
        #expect(request.central?.maximumUpdateValueLength == 97)
        request.respond(withError: .application(0x81))
        stage.advance(100)
        #expect(write.error == 0x81)
        let refused = stage.record(request.outcome)
        stage.advance(1)
        #expect(refused.elements == [.failed(.application(0x81))])
    }

    @Test(.proves(.S95)) func `A request without an answer fails at its deadline, and a late answer is ignored`() {
        let (stage, central, published) = published(
            LocalCharacteristic(0xFFA1, .read, onRead: { _ in .never() }), LocalCharacteristic(0xFFA2, .write))
        let writes = stage.record(published.elements[0].observeDidReceiveWrite())
        let read = central.read("ffa1")
        stage.advance(3_900)
        #expect(read.isOpen)
        stage.advance(300)
        #expect(read.error == 0x0E)
        let write = central.write([1], to: "ffa2")
        stage.advance(4_500)
        #expect(write.error == 0x0E)
        guard let request = writes.elements.first else { return }
        #expect((try? request.respond()) == false)
        let outcome = stage.record(request.outcome)
        stage.advance(1)
        #expect(outcome.elements == [.unanswered])
        stage.passTemporaryTimeout()
        stage.expectNoTimers()
    }

    @Test(.proves(.S95), arguments: [Duration.zero, .seconds(-1)])
    func `With a deadline of zero or less, only constant values answer requests`(
        deadline: Duration
    ) {
        var deadlines = Deadlines.prompt
        deadlines.request = deadline
        let (stage, central, published) = published(
            LocalCharacteristic(0xFFA1, .read, onRead: { _ in .never() }),
            LocalCharacteristic(0xFFA2, .read, value: [1]), deadlines: deadlines)
        let reads = [central.read("ffa1"), central.read("ffa2")]
        stage.advance(200)
        #expect(reads[0].error == 0x0E && reads[1].value == [1])
        #expect(published.isLive)
    }

    @Test(.proves(.S96)) func `A value that fits into a packet replaces the kept value of a long read`() {
        let count = Guarded(0)
        let (stage, central, published) = published(
            LocalCharacteristic(
                0xFFA1, .read,
                onRead: { _ in
                    let isFirst = count.withLock { count in
                        count += 1
                        return count == 1
                    }
                    return .just([UInt8](repeating: 1, count: isFirst ? 512 : 1))
                }))
        let long = central.read("ffa1")
        stage.advance(20_000)
        let short = central.read("ffa1")
        stage.advance(5_000)
        #expect(long.value?.count == 512 && short.value?.count == 1)
        let rest = central.read("ffa1", offset: 1)
        stage.advance(5_000)
        #expect(rest.value == [] && count.withLock { $0 } == 3 && published.isLive)
    }

    @Test(.proves(.S96)) func `All parts of a long read come from the value of the first part`() {
        let count = Guarded(UInt8(0))
        let (stage, central, published) = published(
            LocalCharacteristic(
                0xFFA1, .read,
                onRead: { _ in
                    let next = count.withLock { count in
                        count += 1
                        return count
                    }
                    return .just([UInt8](repeating: next, count: 512))
                }),
            LocalCharacteristic(0xFFA2, .read, value: [UInt8](repeating: 5, count: 60)))
        let read = central.read("ffa1")
        let fixed = central.read("ffa2")
        stage.advance(20_000)
        #expect(read.value == [UInt8](repeating: 1, count: 512))
        #expect(fixed.value == [UInt8](repeating: 5, count: 60))
        let again = central.read("ffa1")
        let rest = central.read("ffa1", offset: 500)
        let end = central.read("ffa1", offset: 512)
        let behind = central.read("ffa1", offset: 513)
        stage.advance(20_000)
        #expect(again.value?.first == 2)
        #expect(rest.value == [UInt8](repeating: 2, count: 12))
        #expect(end.value == [] && behind.error == 0x07)
        #expect(count.withLock { $0 } == 2 && published.isLive)
    }

    @Test(.proves(.S96)) func `A long write is one request, and odd offsets are refused or passed on`() {
        let written = LineRecorder()
        let (stage, central, published) = published(
            LocalCharacteristic(
                0xFFA1, .write,
                onWrite: { request in
                    written.note("\(request.offset)+\(request.value.count)")
                    do throws(ATTError) { _ = try request.applied(to: [0, 0, 0]) } catch { return .error(error) }
                    return .empty()
                }))
        let long = central.write([UInt8](repeating: 1, count: 512), to: "ffa1")
        stage.advance(5_000)
        #expect(long.value == [] && written.lines == ["0+512"])
        for (offset, count, code): (Int, Int, UInt8?) in [
            (3, 509, nil), (2, 1, nil), (4, 1, 0x07), (511, 1, 0x07), (0, 0, nil),
        ] {
            central.prepare([UInt8](repeating: 2, count: count), at: offset, to: "ffa1")
            let write = central.execute()
            stage.advance(1_000)
            #expect(write.error == code)
        }
        #expect(written.lines.dropFirst() == ["3+509", "2+1", "4+1", "511+1", "0+0"])
        // bluetoothd refuses these itself, and a discarded write does not arrive.
        let tooLong = central.prepare([1], at: 512, to: "ffa1")
        let behind = central.prepare([], at: 513, to: "ffa1")
        central.prepare([1], at: 0, to: "ffa1")
        let discarded = central.execute(discarding: true)
        stage.advance(1_000)
        #expect(tooLong.error == 0x0D && behind.error == 0x07 && discarded.value == [])
        #expect(written.lines.count == 6 && published.isLive)
    }

    @Test(.proves(.S101)) func `A flood of writes without response is bounded, and the rest is refused`() {
        let (stage, central, published) = published(
            LocalCharacteristic(0xFFA1, [.writeWithoutResponse]), LocalCharacteristic(0xFFA2, .read, value: [1]))
        let events = stage.record(stage.manager.events)
        let writes = stage.record(published.elements[0].observeDidReceiveWrite())
        for number in 0..<1_000 { central.writeWithoutResponse([UInt8(number % 256)], to: "ffa1") }
        stage.advance(1_000)
        #expect(writes.elements.count == 256)
        #expect(writes.elements.allSatisfy { $0.operation == .writeWithoutResponse })
        #expect(events.elements.contains { $0.kind == .requestDropped(total: 744) })
        let read = central.read("ffa2")
        stage.advance(100)
        #expect(read.value == [1])
        for request in writes.elements { _ = try? request.respond() }
        central.writeWithoutResponse([1], to: "ffa1")
        stage.advance(100)
        #expect(writes.elements.count == 257 && published.isLive)
    }

    @Test(.proves(.S101)) func `Requests of a central that vanishes end, and leave nothing behind`() {
        let (stage, central, published) = published(
            LocalCharacteristic(0xFFA1, [.read, .write, .notify], onRead: { _ in .never() }))
        let writes = stage.record(published.elements[0].observeDidReceiveWrite())
        _ = central.read("ffa1")
        central.subscribe(to: "ffa1")
        central.prepare([1], at: 0, to: "ffa1")
        stage.advance(200)
        central.disconnect()
        stage.advance(10_000)
        #expect(writes.elements.isEmpty)
        published.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(100)
        #expect(settled.isCompleted)
        stage.passTemporaryTimeout()
        stage.expectNoTimers()
    }

    @Test(.proves(.S101)) func `Disposal answers open requests, and their outcome is cancelled`() {
        let (stage, central, published) = published(LocalCharacteristic(0xFFA1, .read))
        let reads = stage.record(published.elements[0].observeDidReceiveRead())
        let read = central.read("ffa1")
        stage.advance(200)
        guard let request = reads.elements.first else {
            Issue.record("The request did not arrive.")
            return
        }
        let outcome = stage.record(request.outcome)
        published.dispose()
        stage.advance(100)
        #expect(outcome.elements == [.cancelled] && reads.isCompleted)
        #expect(read.error == 0x0E)
    }

    @Test(.proves(.S100, .Q17)) func `Only bluetoothd can use the attributes of published services`() throws {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        let called = LineRecorder()
        let published = stage.record(
            stage.manager.publish([
                LocalService(
                    0xFFA0,
                    characteristics: [
                        LocalCharacteristic(
                            0xFFA1, [.read, .write, .notify],
                            onRead: { _ in
                                called.note("read")
                                return .just([1])
                            })
                    ])
            ]))
        stage.advance(1)
        let call = daemon.take("RegisterApplication")
        let client = try #require(call.call?.message.sender)
        call.reply()
        stage.advance(1)
        #expect(published.elements.count == 1)
        let subscribed = stage.record(published.elements[0].observeIsSubscribed(0xFFA1))
        let answers = LineRecorder()
        func ask(_ bus: any Bus, _ member: String, _ arguments: [Value]) throws {
            let question = try Message.call(
                to: client, path: "/rxbluetooth/application1/service0/characteristic0",
                interface: "org.bluez.GattCharacteristic1", member: member
            ) { (body) throws(DBusError) in for argument in arguments { try body.value(argument) } }
            bus.call(question, timeout: .seconds(5)) { result in
                switch result {
                case .success: answers.note("\(member) ok")
                case .failure(let error): answers.note("\(member) \(error.name.split(separator: ".").last ?? "")")
                }
            }
            stage.advance(1)
        }
        let stranger = stage.simulation.bus.join()
        for member in ["ReadValue", "StartNotify", "StopNotify", "Confirm"] {
            try ask(stranger, member, member == "ReadValue" ? [.properties([:])] : [])
        }
        #expect(answers.lines.allSatisfy { $0.hasSuffix("AccessDenied") } && called.lines.isEmpty)
        let bluez = try #require(daemon.connection)
        // Malformed requests of bluetoothd itself are refused, and change nothing.
        try ask(bluez, "ReadValue", [])
        try ask(bluez, "ReadValue", [.properties(["offset": .string("far")])])
        try ask(bluez, "WriteValue", [.string("text"), .properties([:])])
        try ask(bluez, "WriteValue", [.bytes([1])])
        try ask(bluez, "Destroy", [])
        try ask(bluez, "ReadValue", [.properties(["mtu": .string("wide"), "device": .objectPath("/nowhere")])])
        #expect(
            answers.lines.dropFirst(4) == [
                "ReadValue InvalidArguments", "ReadValue InvalidArguments", "WriteValue InvalidArguments",
                "WriteValue InvalidArguments", "Destroy UnknownMethod", "ReadValue ok",
            ])
        #expect(called.lines == ["read"] && subscribed.elements == [false])
    }
}

extension Stage {
    /// Lets the time pass after which bluetoothd forgets the device of a central, so that it has no timer left.
    func passTemporaryTimeout() { advance(35_000) }
}
