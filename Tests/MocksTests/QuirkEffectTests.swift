import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of quirks of links, claimed services and registrations.
struct QuirkEffectTests {
    private static let strap = "C0:FF:EE:00:00:01"

    private func stage(_ quirks: Quirk..., features: Set<SimulatedFeature> = []) -> Stage {
        var scenario = Scenario.everyday
        scenario.quirks = Set(quirks)
        scenario.features = features
        return Stage(scenario)
    }

    private func call(_ stage: Stage, _ member: String, _ path: ObjectPath) -> String {
        stage.wait(
            for: stage.client.call(
                Stage.hci, "org.bluez.GattManager1.\(member)",
                [.objectPath(path)]
                    + (member == "RegisterApplication" ? [.properties([:])] : [])))
    }

    // MARK: Radio

    @Test(.proves(.Q63)) func `Scan responses create no device, but monitors receive them`() {
        for (quirks, isThere) in [([], true), ([Quirk.Q63], false)] as [([Quirk], Bool)] {
            var scenario = Scenario.everyday
            scenario.quirks = Set(quirks)
            let stage = Stage(scenario)
            stage.scan()
            stage.run(.seconds(5))
            let objects = stage.objects()
            #expect(objects.contains("hci0/dev_C0_FF_EE_00_00_01"))
            #expect(objects.contains("hci0/dev_C0_FF_EE_00_00_03") == isThere)
        }
    }

    @Test(.proves(.Q64)) func `A scan makes connecting 3 s slower`() {
        func duration(scanning: Bool) -> Duration? {
            let stage = stage(.Q64)
            stage.scan()
            stage.run(.milliseconds(500))
            if !scanning { stage.adapter("StopDiscovery") }
            #expect(stage.device(Stage.strap, "Connect") == "ok")
            let call = stage.simulation.recorder.calls("Connect").first
            return call.flatMap { call in call.answered.map { $0 - call.time } }
        }
        #expect(duration(scanning: true) == .milliseconds(3_150))
        #expect(duration(scanning: false) == .milliseconds(150))
    }

    // MARK: Automatic reconnection

