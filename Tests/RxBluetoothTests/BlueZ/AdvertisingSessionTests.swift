import DBus
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

struct AdvertisingSessionTests {
    private let advertisement = Advertisement(
        localName: "Gateway", services: [0x180D], manufacturerData: [0x004C: [1, 2]], serviceData: [0xFEAA: [3]],
        appearance: 0x0341, isConnectable: true)

    private func scripted() -> (Stage, ScriptedDaemon) {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        return (stage, daemon)
    }

    @Test(.proves(.S134)) func `The interval is sent in milliseconds, and an invalid one is refused`() {
        for (interval, isValid) in [
            (Duration.milliseconds(20)...Duration.milliseconds(100), true),
            (.seconds(10_485)...(.seconds(10_485)), true), (.milliseconds(19)...(.milliseconds(100)), false),
            (.milliseconds(100)...(.seconds(10_486)), false), (.seconds(-1)...(.seconds(1)), false),
        ] {
            let stage = Stage()
            let advertising = stage.record(stage.manager.advertise(Advertisement(interval: interval)))
            stage.advance(100)
            #expect(advertising.isLive == isValid)
            #expect(stage.count("RegisterAdvertisement") == (isValid ? 1 : 0))
            #expect(isValid || advertising.kind == .invalidArgument)
        }
        let properties = Advertisement(interval: .microseconds(152_500)...(.seconds(1))).properties
        #expect(properties["MinInterval"] == .uint32(152) && properties["MaxInterval"] == .uint32(1_000))
        #expect(Advertisement().properties["MinInterval"] == nil)
    }

    @Test(.proves(.S86), .covers(.advertising))
    func `Advertising emits once without completing, and disposal unregisters it`() {
        let stage = Stage()
        let advertising = stage.record(stage.manager.advertise(advertisement))
        stage.advance(60_000)
        #expect(advertising.elements.count == 1)
        #expect(advertising.isLive)
        #expect(stage.methods == ["RegisterAdvertisement"])
        advertising.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(100)
        #expect(settled.isCompleted)
        #expect(stage.methods == ["RegisterAdvertisement", "UnregisterAdvertisement"])
    }

