import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of `org.bluez.Battery1` of a connected device.
struct BatteryTests {
    private static let address = "C0:FF:EE:00:00:01"
    private static let path = "hci0/dev_C0_FF_EE_00_00_01"

    private func level(_ stage: Stage) -> String { stage.property(Stage.strap, "Battery1", "Percentage") }

    @Test(.proves(.Q109)) func `Battery1 appears after ServicesResolved and disappears with the link`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        #expect(level(stage) == "InvalidArgs: No such interface 'org.bluez.Battery1'")
        stage.device(Stage.strap, "Connect")
        stage.adapter("StopDiscovery")
        stage.run(.milliseconds(90))
        _ = stage.seen()
        stage.run(.milliseconds(100))
        let seen = stage.seen()
        #expect(seen.first == "added \(Self.path)")
        #expect(level(stage) == "87")
        #expect(stage.property(Stage.strap, "Battery1", "Source") == "GATT Battery Service")
        _ = stage.seen()
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.milliseconds(5))
        let end = ["\(Self.path) {ServicesResolved: false, Connected: false}", "removed \(Self.path)"]
        #expect(stage.seen() == end)
        #expect(level(stage) == "InvalidArgs: No such interface 'org.bluez.Battery1'")
    }

    @Test func `On a later link, Battery1 appears before ServicesResolved`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.device(Stage.strap, "Disconnect")
        stage.run(.milliseconds(10))
        _ = stage.seen()
        stage.device(Stage.strap, "Connect")
        stage.run(.milliseconds(200))
        let seen = stage.seen()
        let (level, resolved) = ("added \(Self.path)", "\(Self.path) {ServicesResolved: true}")
        #expect(seen.filter { $0 == level || $0 == resolved } == [level, resolved])
    }

    @Test func `Each new level is signalled once, without a subscription`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        for level in [86, 86, 255, 85] as [UInt8] {
            stage.simulation.bluez.notify([level], from: Self.address, "2a19")
            stage.run(.milliseconds(1))
        }
        #expect(stage.seen() == ["\(Self.path) {Percentage: 86}", "\(Self.path) {Percentage: 85}"])
    }

    @Test func `A level without notifications is shown as it was read`() {
        let stage = Stage()
        stage.connect(Stage.thermometer)
        #expect(stage.property(Stage.thermometer, "Battery1", "Percentage") == "54")
    }

    @Test func `Battery1 is in introspection, GetManagedObjects and GetAll`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        let text = stage.wait(
            for: stage.client.call(Stage.strap, "org.freedesktop.DBus.Introspectable.Introspect", []))
        #expect(
            text.contains(
                #"<interface name="org.bluez.Battery1"><property name="Percentage" type="y" access="read"></property>"#)
        )
        let all = stage.client.call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects", [])
        #expect(stage.wait(for: all).contains("org.bluez.Battery1: {Percentage: 87, Source: GATT Battery Service}"))
        let values = stage.client.call(
            Stage.strap, "org.freedesktop.DBus.Properties.GetAll", [.string("org.bluez.Battery1")])
        #expect(stage.wait(for: values) == "ok {Percentage: 87, Source: GATT Battery Service}")
    }
}