    @Test(.proves(.Q85)) func `Bluetoothd reconnects a trusted device after its link was lost`() {
        let stage = stage(.Q85)
        stage.connect(Stage.strap)
        stage.set(Stage.strap, "Device1", "Trusted", .bool(true))
        stage.simulation.bluez.dropLink(to: Self.strap)
        stage.run(.seconds(3))
        let links = stage.seen().filter { $0.contains("Connected: ") || $0.contains("{ServicesResolved: true") }
        let device = "hci0/dev_C0_FF_EE_00_00_01"
        #expect(
            links == [
                "\(device) {ServicesResolved: false, Connected: false}", "\(device) {Connected: true}",
                "\(device) {ServicesResolved: true}",
            ])
        #expect(stage.simulation.recorder.count("Connect") == 1)
    }

    @Test(.proves(.Q85)) func `Reconnection waits for an advertisement, and Connect replaces it`() {
        let stage = stage(.Q85)
        stage.connect(Stage.strap)
        stage.set(Stage.strap, "Device1", "Trusted", .bool(true))
        stage.simulation.bluez.setInRange(false, Self.strap)
        stage.run(.seconds(300))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "false")
        let answer = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        stage.run(.seconds(1))
        #expect(answer.isOpen)
        stage.simulation.bluez.setInRange(true, Self.strap)
        #expect(stage.wait(for: answer) == "ok")
        stage.simulation.bluez.setInRange(false, Self.strap)
        stage.run(.seconds(300))
        stage.simulation.bluez.setInRange(true, Self.strap)
        stage.run(.seconds(1))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "true")
    }

    @Test(.proves(.Q85)) func `After Disconnect, only trusted devices are reconnected before Connect`() {
        let stage = stage(.Q85)
        stage.connect(Stage.strap)
        _ = stage.agent("NoInputNoOutput", .accept)
        #expect(stage.device(Stage.strap, "Pair") == "ok")
        stage.device(Stage.strap, "Disconnect")
        stage.run(.seconds(10))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "false")
        #expect(stage.device(Stage.strap, "Connect") == "ok")
        stage.simulation.bluez.dropLink(to: Self.strap)
        stage.run(.seconds(10))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "true")
        stage.set(Stage.strap, "Device1", "Trusted", .bool(true))
        stage.device(Stage.strap, "Disconnect")
        stage.run(.seconds(10))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "true")
    }

    @Test(.proves(.Q85)) func `Without the quirk, or without bond and trust, nothing reconnects`() {
        for (quirks, trusted) in [([], true), ([Quirk.Q85], false)] as [(Set<Quirk>, Bool)] {
            var scenario = Scenario.everyday
            scenario.quirks = quirks
            let stage = Stage(scenario)
            stage.connect(Stage.strap)
            if trusted { stage.set(Stage.strap, "Device1", "Trusted", .bool(true)) }
            stage.simulation.bluez.dropLink(to: Self.strap)
            stage.run(.seconds(20))
            #expect(stage.property(Stage.strap, "Device1", "Connected") == "false")
        }
    }

    // MARK: Claimed services

    private func mouse(_ features: Set<SimulatedFeature>) -> Stage {
        var scenario = Scenario(peripherals: [
            SimulatedPeripheral("Mouse", address: Self.strap) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, services: ["1812"])
                SimulatedService("1812") {
                    SimulatedCharacteristic("2a4a", .read([1]), .write, .writeWithoutResponse)
                }
                SimulatedService("180f") { SimulatedCharacteristic("2a19", .read([50])) }
            }
        ])
        scenario.features = features
        let stage = Stage(scenario)
        stage.connect(Stage.strap)
        return stage
    }

    @Test(.proves(.Q109)) func `Claimed services are hidden, but the battery service is not`() {
        let stage = mouse([])
        let objects = stage.objects().filter { $0.hasSuffix("service000a") || $0.hasSuffix("service000d") }
        #expect(objects == ["hci0/dev_C0_FF_EE_00_00_01/service000d"])
        #expect(stage.property(Stage.strap, "Device1", "UUIDs").contains("00001812"))
    }

    @Test(.proves(.Q109)) func `Newer daemons show claimed services read-only`() {
        let stage = mouse([.claimedServices])
        let report = Stage.strap + "/service000a/char000b"
        #expect(stage.characteristic(report, "ReadValue", .properties([:])) == "ok <1>")
        let refusal = "NotAuthorized: Operation Not Authorized"
        #expect(stage.characteristic(report, "WriteValue", .bytes([2]), .properties([:])) == refusal)
        #expect(stage.characteristic(report, "AcquireWrite", .properties([:])) == refusal)
    }

    // MARK: Registrations

    @Test(.proves(.Q25)) func `The daemon reads the objects while RegisterApplication waits`() throws {
        let stage = stage()
        var asked: [IncomingCall] { questions.calls }
        let questions = UnansweredCalls()
        _ = stage.client.bus.export(at: "/app", includingChildren: false) { questions.take($0) }
        let answer = stage.client.call(
            Stage.hci, "org.bluez.GattManager1.RegisterApplication", [.objectPath("/app"), .properties([:])])
        stage.run(.seconds(5))
        #expect(answer.isOpen)
        #expect(asked.map { $0.message.member } == ["GetManagedObjects"])
        asked.first?.reply { (body) throws(DBusError) in try body.value(Self.application) }
        #expect(stage.wait(for: answer) == "ok")
        #expect(call(stage, "RegisterApplication", "/app") == "AlreadyExists: Already Exists")
        #expect(call(stage, "UnregisterApplication", "/app") == "ok")
        #expect(call(stage, "UnregisterApplication", "/app") == "DoesNotExist: Does Not Exist")
    }

    @Test(.proves(.Q116)) func `An application without objects or services is refused`() {
        let stage = stage()
        for (path, value, text) in [
            ("/empty", Value.dictionary(key: "o", value: "a{sa{sv}}", []), "No object received"),
            ("/none", Self.stranger, "No valid service object found"),
        ] as [(ObjectPath, Value, String)] {
            _ = stage.client.bus.export(at: path, includingChildren: false) { call in
                call.reply { (body) throws(DBusError) in try body.value(value) }
            }
            #expect(call(stage, "RegisterApplication", path) == "Failed: \(text)")
            // The daemon has not kept the rejected application.
            #expect(call(stage, "UnregisterApplication", path) == "DoesNotExist: Does Not Exist")
        }
    }

    @Test(.proves(.Q116)) func `An application ends when its client leaves the bus`() {
        let stage = stage()
        let other = stage.another()
        _ = other.bus.export(at: "/app", includingChildren: false) { call in
            call.reply { (body) throws(DBusError) in try body.value(Self.application) }
        }
        let answer = other.call(
            Stage.hci, "org.bluez.GattManager1.RegisterApplication", [.objectPath("/app"), .properties([:])])
        #expect(stage.wait(for: answer) == "ok")
        other.bus.close()
        stage.run(.seconds(1))
        #expect(stage.adapter("StartDiscovery") == "ok")
    }

    private static let application = object(
        "org.bluez.GattService1", ["UUID": .string("fff0"), "Primary": .bool(true)])
    private static let stranger = object("org.example.Thing", [:])

    private static func object(_ interface: String, _ properties: [String: Value]) -> Value {
        .dictionary(
            key: "o", value: "a{sa{sv}}",
            [
                .init(
                    .objectPath("/app/service0"),
                    .dictionary(
                        key: "s", value: "a{sv}", [.init(.string(interface), .properties(properties))]))
            ])
    }
}
