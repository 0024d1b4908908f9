import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of the registration of advertisements.
struct AdvertisingTests {
    private static let manager = "org.bluez.LEAdvertisingManager1"

    private func serve(_ client: Client, at path: ObjectPath, type: String) {
        _ = client.bus.export(at: path, includingChildren: false) { call in
            call.reply { (body) throws(DBusError) in try body.properties(["Type": .string(type)]) }
        }
    }

    private func register(_ stage: Stage, _ path: ObjectPath, from client: Client? = nil) -> String {
        stage.wait(
            for: (client ?? stage.client).call(
                Stage.hci, Self.manager + ".RegisterAdvertisement", [.objectPath(path), .properties([:])]))
    }

    private func unregister(_ stage: Stage, _ path: ObjectPath) -> String {
        stage.wait(
            for: stage.client.call(Stage.hci, Self.manager + ".UnregisterAdvertisement", [.objectPath(path)]))
    }

    @Test(.proves(.Q113)) func `An advertisement uses a slot until it is unregistered`() {
        let stage = Stage()
        serve(stage.client, at: "/one", type: "peripheral")
        #expect(register(stage, "/one") == "ok")
        #expect(
            stage.seen() == ["hci0 {SupportedInstances: 4, ActiveInstances: 1}", "RegisterAdvertisement -> ok"])
        #expect(register(stage, "/one") == "AlreadyExists: Already Exists")
        #expect(unregister(stage, "/one") == "ok")
        #expect(unregister(stage, "/one") == "DoesNotExist: Does Not Exist")
        #expect(stage.property(Stage.hci, "LEAdvertisingManager1", "ActiveInstances") == "0")
    }

    @Test(.proves(.Q113)) func `There are five slots, and an invalid advertisement uses none`() {
        let stage = Stage()
        serve(stage.client, at: "/bad", type: "poster")
        #expect(register(stage, "/bad") == "Failed: Failed to parse advertisement.")
        for path in ["/a", "/b", "/c", "/d", "/e", "/f"] as [ObjectPath] {
            serve(stage.client, at: path, type: "broadcast")
            let expected = path == "/f" ? "NotPermitted: Maximum advertisements reached" : "ok"
            #expect(register(stage, path) == expected)
        }
    }

    @Test(.proves(.Q113), arguments: [UInt32.max, 2_684_354_560, 19])
    func `An interval out of range is refused`(milliseconds: UInt32) {
        let stage = Stage()
        let client = stage.client
        _ = client.bus.export(at: "/one", includingChildren: false) { call in
            call.reply { (body) throws(DBusError) in
                try body.properties(["Type": .string("broadcast"), "MaxInterval": .uint32(milliseconds)])
            }
        }
        #expect(register(stage, "/one") == "Failed: Failed to parse advertisement.")
    }

    @Test(.proves(.Q114)) func `An advertisement ends after its timeout, with Release`() {
        let stage = Stage()
        let questions = Log()
        _ = stage.client.bus.export(at: "/short", includingChildren: false) { call in
            questions.write(call.message.member ?? "")
            call.reply { (body) throws(DBusError) in
                try body.properties(["Type": .string("peripheral"), "Timeout": .uint16(7)])
            }
        }
        #expect(register(stage, "/short") == "ok")
        stage.run(.milliseconds(6_900))
        #expect(questions.take() == ["GetManagedObjects", "GetAll"])
        #expect(stage.property(Stage.hci, "LEAdvertisingManager1", "ActiveInstances") == "1")
        stage.run(.milliseconds(200))
        #expect(questions.take() == ["Release"])
        #expect(stage.property(Stage.hci, "LEAdvertisingManager1", "ActiveInstances") == "0")
        #expect(unregister(stage, "/short") == "DoesNotExist: Does Not Exist")
    }

    @Test(.proves(.Q114)) func `A daemon that stops releases advertisements`() {
        let stage = Stage()
        let questions = Log()
        _ = stage.client.bus.export(at: "/one", includingChildren: false) { call in
            questions.write(call.message.member ?? "")
            call.reply { (body) throws(DBusError) in try body.properties(["Type": .string("broadcast")]) }
        }
        #expect(register(stage, "/one") == "ok")
        stage.simulation.bluez.stop()
        stage.run(.milliseconds(100))
        #expect(questions.take() == ["GetManagedObjects", "GetAll", "Release"])
    }

    @Test(.proves(.Q114)) func `An advertisement ends when its client leaves the bus`() {
        let stage = Stage()
        let other = stage.another()
        serve(other, at: "/one", type: "peripheral")
        #expect(register(stage, "/one", from: other) == "ok")
        other.bus.close()
        stage.run(.milliseconds(5))
        #expect(stage.property(Stage.hci, "LEAdvertisingManager1", "SupportedInstances") == "5")
    }
}
