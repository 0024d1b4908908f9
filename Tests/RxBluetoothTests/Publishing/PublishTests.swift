import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// The registration of local services with bluetoothd.
struct PublishTests {
    private static let services = [LocalService(0xFFA0, characteristics: [LocalCharacteristic(0xFFA1, .read)])]

    @Test(.proves(.S93, .Q25, .Q116), .covers(.publishing))
    func `Publishing emits once registered, and disposal unregisters`() {
        let stage = Stage()
        let published = stage.record(stage.manager.publish(Self.services))
        stage.advance(60_000)
        #expect(published.elements.count == 1 && published.isLive)
        #expect(stage.methods == ["RegisterApplication"])
        published.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(100)
        #expect(settled.isCompleted)
        #expect(stage.methods == ["RegisterApplication", "UnregisterApplication"])
        stage.expectNoTimers()
    }

    @Test(.proves(.S93)) func `Several services of one manager are registered independently`() {
        let stage = Stage()
        let central = stage.simulation.bluez.connectCentral()
        let first = stage.record(stage.manager.publish(Self.services))
        let second = stage.record(
            stage.manager.publish([LocalService(0xFFB0, characteristics: [LocalCharacteristic(0xFFB1, .write)])]))
        stage.advance(1_000)
        #expect(stage.discovered(by: central) == ["0000ffa1", "0000ffb1"])
        first.dispose()
        stage.advance(100)
        #expect(stage.discovered(by: central) == ["0000ffb1"])
        #expect(second.isLive)
    }

    @Test(.proves(.S93)) func `A refused registration fails with a typed error and is not unregistered`() {
        let stage = Stage()
        let text = "Failed to create entry in database"
        stage.simulation.bluez.add(Fault("RegisterApplication", .error("org.bluez.Error.Failed", text)))
        let published = stage.record(stage.manager.publish(Self.services))
        stage.advance(100)
        #expect(published.kind == .registrationFailed(text))
        #expect(published.error?.operation == .publish)
        stage.advance(1_000)
        #expect(stage.methods == ["RegisterApplication"])
        stage.expectSettled()
    }

