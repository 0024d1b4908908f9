import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of `Connect`, `Disconnect` and lost links.
struct ConnectionTests {
    private func lines(_ stage: Stage, of path: String) -> [String] {
        let device = path.replacing("/org/bluez/", with: "")
        return stage.seen().filter { !$0.contains("RSSI") }.map { $0.replacing(device, with: "D") }
    }

    @Test(.proves(.Q70)) func `The reply to Connect is between Connected and the services`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        _ = stage.seen()
        stage.device(Stage.twins, "Connect")
        stage.run(.milliseconds(200))
        let seen = lines(stage, of: Stage.twins)
        #expect(Array(seen.prefix(3)) == ["D {Connected: true}", "Connect -> ok", "added D/service0006"])
        #expect(seen.contains("added D/service000a/char000b"))
        #expect(seen.contains("added D/service000d/char000e"))
        #expect(seen.last == "D {UUIDs: [00001800, 00001801, 0000ffd0], ServicesResolved: true}")
    }

    @Test(.proves(.Q71)) func `Connect on a live link succeeds at once without a signal`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        #expect(stage.device(Stage.strap, "Connect") == "ok")
        #expect(stage.seen() == ["Connect -> ok"])
    }

    @Test(.proves(.Q76, .Q119)) func `A second Connect while one is pending fails, also of another client`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        let first = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        #expect(stage.device(Stage.strap, "Connect") == "Failed: Operation already in progress")
        let other = stage.another()
        let second = other.call(Stage.strap, "org.bluez.Device1.Connect", [])
        #expect(stage.wait(for: second) == "Failed: Operation already in progress")
        #expect(stage.wait(for: first) == "ok")
    }

    @Test(.proves(.Q77)) func `Attempts fail with abort-by-local, then one succeeds`() {
        let stage = Stage()
        stage.simulation.bluez.setConnection(SimulatedConnection(failures: 2), of: "C0:FF:EE:00:00:01")
        stage.scan()
        stage.run(.milliseconds(500))
        #expect(stage.device(Stage.strap, "Connect") == "Failed: le-connection-abort-by-local")
        #expect(stage.device(Stage.strap, "Connect") == "Failed: le-connection-abort-by-local")
        #expect(stage.device(Stage.strap, "Connect") == "ok")
    }

    @Test(.proves(.Q7)) func `Connect waits 40 s for a peripheral, and succeeds if it returns`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:01")
        let first = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        stage.run(.seconds(39))
        #expect(first.isOpen)
        #expect(stage.wait(for: first) == "Failed: le-connection-abort-by-local")
        let second = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        stage.run(.seconds(5))
        stage.simulation.bluez.setInRange(true, "C0:FF:EE:00:00:01")
        stage.run(.milliseconds(200))
        #expect(second.line == "ok")
    }

    @Test(.proves(.Q79)) func `Disconnect cancels a pending attempt`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        let attempt = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        #expect(stage.device(Stage.strap, "Disconnect") == "ok")
        #expect(attempt.line == "Failed: br-connection-canceled")
    }

    @Test(.proves(.Q84)) func `Disconnect takes 2 s, and is answered before Connected is false`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        let answer = stage.client.call(Stage.strap, "org.bluez.Device1.Disconnect", [])
        stage.run(.milliseconds(1990))
        #expect(answer.isOpen)
        stage.run(.milliseconds(20))
        // The first signal removes Battery1, which the daemon does before the link ends.
        let expected = ["removed D", "D {ServicesResolved: false}", "Disconnect -> ok", "D {Connected: false}"]
        #expect(lines(stage, of: Stage.strap) == expected)
        #expect(stage.device(Stage.strap, "Disconnect") == "ok")
    }

    @Test func `A lost link causes one signal, and the loose plug's link ends after 1.5 s`() {
        let stage = Stage()
        stage.connect(Stage.plug)
        stage.run(.milliseconds(1500))
        #expect(lines(stage, of: Stage.plug) == ["D {ServicesResolved: false, Connected: false}"])
        stage.device(Stage.plug, "Connect")
        stage.run(.milliseconds(1600))
        let seen = lines(stage, of: Stage.plug)
        // The daemon keeps discovered services, so the second link causes no signals of objects or UUIDs.
        let expected = [
            "D {Connected: true}", "Connect -> ok", "D {ServicesResolved: true}",
            "D {ServicesResolved: false, Connected: false}",
        ]
        #expect(seen == expected)
    }

    @Test func `Out of range, a link ends after the supervision timeout`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:01")
        stage.run(.milliseconds(400))
        #expect(stage.seen().isEmpty)
        stage.run(.milliseconds(50))
        #expect(lines(stage, of: Stage.strap) == ["D {ServicesResolved: false, Connected: false}", "removed D"])
    }

    @Test(.proves(.Q59)) func `After Disconnect, the device is temporary again`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.run(.seconds(100))
        #expect(stage.objects().count > 5)
        stage.device(Stage.strap, "Disconnect")
        stage.run(.seconds(32))
        #expect(stage.objects() == ["hci0"])
    }

    @Test func `A trusted device that was never connected is removed as others are`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        stage.set(Stage.strap, "Device1", "Trusted", .bool(true))
        stage.adapter("StopDiscovery")
        stage.run(.seconds(40))
        #expect(!stage.objects().contains("hci0/dev_C0_FF_EE_00_00_01"))
    }

    @Test func `A blocked device loses its link, and every attempt fails`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.set(Stage.strap, "Device1", "Blocked", .bool(true))
        stage.run(.milliseconds(1))
        let seen = stage.seen().map { $0.replacing("hci0/dev_C0_FF_EE_00_00_01", with: "D") }
        #expect(seen.prefix(2) == ["D {Blocked: true}", "Set -> ok"])
        #expect(seen.dropFirst(2).contains("D {ServicesResolved: false, Connected: false}"))
        #expect(stage.device(Stage.strap, "Connect") == "Failed: le-connection-abort-by-local")
        #expect(!stage.seen().contains { $0.contains("Connected") })
        stage.set(Stage.strap, "Device1", "Blocked", .bool(false))
        #expect(stage.device(Stage.strap, "Connect") == "ok")
    }

    @Test func `A trusted device is kept after it was connected`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.set(Stage.strap, "Device1", "Trusted", .bool(true))
        stage.device(Stage.strap, "Disconnect")
        stage.run(.seconds(60))
        #expect(stage.objects().contains("hci0/dev_C0_FF_EE_00_00_01"))
    }

    @Test(.proves(.Q61)) func `RemoveDevice of a connected device disconnects, replies, then removes it`() {
        let stage = Stage()
        stage.connect(Stage.twins)
        #expect(stage.adapter("RemoveDevice", .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_05")) == "ok")
        stage.run(.milliseconds(1))
        let seen = lines(stage, of: Stage.twins)
        #expect(Array(seen.prefix(3)) == ["D {ServicesResolved: false}", "RemoveDevice -> ok", "D {Connected: false}"])
        #expect(Array(seen.suffix(3)) == ["removed D/service000d/char000e", "removed D/service000d", "removed D"])
        #expect(
            stage.adapter("RemoveDevice", .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_05"))
                == "DoesNotExist: Does Not Exist")
    }

    @Test(.proves(.Q57)) func `The name of the GAP service arrives after the services`() {
        let peripheral = SimulatedPeripheral("Long name", address: "C0:00:00:00:00:01") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: "Short")
        }
        let stage = Stage(Scenario(peripherals: [peripheral]))
        stage.connect("/org/bluez/hci0/dev_C0_00_00_00_00_01")
        #expect(stage.property("/org/bluez/hci0/dev_C0_00_00_00_00_01", "Device1", "Name") == "Long name")
    }

    @Test(.proves(.S24)) func `A connected peripheral does not advertise`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.scan()
        stage.run(.seconds(1))
        #expect(!stage.seen().contains { $0.hasPrefix("hci0/dev_C0_FF_EE_00_00_01") })
    }

    @Test func `Connect with the adapter off fails`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.set(Stage.hci, "Adapter1", "Powered", .bool(false))
        #expect(stage.device(Stage.strap, "Connect") == "Failed: Input/output error")
    }

    @Test(.proves(.Q83)) func `ConnectProfile searches over BR/EDR for any UUID, and fails`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        let profile = { (method: String, uuid: String) in
            stage.wait(for: stage.client.call(Stage.strap, "org.bluez.Device1." + method, [.string(uuid)]))
        }
        for uuid in ["", "rubbish", "180d"] {
            #expect(profile("ConnectProfile", uuid) == "Failed: br-connection-sdp-search")
            #expect(profile("DisconnectProfile", uuid) == "InvalidArguments: Invalid arguments in method call")
        }
        let attempt = stage.client.call(Stage.plug, "org.bluez.Device1.Connect", [])
        let second = stage.client.call(Stage.plug, "org.bluez.Device1.ConnectProfile", [.string("180d")])
        #expect(stage.wait(for: second) == "InProgress: br-connection-busy")
        #expect(stage.wait(for: attempt) == "ok")
        stage.set(Stage.hci, "Adapter1", "Powered", .bool(false))
        stage.run(.milliseconds(10))
        let third = stage.client.call(Stage.thermometer, "org.bluez.Device1.ConnectProfile", [.string("180d")])
        #expect(stage.wait(for: third).hasPrefix("UnknownObject"))
    }

    @Test func `Trusted and Alias are signalled before the reply, and only if they change`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.set(Stage.strap, "Device1", "Trusted", .bool(true))
        stage.set(Stage.strap, "Device1", "Trusted", .bool(true))
        stage.set(Stage.strap, "Device1", "Alias", .string("A"))
        let seen = stage.seen().map { $0.replacing("hci0/dev_C0_FF_EE_00_00_01", with: "D") }
        #expect(seen == ["D {Trusted: true}", "Set -> ok", "Set -> ok", "D {Alias: A}", "Set -> ok"])
    }
}
