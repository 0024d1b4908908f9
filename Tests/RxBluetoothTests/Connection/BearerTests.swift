import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Devices that bluetoothd can connect over LE and over BR/EDR.
struct BearerTests {
    private static let path = ScriptedDaemon.Objects.devicePath
    private static let device = "org.bluez.Device1"
    private static let le = "org.bluez.Bearer.LE1"
    private static let classic = "org.bluez.Bearer.BREDR1"

    /// A device that is connected over BR/EDR, as a bluetoothd with or without separate bearers shows it.
    private static func objects(separate: Bool, _ properties: [String: Value] = [:]) -> ScriptedDaemon.Objects {
        let connected = ScriptedDaemon.Objects.oneDevice.setting(
            path, device, ["Connected": .bool(true), "AddressType": .string("public")]
        ).setting(path, device, properties)
        guard separate else { return connected }
        return connected.setting(path, le, ["Connected": .bool(false)])
            .setting(path, classic, ["Connected": .bool(true)])
    }

    /// Connects the device over LE: the LE bearer first, as bluetoothd 5.87.
    private static func connect(_ stage: Stage, _ daemon: ScriptedDaemon) {
        daemon.change(path, le, ["Connected": .bool(true)])
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        stage.advance(0)
    }

    @Test(.proves(.S142, .Q134)) func `A device that is connected over BR/EDR only is connected over LE too`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.objects(separate: true))
        let connected = stage.record(stage.manager.retrieveConnectedPeripherals())
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        #expect(connected.elements == [[]])
        #expect(daemon.interfaces == [Self.le] && daemon.methods == ["Connect"])
        #expect(link.elements.isEmpty)
        Self.connect(stage, daemon)
        #expect(link.elements.count == 1)
        daemon.add(.services)
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        let found = stage.record(peripheral.discoverServices())
        stage.advance(1_000)
        #expect(found.elements.map(\.uuid) == [0x180D] && found.isCompleted)
        // Closing leaves BR/EDR to the program that uses it.
        link.dispose()
        stage.advance(0)
        #expect(daemon.interfaces == [Self.le, Self.le] && daemon.methods == ["Connect", "Disconnect"])
        daemon.change(Self.path, Self.le, ["Connected": .bool(false)])
        daemon.take("Disconnect").reply()
        stage.advance(0)
        stage.expectSettled()
    }

    @Test(.proves(.S142)) func `The loss of LE ends the link with its own reason, also if BR/EDR continues`() {
        let (stage, daemon, peripheral) = Stage.scripted(Self.objects(separate: true))
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        Self.connect(stage, daemon)
        // A reason of BR/EDR is not that of the LE link.
        daemon.disconnected(Self.device, "org.bluez.Reason.Local")
        // Before the change, because the link ends with the answer to the next "Get", which the daemon sends at once.
        daemon.disconnected(Self.le, "org.bluez.Reason.Timeout")
        daemon.change(Self.path, Self.le, ["Connected": .bool(false)])
        daemon.disconnected(Self.device, "org.bluez.Reason.Suspend")
        stage.advance(1_000)
        #expect(link.kind == .disconnected(.timeout))
    }

    @Test func `A device with one bearer is connected and closed as before`() {
        let (stage, daemon, peripheral) = Stage.scripted(
            .oneDevice.setting(Self.path, Self.le, ["Connected": .bool(false)]))
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        #expect(daemon.interfaces == [Self.device])
        Self.connect(stage, daemon)
        #expect(link.elements.count == 1)
        link.dispose()
        stage.advance(0)
        #expect(daemon.interfaces == [Self.device, Self.device])
        daemon.change(Self.path, Self.le, ["Connected": .bool(false)])
        daemon.deviceChanges(["Connected": .bool(false)])
        daemon.take("Disconnect").reply()
        stage.advance(0)
        stage.expectSettled()
    }

    @Test func `Without -E, the bearers have no properties, and the device decides`() {
        let (stage, daemon, peripheral) = Stage.scripted(
            .oneDevice.setting(Self.path, Self.le, [:]).setting(Self.path, Self.classic, [:]))
        let link = stage.connect(peripheral, daemon)
        #expect(link.elements.count == 1 && daemon.interfaces == [Self.device])
    }

    @Test(
        .proves(.S142, .Q134),
        arguments: [
            ["Class": Value.uint32(0x240404)],
            ["UUIDs": .strings(["0000110b-0000-1000-8000-00805f9b34fb", "00001800-0000-1000-8000-00805f9b34fb"])],
        ])
    func `Without separate bearers, discovery over BR/EDR only fails, and is not empty`(
        properties: [String: Value]
    ) {
        let (stage, daemon, peripheral) = Stage.scripted(
            Self.objects(separate: false, properties.merging(["ServicesResolved": .bool(true)]) { $1 }))
        daemon.always("Connect")
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        let found = stage.record(peripheral.discoverServices())
        stage.advance(2_000)
        #expect(link.elements.count == 1)
        #expect(found.kind == .connectFailed("br-edr-only") && found.elements.isEmpty)
        #expect(found.error?.description.contains("connected over BR/EDR and not over LE") == true)
        #expect(found.error?.advice?.hasPrefix("Disconnect the device") == true)
    }

    @Test func `A peripheral whose only service is hidden has no services`() {
        let (stage, daemon, peripheral) = Stage.scripted(
            Self.objects(
                separate: false,
                [
                    "Class": .uint32(0x240404), "ServicesResolved": .bool(true),
                    "UUIDs": .strings(["00001800-0000-1000-8000-00805f9b34fb"]),
                ]))
        daemon.always("Connect")
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        let found = stage.record(peripheral.discoverServices())
        stage.advance(2_000)
        #expect(found.isCompleted && found.elements.isEmpty && link.isLive)
    }
}

extension ScriptedDaemon {
    /// Sends the signal `Disconnected` of an interface of the device.
    fileprivate func disconnected(_ interface: String, _ reason: String) {
        signal(Objects.devicePath, interface, "Disconnected") { (body) throws(DBusError) in
            try body.string(reason)
            try body.string("")
        }
    }
}
