import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of notify sessions.
struct NotifyTests {
    private static let rate = Stage.strap + "/service000a/char000b"
    private static let level = Stage.strap + "/service0012/char0013"
    private static let address = "C0:FF:EE:00:00:01"

    private func stage() -> Stage {
        let stage = Stage()
        stage.connect(Stage.strap)
        return stage
    }

    private func values(_ stage: Stage) -> [String] { stage.seen().filter { $0.contains("Value:") } }

    @Test func `Notifying precedes the reply, and values follow at their interval`() {
        let stage = stage()
        stage.characteristic(Self.rate, "StartNotify")
        stage.run(.milliseconds(2500))
        let path = "hci0/dev_C0_FF_EE_00_00_01/service000a/char000b"
        let expected = [
            "\(path) {Notifying: true}", "StartNotify -> ok", "\(path) {Value: <0 3e>}", "\(path) {Value: <0 3f>}",
        ]
        #expect(stage.seen() == expected)
        #expect(stage.characteristic(Self.rate, "StopNotify") == "ok")
        #expect(stage.seen() == ["\(path) {Notifying: false}", "StopNotify -> ok"])
        stage.run(.seconds(5))
        #expect(stage.seen().isEmpty)
        #expect(stage.characteristic(Self.rate, "StopNotify") == "Failed: No notify session started")
    }

    @Test(.proves(.Q103)) func `A second StartNotify of a client succeeds without effect`() {
        let stage = stage()
        stage.characteristic(Self.rate, "StartNotify")
        stage.characteristic(Self.rate, "StartNotify")
        stage.run(.milliseconds(1500))
        #expect(values(stage).count == 1)
    }

    @Test(.proves(.Q103)) func `Two clients' sessions double every value, and Notifying needs either`() {
        let stage = stage()
        let other = stage.another()
        stage.characteristic(Self.level, "StartNotify")
        stage.characteristic(Self.level, "StartNotify", from: other)
        _ = stage.seen()
        stage.simulation.bluez.notify([80], from: Self.address, "2a19")
        stage.run(.milliseconds(1))
        #expect(values(stage).count == 2)
        stage.characteristic(Self.level, "StopNotify")
        #expect(stage.property(Self.level, "GattCharacteristic1", "Notifying") == "true")
        other.bus.close()
        stage.run(.milliseconds(5))
        #expect(stage.property(Self.level, "GattCharacteristic1", "Notifying") == "false")
    }

    @Test(.proves(.Q103)) func `A session outlives the link and is armed again`() {
        let stage = stage()
        stage.characteristic(Self.level, "StartNotify")
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.milliseconds(10))
        #expect(stage.property(Self.level, "GattCharacteristic1", "Notifying") == "true")
        _ = stage.seen()
        stage.simulation.bluez.notify([1], from: Self.address, "2a19")
        stage.run(.milliseconds(10))
        #expect(values(stage).isEmpty)
        stage.device(Stage.strap, "Connect")
        stage.run(.milliseconds(300))
        stage.simulation.bluez.notify([2], from: Self.address, "2a19")
        stage.run(.milliseconds(10))
        #expect(values(stage) == ["hci0/dev_C0_FF_EE_00_00_01/service0012/char0013 {Value: <2>}"])
    }

    @Test(.proves(.Q103)) func `After a reconnection, no value is sent before the notifications are on again`() {
        let stage = Stage(
            Scenario(peripherals: [
                SimulatedPeripheral("Sensor", address: Self.address) {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
                    SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([1]), .notify) }
                }
            ]))
        stage.connect(Stage.strap)
        guard let path = stage.objects().first(where: { $0.contains("/char") }).map({ "/org/bluez/" + $0 }) else {
            Issue.record("There is no characteristic: \(stage.objects()).")
            return
        }
        #expect(stage.characteristic(path, "StartNotify") == "ok")
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.milliseconds(10))
        let connecting = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        _ = stage.seen()
        // A value each millisecond: the first one that arrives is later than the link.
        var connected: Int?
        var first: Int?
        for time in 0..<1_000 where first == nil {
            stage.simulation.bluez.notify([2], from: Self.address, "fff1")
            stage.run(.milliseconds(1))
            let seen = stage.seen()
            if seen.contains(where: { $0.contains("Connected: true") }) { connected = time }
            if seen.contains(where: { $0.contains("Value:") }) { first = time }
        }
        #expect(connected != nil && first != nil)
        #expect((first ?? 0) - (connected ?? 0) >= 5, "\(String(describing: connected)) \(String(describing: first))")
        withExtendedLifetime(connecting) {}
    }

    @Test(.proves(.Q103)) func `StartNotify without a link succeeds and is armed by the next link`() {
        let stage = stage()
        stage.simulation.bluez.dropLink(to: Self.address)
        #expect(stage.characteristic(Self.level, "StartNotify") == "ok")
        #expect(stage.property(Self.level, "GattCharacteristic1", "Notifying") == "false")
        stage.device(Stage.strap, "Connect")
        stage.run(.milliseconds(300))
        #expect(stage.property(Self.level, "GattCharacteristic1", "Notifying") == "true")
    }

    @Test(.proves(.Q104)) func `After the device was removed, StopNotify fails`() {
        let stage = stage()
        stage.characteristic(Self.level, "StartNotify")
        stage.adapter("RemoveDevice", .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01"))
        #expect(stage.characteristic(Self.level, "StopNotify").hasPrefix("UnknownObject"))
    }

    @Test(.proves(.Q106)) func `Simultaneous values are separate signals`() {
        let stage = stage()
        stage.characteristic(Self.level, "StartNotify")
        _ = stage.seen()
        for value in 0..<100 { stage.simulation.bluez.notify([UInt8(value)], from: Self.address, "2a19") }
        stage.run(.milliseconds(1))
        #expect(values(stage).count == 100)
    }

    @Test func `StartNotify is refused while the device disconnects`() {
        let stage = stage()
        _ = stage.client.call(Stage.strap, "org.bluez.Device1.Disconnect", [])
        stage.run(.milliseconds(10))
        #expect(stage.characteristic(Self.rate, "StartNotify") == "NotConnected: Not Connected")
    }

    @Test func `A value that a test sets can be read and is not notified`() {
        let stage = stage()
        stage.characteristic(Self.level, "StartNotify")
        _ = stage.seen()
        stage.simulation.bluez.setValue([42], of: Self.address, "2a19")
        stage.run(.milliseconds(10))
        #expect(values(stage).isEmpty)
        #expect(stage.characteristic(Self.level, "ReadValue", .properties([:])) == "ok <2a>")
    }
}
