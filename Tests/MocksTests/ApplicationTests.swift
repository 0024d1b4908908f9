import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of the registration of GATT applications. `ConformanceTests` covers the error texts.
struct ApplicationTests {
    private static func object(_ path: ObjectPath, _ interface: String, _ properties: [String: Value]) -> Value.Entry {
        .init(
            .objectPath(path),
            .dictionary(
                key: "s", value: "a{sv}", [.init(.string("org.bluez." + interface), .properties(properties))]))
    }

    private static func service(
        _ path: ObjectPath, _ uuid: String, handle: UInt16? = nil, isPrimary: Bool = true
    ) -> Value.Entry {
        var properties: [String: Value] = ["UUID": .string(uuid), "Primary": .bool(isPrimary)]
        if let handle { properties["Handle"] = .uint16(handle) }
        return object(path, "GattService1", properties)
    }

    /// Exports objects, and logs the handles that the daemon writes to them.
    private func serve(_ client: Client, _ objects: [Value.Entry], _ handles: Log = Log()) {
        _ = client.bus.export(at: "/a", includingChildren: true) { call in
            let values = (try? call.message.read { (body) throws(DBusError) in try body.values() }) ?? []
            if call.message.member == "Set" {
                handles.write("\(call.message.path?.description ?? "") \(values[1].line) \(values[2].line)")
                return call.reply()
            }
            call.reply { (body) throws(DBusError) in
                try body.value(.dictionary(key: "o", value: "a{sa{sv}}", objects))
            }
        }
    }

    private func call(_ stage: Stage, _ member: String, from client: Client? = nil) -> String {
        stage.wait(
            for: (client ?? stage.client).call(
                Stage.hci, "org.bluez.GattManager1." + member,
                [.objectPath("/a")] + (member == "RegisterApplication" ? [.properties([:])] : [])))
    }

    @Test(.proves(.Q25)) func `Requested handles are written back before RegisterApplication is answered`() {
        let stage = Stage()
        let handles = Log()
        serve(
            stage.client,
            [
                Self.service("/a/s", "fff0", handle: 0), Self.service("/a/t", "fff1"),
                Self.object(
                    "/a/s/c", "GattCharacteristic1",
                    [
                        "UUID": .string("fff2"), "Service": .objectPath("/a/s"), "Flags": .strings(["notify"]),
                        "Handle": .uint16(0),
                    ]),
            ], handles)
        #expect(call(stage, "RegisterApplication") == "ok")
        #expect(handles.take() == ["/a/s Handle 30", "/a/s/c Handle 32"])
    }

    @Test func `The adapter's UUIDs list each registered service once`() {
        let stage = Stage()
        let other = stage.another()
        serve(stage.client, [Self.service("/a/s", "fff0"), Self.service("/a/t", "fff1"), Self.service("/a/u", "180a")])
        serve(other, [Self.service("/a/s", "0000fff1")])
        let own = stage.property(Stage.hci, "Adapter1", "UUIDs")
        func more(_ uuids: String) -> String { own.dropLast() + uuids + "]" }
        #expect(call(stage, "RegisterApplication") == "ok")
        #expect(call(stage, "RegisterApplication", from: other) == "ok")
        #expect(stage.property(Stage.hci, "Adapter1", "UUIDs") == more(", 0000fff0, 0000fff1"))
        #expect(call(stage, "UnregisterApplication") == "ok")
        #expect(stage.property(Stage.hci, "Adapter1", "UUIDs") == more(", 0000fff1"))
        other.bus.close()
        stage.run(.milliseconds(50))
        #expect(stage.property(Stage.hci, "Adapter1", "UUIDs") == own)
    }

    @Test func `An application with profiles only is accepted`() {
        let stage = Stage()
        serve(stage.client, [Self.object("/a/p", "GattProfile1", ["UUIDs": .strings(["180d"])])])
        #expect(call(stage, "RegisterApplication") == "ok")
        #expect(call(stage, "UnregisterApplication") == "ok")
    }

    @Test(.proves(.Q116)) func `A client that does not answer within 25 s has no objects`() {
        let stage = Stage()
        _ = stage.client.bus.export(at: "/a", includingChildren: true) { _ in }
        let answer = stage.client.call(
            Stage.hci, "org.bluez.GattManager1.RegisterApplication", [.objectPath("/a"), .properties([:])])
        stage.run(.milliseconds(24_900))
        #expect(answer.isOpen)
        stage.run(.milliseconds(200))
        #expect(answer.line == "Failed: No object received")
    }

    @Test func `A handle in use is refused, and services added before are removed`() {
        let stage = Stage()
        serve(stage.client, [Self.service("/a/s", "fff0"), Self.service("/a/t", "fff1", handle: 30)])
        let own = stage.property(Stage.hci, "Adapter1", "UUIDs")
        #expect(call(stage, "RegisterApplication") == "Failed: Failed to create entry in database")
        stage.run(.milliseconds(50))
        #expect(stage.property(Stage.hci, "Adapter1", "UUIDs") == own)
        #expect(call(stage, "UnregisterApplication") == "DoesNotExist: Does Not Exist")
    }

    @Test func `After the last handle, only a service of one attribute fits`() {
        let stage = Stage()
        serve(stage.client, [Self.service("/a/s", "fff0", handle: 0xFFFF)])
        #expect(call(stage, "RegisterApplication") == "ok")
        let other = stage.another()
        serve(other, [Self.service("/a/s", "fff0"), Self.service("/a/t", "fff1")])
        #expect(call(stage, "RegisterApplication", from: other) == "Failed: Failed to create entry in database")
    }
}
