import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of the daemon's start, stop and crash, its adapters, and its errors for invalid calls.
struct DaemonTests {
    @Test(.proves(.Q1)) func `The bus name has no owner while the daemon does not run`() {
        let stage = Stage(starting: false)
        #expect(
            stage.adapter("StartDiscovery")
                == "ServiceUnknown: The name org.bluez was not provided by any .service files")
        stage.simulation.bluez.start()
        stage.run(.milliseconds(10))
        #expect(stage.seen().contains { $0.hasPrefix("owner :1.") })
        #expect(stage.adapter("StartDiscovery") == "ok")
    }

    @Test(.proves(.Q2)) func `A crash releases the name without signals about the objects`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        let call = stage.client.call(Stage.strap, "org.bluez.Device1.Disconnect", [])
        stage.run(.milliseconds(10))
        stage.client.log.clear()
        stage.simulation.bluez.crash()
        stage.run(.milliseconds(10))
        #expect(call.line == "NoReply: Message recipient disconnected from message bus without replying")
        #expect(stage.seen() == ["owner none", "Disconnect -> " + call.line])
        stage.simulation.bluez.start()
        stage.run(.milliseconds(10))
        #expect(stage.seen().first?.hasPrefix("owner :1.") == true)
    }

    @Test(.proves(.Q53)) func `After a restart, a device that was connected is known but not seen`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.simulation.bluez.crash()
        stage.simulation.bluez.start()
        stage.run(.milliseconds(10))
        #expect(stage.objects() == ["hci0", "hci0/dev_C0_FF_EE_00_00_01"])
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "false")
        #expect(stage.property(Stage.strap, "Device1", "RSSI") == "InvalidArgs: No such property 'RSSI'")
        #expect(stage.property(Stage.strap, "Device1", "Name") == "Heart rate strap")
        #expect(stage.device(Stage.strap, "Connect") == "ok")
    }

    @Test func `Objects are listed as in gdbus, siblings from newest to oldest`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        stage.device(Stage.twins, "Connect")
        stage.run(.milliseconds(300))
        let twins = "hci0/dev_C0_FF_EE_00_00_05"
        let listed = stage.objects()
        let devices = listed.filter { $0.hasPrefix("hci0/") && !$0.hasPrefix(twins + "/") }
        #expect(listed.first == "hci0")
        #expect(devices == [5, 4, 3, 2, 1].map { "hci0/dev_C0_FF_EE_00_00_0\($0)" })
        #expect(
            listed[2..<8].map { $0.dropFirst(twins.count) } == [
                "/service000d", "/service000d/char000e", "/service000a", "/service000a/char000b", "/service0006",
                "/service0006/char0007",
            ])
    }

    @Test func `A clean stop removes all objects with signals, then releases the name`() {
        let stage = Stage()
        stage.connect(Stage.twins)
        stage.scan()
        stage.run(.milliseconds(300))
        _ = stage.seen()
        stage.simulation.bluez.stop()
        stage.run(.milliseconds(10))
        let seen = stage.seen()
        #expect(seen.first == "removed hci0/dev_C0_FF_EE_00_00_01")
        let device = "hci0/dev_C0_FF_EE_00_00_05 "
        #expect(seen.contains("hci0 {PowerState: on-disabling}"))
        #expect(seen.contains(device + "{ServicesResolved: false, Connected: false}"))
        #expect(seen.contains("hci0 {PowerState: off, Powered: false, Discovering: false}"))
        #expect(seen.suffix(3) == ["removed hci0/dev_C0_FF_EE_00_00_05", "removed hci0", "owner none"])
    }

    @Test(.proves(.Q31)) func `Switching off shows on-disabling, then replies, then shows off`() {
        let stage = Stage()
        stage.connect(Stage.twins)
        stage.scan()
        stage.run(.milliseconds(20))
        _ = stage.seen()
        #expect(stage.set(Stage.hci, "Adapter1", "Powered", .bool(false)) == "ok")
        stage.run(.milliseconds(1))
        let seen = stage.seen().filter { !$0.hasPrefix("removed") && !$0.hasPrefix("added") }
        let expected = [
            "hci0 {PowerState: on-disabling}",
            "hci0/dev_C0_FF_EE_00_00_05 {ServicesResolved: false, Connected: false}",
            "Set -> ok",
            "hci0 {PowerState: off, Powered: false, Discovering: false}",
        ]
        #expect(seen.filter { !$0.contains("RSSI") } == expected)
        #expect(stage.set(Stage.hci, "Adapter1", "Powered", .bool(true)) == "ok")
        stage.run(.milliseconds(1))
        #expect(
            stage.seen() == [
                "hci0 {PowerState: off-enabling}", "Set -> ok", "hci0 {PowerState: on, Powered: true}",
            ])
    }

    @Test(.proves(.Q22, .Q30)) func `Setting Powered fails with Busy or Blocked`() {
        let stage = Stage()
        let powered = [Value.string("org.bluez.Adapter1"), .string("Powered"), .variant(.bool(false))]
        let first = stage.client.call(Stage.hci, "org.freedesktop.DBus.Properties.Set", powered)
        #expect(stage.set(Stage.hci, "Adapter1", "Powered", .bool(false)) == "Busy: ")
        #expect(stage.wait(for: first) == "ok")
        stage.simulation.bluez.setBlocked(true)
        stage.run(.milliseconds(1))
        #expect(stage.property(Stage.hci, "Adapter1", "PowerState") == "off-blocked")
        #expect(stage.set(Stage.hci, "Adapter1", "Powered", .bool(true)) == "Blocked: Blocked through rfkill")
        stage.simulation.bluez.setBlocked(false)
        stage.run(.milliseconds(1))
        #expect(stage.property(Stage.hci, "Adapter1", "Powered") == "true")
    }

    @Test(.proves(.Q32)) func `Loss of power ends links, scans and attempts`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.scan()
        stage.run(.milliseconds(300))
        stage.simulation.bluez.setPower(false)
        stage.run(.milliseconds(10))
        let seen = stage.seen()
        #expect(seen.contains("hci0/dev_C0_FF_EE_00_00_01 {ServicesResolved: false, Connected: false}"))
        #expect(seen.contains("removed hci0/dev_C0_FF_EE_00_00_02"))
        #expect(seen.last == "hci0 {PowerState: off, Powered: false, Discovering: false}")
        stage.simulation.bluez.setPower(true)
        stage.run(.milliseconds(10))
        #expect(stage.adapter("StartDiscovery") == "ok")
    }

    @Test(.proves(.Q28)) func `An adapter can return under another number`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.simulation.bluez.removeAdapter()
        stage.run(.milliseconds(1))
        let seen = stage.seen()
        #expect(seen.suffix(2) == ["removed hci0/dev_C0_FF_EE_00_00_01", "removed hci0"])
        #expect(stage.adapter("StartDiscovery").hasPrefix("UnknownObject"))
        stage.simulation.bluez.addAdapter(as: 1)
        stage.run(.milliseconds(1))
        #expect(stage.seen().contains("added hci1"))
        #expect(stage.objects().first == "hci1")
    }

    @Test func `An unplugged adapter returns in the state that was set meanwhile`() {
        let stage = Stage()
        let bluez = stage.simulation.bluez
        let changes: [(before: () -> Void, meanwhile: () -> Void, after: String)] = [
            ({ bluez.setBlocked(true) }, { bluez.setBlocked(false) }, "on"),
            ({ bluez.setPower(false) }, { bluez.setPower(true) }, "on"),
            ({}, { bluez.setBlocked(true) }, "off-blocked"),
            ({}, {}, "off-blocked"),
            ({ bluez.setBlocked(false) }, { bluez.setPower(false) }, "off"),
        ]
        for change in changes {
            change.before()
            stage.run(.milliseconds(10))
            bluez.replugAdapter(as: 0)
            stage.run(.milliseconds(500))
            change.meanwhile()
            stage.run(.milliseconds(600))
            #expect(stage.property(Stage.hci, "Adapter1", "PowerState") == change.after)
        }
    }

    @Test(.proves(.Q24)) func `Two adapters find the same peripherals, and only one connects`() {
        let scenario = Scenario(
            adapters: [SimulatedAdapter(), SimulatedAdapter(address: "00:1A:7D:DA:71:02")],
            peripherals: Scenario.everyday.peripherals)
        let stage = Stage(scenario)
        stage.connect(Stage.strap)
        let other = stage.client.call("/org/bluez/hci1", "org.bluez.Adapter1.StartDiscovery", [])
        #expect(stage.wait(for: other) == "ok")
        stage.run(.milliseconds(500))
        let found = stage.objects().filter { $0.hasPrefix("hci1/") }
        #expect(found.count == 4 && !found.contains("hci1/dev_C0_FF_EE_00_00_01"))
    }

    @Test func `Invalid calls fail with the errors of the real daemon`() {
        let stage = Stage()
        let unknown = { (method: String, interface: String) in
            "Method \"\(method)\" with signature \"\" on interface \"org.bluez.\(interface)\" doesn't exist\n"
        }
        #expect(stage.adapter("Bogus") == "UnknownMethod: " + unknown("Bogus", "Adapter1"))
        #expect(stage.device("/org/bluez/hci0", "Connect") == "UnknownMethod: " + unknown("Connect", "Device1"))
        #expect(stage.device("/org/bluez/hci0/nope", "Connect") == "UnknownObject: " + unknown("Connect", "Device1"))
        #expect(stage.device("/org", "Connect") == "UnknownMethod: " + unknown("Connect", "Device1"))
        #expect(stage.adapter("StartDiscovery", .string("x")).hasPrefix("UnknownMethod: "))
        #expect(stage.property(Stage.hci, "Nope", "X") == "InvalidArgs: No such interface 'org.bluez.Nope'")
        #expect(stage.property(Stage.hci, "Adapter1", "X") == "InvalidArgs: No such property 'X'")
        #expect(
            stage.set(Stage.hci, "Adapter1", "Address", .string("x"))
                == "PropertyReadOnly: Property 'Address' is not writable")
        #expect(
            stage.set(Stage.hci, "Adapter1", "Nope", .string("x")) == "UnknownProperty: No such property 'Nope'")
        #expect(
            stage.set(Stage.hci, "Adapter1", "Powered", .string("x"))
                == "InvalidSignature: Invalid signature for 'Powered'")
    }

    @Test func `An alias can be set and restored`() {
        let stage = Stage()
        stage.set(Stage.hci, "Adapter1", "Alias", .string("Gateway"))
        stage.set(Stage.hci, "Adapter1", "Alias", .string(""))
        let expected = ["Set -> ok", "hci0 {Alias: Gateway}", "Set -> ok", "hci0 {Alias: simulation}"]
        stage.run(.milliseconds(1))
        #expect(stage.seen() == expected)
    }

    @Test func `Discoverable and Pairable time out, and an equal timeout is signalled too`() {
        let stage = Stage()
        for name in ["Discoverable", "Pairable"] {
            stage.set(Stage.hci, "Adapter1", "\(name)Timeout", .uint32(2))
            stage.set(Stage.hci, "Adapter1", "\(name)Timeout", .uint32(2))
            stage.set(Stage.hci, "Adapter1", name, .bool(true))
            stage.run(.milliseconds(2100))
            let timeout = ["Set -> ok", "hci0 {\(name)Timeout: 2}"]
            #expect(
                stage.seen() == timeout + timeout + ["Set -> ok", "hci0 {\(name): true}", "hci0 {\(name): false}"])
        }
    }

    @Test(.proves(.Q31)) func `While off, nothing is received, and Discoverable with a timeout fails`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        stage.client.log.clear()
        stage.set(Stage.hci, "Adapter1", "Powered", .bool(false))
        stage.run(.milliseconds(50))
        let seen = stage.seen()
        let change = seen.firstIndex(of: "hci0 {PowerState: on-disabling}") ?? 0
        #expect(seen[..<change].allSatisfy { $0.hasPrefix("removed") } && change == 5)
        #expect(
            seen[(change + 1)...] == ["Set -> ok", "hci0 {PowerState: off, Powered: false, Discovering: false}"])
        let refusal = "Failed: Not Powered"
        #expect(stage.set(Stage.hci, "Adapter1", "Discoverable", .bool(true)) == refusal)
        #expect(stage.set(Stage.hci, "Adapter1", "Discoverable", .bool(false)) == refusal)
        stage.set(Stage.hci, "Adapter1", "DiscoverableTimeout", .uint32(0))
        #expect(stage.set(Stage.hci, "Adapter1", "Discoverable", .bool(true)) == "ok")
    }

    @Test func `Changes of a device are signalled before the reply`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        for (property, value, text) in [
            ("Alias", .string("left one"), "left one"), ("Trusted", .bool(true), "true"),
        ] as [(String, Value, String)] {
            stage.set(Stage.strap, "Device1", property, value)
            #expect(stage.seen() == ["hci0/dev_C0_FF_EE_00_00_01 {\(property): \(text)}", "Set -> ok"])
        }
    }

    @Test func `Calls are recorded with their sender and arguments`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        let calls = stage.simulation.calls
        #expect(calls.filter { $0.member == "StartDiscovery" }.count == 1)
        #expect(
            calls.map(\.description) == [
                "/org/bluez/hci0 Adapter1.SetDiscoveryFilter", "/org/bluez/hci0 Adapter1.StartDiscovery",
                "\(Stage.strap) Device1.Connect", "/org/bluez/hci0 Adapter1.StopDiscovery",
            ])
        #expect(Set(calls.map(\.sender)) == [":1.1"])
        #expect(calls[0].arguments[0].line == "{DuplicateData: true, Transport: le}")
    }

    @Test func `Objects and intermediate nodes have introspection data`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        let text = { (path: String) in
            stage.wait(for: stage.client.call(path, "org.freedesktop.DBus.Introspectable.Introspect", []))
        }
        #expect(text("/").contains(#"<node name="org"/>"#))
        #expect(text("/org").contains(#"<node name="bluez"/>"#))
        #expect(text("/org/bluez/hci0").contains(#"<method name="StartDiscovery"></method>"#))
        #expect(text(Stage.strap).contains(#"<node name="service000a"/>"#))
        // For a path without an object, libdbus answers instead of the daemon.
        #expect(text("/nope").hasSuffix("<node>\n</node>\n"))
        #expect(text("/org").hasSuffix("<node>\n  <node name=\"bluez\"/>\n</node>\n"))
    }
}