    @Test(.proves(.S86, .Q113)) func `A sixth advertisement fails until a slot is free; the others continue`() {
        let stage = Stage()
        let five = (0..<5).map { _ in stage.record(stage.manager.advertise(advertisement)) }
        stage.advance(100)
        let sixth = stage.record(stage.manager.advertise(advertisement))
        stage.advance(100)
        #expect(sixth.kind == .noFreeSlot)
        #expect(sixth.error?.operation == .advertise)
        #expect(sixth.error?.description.contains("advertisement") == true)
        for one in five { #expect(one.isLive && one.elements.count == 1) }
        five[2].dispose()
        let next = stage.record(stage.manager.advertise(advertisement))
        stage.advance(100)
        #expect(next.elements.count == 1)
        #expect(stage.count("UnregisterAdvertisement") == 1)
    }

    @Test(.proves(.S86, .Q113)) func `A refused advertisement fails with a typed error and is not unregistered`() {
        for (name, text, kind): (String, String, BluetoothError.Kind) in [
            ("Failed", "Failed to parse advertisement.", .invalidArgument),
            ("InvalidLength", "Advertising data too long", .invalidArgument),
            ("Failed", "Failed to register advertisement", .registrationFailed("Failed to register advertisement")),
        ] {
            let stage = Stage()
            stage.simulation.bluez.add(Fault("RegisterAdvertisement", .error("org.bluez.Error.\(name)", text)))
            let advertising = stage.record(stage.manager.advertise(advertisement))
            stage.advance(100)
            #expect(advertising.kind == kind)
            #expect(advertising.error?.dbusMessage == text)
            #expect(advertising.elements.isEmpty)
            stage.advance(1_000)
            #expect(stage.methods == ["RegisterAdvertisement"])
            stage.expectSettled()
        }
    }

    @Test(.proves(.S86)) func `An advertisement without a reply times out and is unregistered`() {
        let (stage, daemon) = scripted()
        let advertising = stage.record(stage.manager.advertise(advertisement))
        stage.advance(29_999)
        #expect(advertising.isLive)
        stage.advance(1)
        #expect(advertising.kind == .timedOut)
        #expect(daemon.methods == ["RegisterAdvertisement", "UnregisterAdvertisement"])
        stage.advance(2_000)
        stage.expectSettled()
    }

    @Test(.proves(.S86)) func `Disposal before the reply unregisters the advertisement`() {
        let (stage, daemon) = scripted()
        let advertising = stage.record(stage.manager.advertise(advertisement))
        stage.advance(10)
        advertising.dispose()
        stage.advance(0)
        daemon.take("RegisterAdvertisement").reply()
        daemon.take("UnregisterAdvertisement").reply()
        stage.advance(0)
        #expect(advertising.times.isEmpty)
        stage.expectSettled()
        stage.expectNoTimers()
    }

    @Test(.proves(.S1)) func `Advertising with the adapter off fails and sends nothing`() {
        let stage = Stage()
        stage.simulation.bluez.setPower(false)
        stage.advance(1_000)
        let advertising = stage.record(stage.manager.advertise(advertisement))
        stage.advance(100)
        #expect(advertising.kind == .poweredOff)
        #expect(stage.methods.isEmpty)
    }

    @Test(.proves(.Q114)) func `Advertising ends with a typed error when bluetoothd, adapter or bus is lost`() {
        // Only an adapter that is switched off needs a call: bluetoothd would advertise again when it is switched on,
        // so the library unregisters the advertisement.
        for (kind, count, happens): (BluetoothError.Kind, Int, @Sendable (Stage) -> Void) in [
            (.daemonUnavailable, 0, { $0.simulation.bluez.crash() }), (.poweredOff, 0, { $0.simulation.bluez.stop() }),
            (.noAdapter, 0, { $0.simulation.bluez.removeAdapter() }),
            (.poweredOff, 1, { $0.simulation.bluez.setPower(false) }),
            (.busUnavailable, 0, { $0.simulation.bus.shutDown() }),
        ] {
            let stage = Stage()
            let advertising = stage.record(stage.manager.advertise(advertisement))
            stage.advance(100)
            happens(stage)
            stage.advance(3_000)
            #expect(advertising.kind == kind)
            #expect(advertising.error?.operation == .advertise)
            #expect(stage.count("UnregisterAdvertisement") == count)
        }
    }

    @Test(.proves(.Q25, .Q114)) func `Only bluetoothd can read or release an advertisement`() throws {
        let (stage, daemon) = scripted()
        let advertising = stage.record(stage.manager.advertise(advertisement))
        stage.advance(0)
        let call = daemon.take("RegisterAdvertisement")
        let client = try #require(call.call?.message.sender)
        let path = try #require(
            try call.call?.message.read { (body) throws(DBusError) in try body.objectPath() })
        let ours = stage.simulation.bus.join()
        let answers = LineRecorder()
        func ask(_ bus: any Bus, _ interface: String, _ member: String) throws {
            let question = try Message.call(to: client, path: path, interface: interface, member: member) {
                (body) throws(DBusError) in if member == "GetAll" { try body.string("org.bluez.LEAdvertisement1") }
            }
            bus.call(question, timeout: .seconds(5)) { result in
                switch result {
                case .success(let reply):
                    let value = try? reply.read { (body) throws(DBusError) in try body.value() }
                    answers.note(value == .properties(Self.expected) ? "as it is" : "\(String(describing: value))")
                case .failure(let error): answers.note(error.name.split(separator: ".").last.map(String.init) ?? "")
                }
            }
            stage.advance(1)
        }
        let properties = "org.freedesktop.DBus.Properties"
        try ask(ours, properties, "GetAll")
        #expect(answers.lines == ["AccessDenied"])
        try ask(try #require(daemon.connection), properties, "GetAll")
        #expect(answers.lines == ["AccessDenied", "as it is"])
        call.reply()
        stage.advance(0)
        #expect(advertising.elements.count == 1)
        try ask(ours, "org.bluez.LEAdvertisement1", "Release")
        #expect(advertising.isLive)
        try ask(try #require(daemon.connection), "org.bluez.LEAdvertisement1", "Release")
        // Before it reports the end, the library reads Powered, because the adapter may be the reason.
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        stage.advance(0)
        #expect(advertising.kind == .bluez)
        #expect(daemon.methods == ["RegisterAdvertisement", "Get"])
    }

    private static let expected: [String: Value] = [
        "Type": .string("peripheral"), "LocalName": .string("Gateway"),
        "ServiceUUIDs": .strings(["0000180D-0000-1000-8000-00805F9B34FB"]),
        "ManufacturerData": .dictionary(key: "q", value: "v", [Value.Entry(.uint16(0x4C), .variant(.bytes([1, 2])))]),
        "ServiceData": .properties(["0000FEAA-0000-1000-8000-00805F9B34FB": .bytes([3])]),
        "Appearance": .uint16(0x0341),
    ]

    @Test(.proves(.S44)) func `Closing the manager unregisters the advertisement`() {
        let stage = Stage()
        let advertising = stage.record(stage.manager.advertise(advertisement))
        stage.advance(100)
        let closed = stage.record(stage.manager.close())
        stage.advance(100)
        #expect(advertising.kind == .closed)
        #expect(closed.isCompleted)
        #expect(stage.methods == ["RegisterAdvertisement", "UnregisterAdvertisement"])
    }
}