    @Test(.proves(.S93)) func `A registration without a reply times out and is unregistered`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        let published = stage.record(stage.manager.publish(Self.services))
        stage.advance(29_999)
        #expect(published.isLive)
        stage.advance(1)
        #expect(published.kind == .timedOut)
        #expect(daemon.methods == ["RegisterApplication", "UnregisterApplication"])
        stage.advance(2_000)
        stage.expectSettled()
    }

    @Test(.proves(.S93), arguments: [Duration.zero, .seconds(-1)])
    func `With a deadline of zero or less, publishing fails and nothing stays registered`(deadline: Duration) {
        var deadlines = Deadlines.prompt
        deadlines.operation = deadline
        let stage = Stage(deadlines: deadlines)
        stage.simulation.bluez.add(Fault("RegisterApplication", .late(.milliseconds(1))))
        let published = stage.record(stage.manager.publish(Self.services, resumes: false))
        stage.advance(100)
        #expect(published.kind == .timedOut)
        stage.advance(2_000)
        let central = stage.simulation.bluez.connectCentral()
        stage.advance(1_000)
        #expect(stage.discovered(by: central) == [])
        stage.expectSettled()
    }

    @Test(.proves(.S94)) func `Services that bluetoothd would refuse fail before anything is sent`() {
        let long = [UInt8](repeating: 0, count: 513)
        let described = { (descriptor: LocalDescriptor) in
            LocalService(
                0xFFA0, characteristics: [LocalCharacteristic(0xFFA1, .read, descriptors: [descriptor])])
        }
        let invalid: [[LocalService]] = [
            [], [LocalService(0x1800)], [LocalService(0x1801)], [LocalService(0xFFA0, includedServices: [0xFFB0])],
            [LocalService(0xFFA0, includedServices: [0xFFB0]), LocalService(0xFFB0)],
            [LocalService(0xFFA0, characteristics: [LocalCharacteristic(0xFFA1, [])])],
            [LocalService(0xFFA0, characteristics: [LocalCharacteristic(0xFFA1, .read, value: long)])],
            [described(LocalDescriptor(0x2902))], [described(LocalDescriptor(0x2900))],
            [described(LocalDescriptor(0x2901, value: long))],
        ]
        for services in invalid {
            let stage = Stage()
            let published = stage.record(stage.manager.publish(services))
            stage.advance(100)
            #expect(published.kind == .invalidArgument)
            #expect(published.error?.operation == .publish && published.error?.detail != nil)
            #expect(stage.methods.isEmpty)
        }
    }

    @Test(.proves(.S94)) func `bluetoothd reads each property of the described services`() throws {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        let services = [
            LocalService(0x180F, isPrimary: false),
            LocalService(
                0xFFA0, includedServices: [0x180F],
                characteristics: [
                    LocalCharacteristic(
                        0xFFA1, [.read, .writeWithoutResponse, .notify], security: .encrypted,
                        descriptors: [LocalDescriptor(0x2901, isWritable: true, security: .authenticated)]),
                    LocalCharacteristic(0xFFA2, [.write, .indicate], security: .secureConnections),
                ]),
        ]
        let published = stage.record(stage.manager.publish(services))
        stage.advance(0)
        let call = daemon.take("RegisterApplication")
        let client = try #require(call.call?.message.sender)
        let root = try #require(try call.call?.message.read { (body) throws(DBusError) in try body.objectPath() })
        let lines = LineRecorder()
        func ask(_ bus: any Bus) throws {
            let question = try Message.call(
                to: client, path: root, interface: "org.freedesktop.DBus.ObjectManager", member: "GetManagedObjects")
            bus.call(question, timeout: .seconds(5)) { result in
                switch result {
                case .success(let reply):
                    let value = try? reply.read { (body) throws(DBusError) in try body.value() }
                    guard case .dictionary(_, _, let objects)? = value else { return lines.note("no objects") }
                    for object in objects { lines.note(Self.line(object)) }
                case .failure(let error): lines.note(error.name)
                }
            }
            stage.advance(1)
        }
        try ask(stage.simulation.bus.join())
        #expect(lines.lines == ["org.freedesktop.DBus.Error.AccessDenied"])
        try ask(try #require(daemon.connection))
        #expect(
            lines.lines.dropFirst().map { $0.replacing(root.description, with: "") } == [
                "/service0 GattService1 Primary=false UUID=0000180F",
                "/service1 GattService1 Includes=[/service0] Primary=true UUID=0000FFA0",
                "/service1/characteristic0 GattCharacteristic1 "
                    + "Flags=[encrypt-read, write-without-response, encrypt-notify, encrypt-write] "
                    + "Service=/service1 UUID=0000FFA1",
                "/service1/characteristic0/descriptor0 GattDescriptor1 Characteristic=/service1/characteristic0 "
                    + "Flags=[encrypt-authenticated-read, encrypt-authenticated-write] UUID=00002901",
                "/service1/characteristic1 GattCharacteristic1 Flags=[secure-write, secure-indicate] "
                    + "Service=/service1 UUID=0000FFA2",
            ])
        call.reply()
        stage.advance(0)
        #expect(published.elements.count == 1)
    }

    private static func line(_ object: Value.Entry) -> String {
        guard case .objectPath(let path) = object.key, case .dictionary(_, _, let interfaces) = object.value,
            let interface = interfaces.first, case .string(let name) = interface.key,
            case .dictionary(_, _, let properties) = interface.value
        else { return "malformed" }
        let texts = properties.map { property -> String in
            guard case .string(let name) = property.key, case .variant(let value) = property.value else { return "" }
            return "\(name)=\(text(value))"
        }
        return "\(path) \(name.split(separator: ".").last ?? "") \(texts.joined(separator: " "))"
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let text): text.hasSuffix("-0000-1000-8000-00805F9B34FB") ? String(text.prefix(8)) : text
        case .bool(let isTrue): "\(isTrue)"
        case .objectPath(let path): path.description
        case .array(_, let values): "[\(values.map(text).joined(separator: ", "))]"
        default: "\(value)"
        }
    }

    @Test(.proves(.S99, .Q114)) func `After an outage the services are registered again, and streams complete`() {
        let outages: [(begins: @Sendable (SimulatedBlueZ) -> Void, ends: @Sendable (SimulatedBlueZ) -> Void)] = [
            ({ $0.crash() }, { $0.start() }), ({ $0.removeAdapter() }, { $0.addAdapter() }),
        ]
        for (begins, ends) in outages {
            let stage = Stage()
            let published = stage.record(stage.manager.publish(Self.services))
            stage.advance(100)
            guard let first = published.elements.first else { continue }
            let writes = stage.record(first.observeDidReceiveWrite())
            stage.advance(100)
            begins(stage.simulation.bluez)
            stage.advance(2_000)
            #expect(writes.isCompleted && published.isLive)
            #expect(published.elements.count == 1)
            let late = stage.record(first.updateValue([1], for: 0xFFA1))
            stage.advance(100)
            ends(stage.simulation.bluez)
            stage.advance(5_000)
            #expect(late.elements == [false])
            #expect(published.elements.count == 2 && published.isLive)
            #expect(stage.count("RegisterApplication") == 2)
        }
    }

    @Test(.proves(.S99)) func `Without resuming, an outage fails the stream with its reason`() {
        for (kind, happens): (BluetoothError.Kind, @Sendable (Stage) -> Void) in [
            (.daemonUnavailable, { $0.simulation.bluez.crash() }),
            (.noAdapter, { $0.simulation.bluez.removeAdapter() }),
            (.busUnavailable, { $0.simulation.bus.shutDown() }),
        ] {
            let stage = Stage()
            let published = stage.record(stage.manager.publish(Self.services, resumes: false))
            stage.advance(100)
            happens(stage)
            stage.advance(3_000)
            #expect(published.kind == kind)
            #expect(published.error?.operation == .publish)
        }
    }

    @Test(.proves(.S99)) func `The services stay registered while the adapter is off`() {
        let stage = Stage()
        let published = stage.record(stage.manager.publish(Self.services))
        stage.advance(100)
        stage.simulation.bluez.setPower(false)
        stage.advance(10_000)
        stage.simulation.bluez.setPower(true)
        stage.advance(1_000)
        let central = stage.simulation.bluez.connectCentral()
        stage.advance(100)
        #expect(stage.discovered(by: central) == ["0000ffa1"])
        #expect(published.elements.count == 1 && published.isLive)
        #expect(stage.methods == ["RegisterApplication"])
    }

    @Test(.proves(.S99)) func `With resuming, publishing waits for bluetoothd; without, it fails`() {
        let stage = Stage()
        stage.simulation.bluez.setPower(false)
        stage.advance(1_000)
        let waiting = stage.record(stage.manager.publish(Self.services))
        let refused = stage.record(stage.manager.publish(Self.services, resumes: false))
        stage.advance(1_000)
        #expect(waiting.times.isEmpty && refused.kind == .poweredOff)
        #expect(stage.methods.isEmpty)
        stage.simulation.bluez.setPower(true)
        stage.advance(1_000)
        #expect(waiting.elements.count == 1)
    }

    @Test(.proves(.S44)) func `Closing the manager unregisters the services`() {
        let stage = Stage()
        let published = stage.record(stage.manager.publish(Self.services))
        stage.advance(100)
        let closed = stage.record(stage.manager.close())
        stage.advance(100)
        #expect(published.kind == .closed)
        #expect(closed.isCompleted)
        #expect(stage.methods == ["RegisterApplication", "UnregisterApplication"])
        let late = published.elements.first.map { Ended($0, stage.scheduler) }
        stage.advance(100)
        #expect(late?.hasCompleted == true)
    }

    @Test(.proves(.S5, .S93)) func `Published services do not keep the manager alive, their subscription does`() {
        let setup = LifetimeTests.Setup()
        let rules = setup.rules
        let published = setup.manager.map { Recording($0.publish(Self.services), setup.scheduler) }
        setup.scheduler.advanceBy(100)
        let services = published?.elements.first
        setup.manager = nil
        setup.scheduler.advanceBy(10_000)
        #expect(services != nil && setup.rules > rules && setup.count("UnregisterApplication") == 0)
        let central = setup.simulation.bluez.connectCentral()
        let read = central.read("ffa1")
        setup.scheduler.advanceBy(100)
        let requests = services.map { Recording($0.observeDidReceiveRead(), setup.scheduler) }
        setup.scheduler.advanceBy(100)
        #expect(requests?.elements.count == 1 && read.isOpen)
        requests?.dispose()
        published?.dispose()
        setup.scheduler.advanceBy(3_000)
        #expect(setup.count("UnregisterApplication") == 1)
        // The manager has closed its bus.
        #expect(setup.rules == rules)
        let late = services.map { Ended($0, setup.scheduler) }
        setup.scheduler.advanceBy(1)
        #expect(late?.hasCompleted == true)
    }

    /// The streams of services that are not published any more.
    private struct Ended {
        let reads: Recording<ATTRequest>
        let subscribed: Recording<Bool>
        let sent: Recording<Bool>

        init(_ services: PublishedServices, _ scheduler: TestScheduler) {
            reads = Recording(services.observeDidReceiveRead(), scheduler)
            subscribed = Recording(services.observeIsSubscribed(0xFFA1), scheduler)
            sent = Recording(services.updateValue([1], for: 0xFFA1).asObservable(), scheduler)
        }

        var hasCompleted: Bool {
            reads.isCompleted && subscribed.isCompleted && subscribed.elements.isEmpty && sent.elements == [false]
        }
    }
}

extension LifetimeTests.Setup {
    /// The number of match rules on the bus.
    fileprivate var rules: Int { (simulation.bus as? LoopbackBus)?.matchRules ?? 0 }
}

extension Stage {
    /// Returns the first 8 digits of the UUIDs of the characteristics that a central discovers.
    func discovered(by central: SimulatedCentral) -> [String] {
        let found = LineRecorder()
        central.discover { for uuid in $0 { found.note(String(uuid.prefix(8))) } }
        advance(1)
        return found.lines
    }
}
