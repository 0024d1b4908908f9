import DBus
import Rx
import RxBluetoothMocks
import Testing

/// Tests of the simulated central, with a client that exports its objects itself.
///
/// Sources: BlueZ 5.66, src/gatt-database.c and src/shared/gatt-server.c.
struct CentralTests {
    /// Registers a service with one characteristic for each row of flags: fff0, fff1 and so on.
    ///
    /// `answer` answers all calls except `GetManagedObjects`. The log gets their names.
    private func registered(
        _ flags: [String]..., log: Log = Log(), answer: @escaping @Sendable (IncomingCall) -> Void = { $0.reply() }
    ) -> (stage: Stage, central: SimulatedCentral) {
        let stage = Stage(Scenario(peripherals: []))
        var objects = [
            Self.object(
                "/a/s", "GattService1", ["UUID": .string("ff00"), "Primary": .bool(true)])
        ]
        for (index, flags) in flags.enumerated() {
            guard let path = ObjectPath("/a/s/c\(index)") else { continue }
            objects.append(
                Self.object(
                    path, "GattCharacteristic1",
                    [
                        "UUID": .string("fff\(index)"), "Service": .objectPath("/a/s"), "Flags": .strings(flags),
                    ]))
        }
        _ = stage.client.bus.export(at: "/a", includingChildren: true) { [objects] call in
            if call.message.member == "GetManagedObjects" {
                return call.reply { (body) throws(DBusError) in
                    try body.value(.dictionary(key: "o", value: "a{sa{sv}}", objects))
                }
            }
            log.write((call.message.member ?? "") + (call.message.noReplyExpected ? " without reply" : ""))
            answer(call)
        }
        let reply = stage.client.call(
            Stage.hci, "org.bluez.GattManager1.RegisterApplication", [.objectPath("/a"), .properties([:])])
        stage.run(.milliseconds(100))
        #expect(reply.line == "ok")
        let central = stage.simulation.bluez.connectCentral()
        stage.run(.seconds(1))
        return (stage, central)
    }

    private static func object(_ path: ObjectPath, _ interface: String, _ properties: [String: Value]) -> Value.Entry {
        .init(
            .objectPath(path),
            .dictionary(
                key: "s", value: "a{sv}", [.init(.string("org.bluez." + interface), .properties(properties))]))
    }

    @Test func `A central that is used no longer is released, also with its link up`() {
        var (stage, central): (Stage, SimulatedCentral?) = registered(["notify"])
        central?.subscribe(to: "fff0")
        stage.run(.seconds(1))
        weak let kept = central
        let other = stage.simulation.bluez.connectCentral("DA:00:00:00:00:02")
        stage.run(.seconds(1))
        central = nil
        #expect(kept == nil)
        other.disconnect()
        stage.run(.seconds(1))
    }

    @Test func `bluetoothd refuses what the flags or the security of the link do not permit`() {
        let log = Log()
        let (stage, central) = registered(
            ["write"], ["read"], ["encrypt-read", "encrypt-write"],
            ["encrypt-authenticated-read", "secure-write", "secure-read", "encrypt-authenticated-write"], log: log)
        let reads = (0..<5).map { central.read("fff\($0)") }
        let writes = (0..<5).map { central.write([1], to: "fff\($0)") }
        stage.run(.seconds(2))
        // The client answers a read without a value, so bluetoothd reports “request not supported”.
        #expect(reads.map(\.error) == [0x02, 0x06, 0x0F, 0x05, 0x01])
        #expect(writes.map(\.error) == [nil, 0x03, 0x0F, 0x05, 0x01])
        #expect(log.take() == ["ReadValue", "WriteValue"])
    }

    @Test func `A client that does not answer within 5 s causes an unlikely error`() {
        let (stage, central) = registered(["read"], answer: { _ in })
        let read = central.read("fff0")
        stage.run(.milliseconds(4_900))
        #expect(read.isOpen)
        stage.run(.milliseconds(300))
        #expect(read.error == 0x0E)
    }

    @Test func `Each error of a client has its ATT error`() {
        for (name, text, read, write): (String, String, UInt8, UInt8) in [
            ("Failed", "broken", 0x80, 0x80), ("Failed", "0x9f", 0x9F, 0x9F), ("Failed", "0xa0", 0x0E, 0x0E),
            ("NotSupported", "", 0x06, 0x06), ("NotAuthorized", "", 0x08, 0x08), ("NotPermitted", "", 0x02, 0x03),
            ("InvalidOffset", "", 0x07, 0x07), ("InvalidValueLength", "", 0x0D, 0x0D), ("InProgress", "", 0xFE, 0xFE),
            ("Other", "", 0x0E, 0x0E),
        ] {
            let error = DBusError(name: "org.bluez.Error." + name, message: text)
            let (stage, central) = registered(["read", "write"], answer: { $0.fail(error) })
            let answers = [central.read("fff0"), central.write([1], to: "fff0")]
            stage.run(.seconds(1))
            #expect(answers.map(\.error) == [read, write])
        }
    }

