import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of single features of newer daemons, on 5.66.
struct NewerDaemonTests {
    private static let address = "C0:FF:EE:00:00:01"
    private static let characteristic = Stage.strap + "/service000a/char000b"

    private func stage(
        _ features: Set<SimulatedFeature> = [.handle, .claimedServices, .preferredBearer, .disconnectedSignal]
    ) -> Stage {
        var scenario = Scenario.everyday
        scenario.features = features
        let stage = Stage(scenario)
        stage.connect(Stage.strap)
        return stage
    }

    private func introspected(_ stage: Stage, _ path: String) -> String {
        stage.wait(for: stage.client.call(path, "org.freedesktop.DBus.Introspectable.Introspect", []))
    }

    private func reasons(_ stage: Stage) -> [String] { stage.seen().filter { $0.contains("Disconnected [") } }

    @Test func `Newer features are off with 5.66`() {
        let stage = stage([])
        let text = introspected(stage, Stage.strap)
        #expect(!text.contains("Disconnected") && !text.contains("PreferredBearer"))
        #expect(!introspected(stage, Self.characteristic).contains("Handle"))
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.milliseconds(5))
        #expect(reasons(stage).isEmpty)
    }

    @Test(.proves(.Q86)) func `Disconnected contains the reason, between ServicesResolved and Connected`() {
        let stage = stage()
        #expect(introspected(stage, Stage.strap).contains(#"<signal name="Disconnected"><arg name="name" type="s"/>"#))
        stage.client.log.clear()
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.milliseconds(5))
        let path = "hci0/dev_C0_FF_EE_00_00_01"
        let expected = [
            "\(path) {ServicesResolved: false}",
            #"\#(path) Disconnected ["org.bluez.Reason.Remote", "Connection terminated by remote user"]"#,
            "\(path) {Connected: false}", "removed \(path)",
        ]
        #expect(stage.seen() == expected)
    }

    @Test(.proves(.Q86)) func `Out of range is a timeout, and our own Disconnect is local`() {
        let stage = stage()
        stage.simulation.bluez.setInRange(false, Self.address)
        stage.run(.milliseconds(500))
        #expect(reasons(stage).first?.contains(#""org.bluez.Reason.Timeout", "Connection timeout""#) == true)
        stage.simulation.bluez.setInRange(true, Self.address)
        stage.device(Stage.strap, "Connect")
        stage.device(Stage.strap, "Disconnect")
        #expect(
            reasons(stage).first?.contains(#""org.bluez.Reason.Local", "Connection terminated by local host""#) == true)
    }

    @Test func `Handle equals the handle in the path`() {
        let stage = stage()
        #expect(stage.property(Self.characteristic, "GattCharacteristic1", "Handle") == "11")
        #expect(stage.property(Stage.strap + "/service000a", "GattService1", "Handle") == "10")
        #expect(stage.property(Self.characteristic + "/desc000d", "GattDescriptor1", "Handle") == "13")
        stage.characteristic(Self.characteristic, "ReadValue", .properties([:]))
        #expect(stage.seen().last == "ReadValue -> ok <0 3d>")
    }

    @Test(.proves(.Q83)) func `Devices that may be dual-mode have PreferredBearer`() {
        let stage = stage()
        #expect(
            stage.property(Stage.strap, "Device1", "PreferredBearer")
                == "InvalidArgs: No such property 'PreferredBearer'")
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.simulation.bluez.advertise(
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Both", flags: 0x02), from: Self.address)
        stage.scan()
        stage.run(.milliseconds(500))
        #expect(stage.property(Stage.strap, "Device1", "PreferredBearer") == "last-used")
        #expect(stage.set(Stage.strap, "Device1", "PreferredBearer", .string("le")) == "ok")
        #expect(stage.property(Stage.strap, "Device1", "PreferredBearer") == "le")
        #expect(
            stage.set(Stage.strap, "Device1", "PreferredBearer", .string("wire"))
                == "InvalidArguments: Invalid arguments in method call")
    }
}