    @Test func `bluetoothd itself confirms writes if the flags include write-without-response`() {
        let log = Log()
        let (stage, central) = registered(
            ["write", "write-without-response"], log: log,
            answer: { $0.fail(DBusError(name: "org.bluez.Error.NotPermitted", message: "")) })
        let write = central.write([1], to: "fff0")
        central.writeWithoutResponse([2], to: "fff0")
        stage.run(.seconds(1))
        #expect(write.value == [])
        #expect(log.take() == ["WriteValue without reply", "WriteValue without reply"])
    }

    @Test func `Prepared writes are merged and limited to 30; several parts need reliable-write`() {
        let log = Log()
        let (stage, central) = registered(["write"], ["write", "reliable-write"], log: log)
        for start in [0, 2, 4] { central.prepare([1, 2], at: start, to: "fff0") }
        let merged = central.execute()
        stage.run(.seconds(1))
        #expect(merged.value == [] && log.take() == ["WriteValue"])
        for start in [0, 8] { central.prepare([1], at: start, to: "fff0") }
        let refused = central.execute()
        for start in [0, 8] { central.prepare([1], at: start, to: "fff1") }
        let reliable = central.execute()
        stage.run(.seconds(2))
        #expect(refused.error == 0x06 && reliable.value == [] && log.take() == ["WriteValue", "WriteValue"])
        let parts = (0...30).map { central.prepare([1], at: $0 * 2, to: "fff1") }
        stage.run(.seconds(5))
        #expect(parts.map(\.error) == [UInt8?](repeating: nil, count: 30) + [0x09])
    }

    @Test func `Each subscription calls StartNotify, and only the last end calls StopNotify`() {
        let log = Log()
        let (stage, central) = registered(["notify"], ["indicate"], ["read"], log: log)
        let other = stage.simulation.bluez.connectCentral("DA:00:00:00:00:02")
        stage.run(.seconds(1))
        central.subscribe(to: "fff0")
        central.subscribe(to: "fff0")
        other.subscribe(to: "fff0")
        let wrong = [
            central.subscribe(to: "fff0", indications: true), central.subscribe(to: "fff1"),
            central.subscribe(to: "fff2"),
        ]
        stage.run(.seconds(1))
        #expect(wrong.map(\.error) == [0xFD, 0xFD, 0x01])
        #expect(log.take() == ["StartNotify without reply", "StartNotify without reply"])
        central.unsubscribe(from: "fff0")
        stage.run(.seconds(1))
        #expect(log.take() == [])
        other.disconnect()
        stage.run(.seconds(1))
        #expect(log.take() == ["StopNotify without reply"])
    }

    @Test(arguments: [true, false])
    func `When bluetoothd ends, the link of a central ends, and it can connect again`(isCrash: Bool) {
        let log = Log()
        let (stage, central) = registered(["read", "notify"], log: log)
        central.subscribe(to: "fff0")
        stage.run(.seconds(1))
        #expect(log.take() == ["StartNotify without reply"])
        let pending = central.read("fff0")
        if isCrash { stage.simulation.bluez.crash() } else { stage.simulation.bluez.stop() }
        stage.run(.seconds(1))
        // A bluetoothd that has crashed sends nothing.
        #expect(log.take() == (isCrash ? [] : ["StopNotify without reply"]))
        let late = [central.read("fff0"), central.write([1], to: "fff0"), central.unsubscribe(from: "fff0")]
        central.disconnect()
        stage.run(.seconds(1))
        #expect(pending.isOpen && late.map(\.isOpen) == [true, true, true])
        stage.simulation.bluez.start()
        stage.run(.seconds(1))
        central.connect()
        let read = central.read("fff0")
        stage.run(.seconds(1))
        #expect(read.error == 0x01)
    }

    @Test func `Switching the adapter off ends the link of a central`() {
        let log = Log()
        let (stage, central) = registered(["read", "notify"], log: log)
        central.subscribe(to: "fff0")
        stage.run(.seconds(1))
        stage.simulation.bluez.setPower(false)
        stage.run(.seconds(1))
        #expect(log.take() == ["StartNotify without reply", "StopNotify without reply"])
        let read = central.read("fff0")
        central.connect()
        stage.run(.seconds(1))
        #expect(read.isOpen)
        stage.simulation.bluez.setPower(true)
        stage.run(.seconds(1))
        central.connect()
        let again = central.read("fff0")
        stage.run(.seconds(1))
        #expect(again.error == 0x06 && log.take() == ["ReadValue"])
    }

    @Test func `After the client has left, its attributes do not exist any more`() {
        let (stage, central) = registered(["read"])
        central.subscribe(to: "fff0")
        stage.client.bus.close()
        stage.run(.seconds(1))
        let read = central.read("fff0")
        stage.run(.seconds(1))
        #expect(read.error == 0x01)
    }
}
